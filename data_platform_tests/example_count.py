"""How many examples a property test tries if its number is not the default: test-fast tries the same share of each."""

from hypothesis import settings

DEFAULT = 100


def examples(number: int) -> int:
    """``number`` in the full run, and a fifth of it in test-fast, whose profile has a fifth of the default."""
    return max(1, number * settings().max_examples // DEFAULT)
