"""Who may do what: tokens, kept as hashes."""
