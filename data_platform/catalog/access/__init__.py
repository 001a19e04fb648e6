"""API tokens, stored as hashes, and pages of the audit log."""
