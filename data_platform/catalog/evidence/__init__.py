"""The append-only log of evidence, a chain of records for each dataset, and its verification."""
