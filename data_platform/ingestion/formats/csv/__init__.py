"""CSV: delimited text with a header (RFC 4180)."""
