"""Signals and incidents: stored by one transaction a look, and changed by people."""
