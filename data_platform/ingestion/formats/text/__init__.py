"""What all text formats share: decoding, records, and reading in Python workers."""
