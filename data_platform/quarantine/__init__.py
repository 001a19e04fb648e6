"""Quarantine: rows that failed a gate, kept with their reasons, so that nothing is lost."""
