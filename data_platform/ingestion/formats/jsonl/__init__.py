"""JSON: one object a line (``jsonl_format``), or one list of objects a file (``array_format``)."""
