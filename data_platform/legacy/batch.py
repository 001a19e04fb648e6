"""Many events in one request: for a spool that filled while the service was away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.legacy.post import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_EVENTS = 5
"""Fewer go as quickly one by one."""

MOST_EVENTS = 50
MOST_BYTES = 1_048_576


def joined(bodies: Sequence[bytes]) -> bytes:
    """A JSON array of them, which nobody has to parse for it."""
    return b"[" + b",".join(bodies) + b"]"


def answers(answer: Answer, count: int) -> list[Answer] | None:
    """One for each of ``count`` events, in their order; None if the answer does not tell of each of them.

    So answers a service that takes no batches, or refuses one as a whole: by its size, say.
    """
    import json

    try:
        results = json.loads(answer.text)["results"]
        if [result["index"] for result in results] != list(range(count)):
            return None
        return [Answer(int(result["status"]), answer.kind, json.dumps(result)) for result in results]
    except (ValueError, KeyError, TypeError):
        return None
