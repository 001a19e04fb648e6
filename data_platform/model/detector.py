"""The versions of what detects personal values: findings name them, and a new one causes rows to be judged again."""

from __future__ import annotations

PATTERNS = "patterns-3"
"""Raise the number if a pattern, a check or the name of a column that indicates a kind changes."""

CLASSIFIER = "classifier-339297c7"
"""The classifier's weights by their digest, which ``scripts/train_tagger.py`` prints; a test compares them."""
