"""Proofs: random histories with crashes, each checked by a model of its own. ``docs/proofs.md`` has the commands."""
