"""JSON lines: one JSON object a line."""
