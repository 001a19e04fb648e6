"""Publish groups: versions that wait for the other members, and the transaction that shows them together."""
