"""Derives a policy from a profile: each rule with its reason, and with the profiled rows that it would reject."""
