"""Many events in one request, for a spool that filled while the service was down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.legacy.post import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_EVENTS = 5
"""Fewer events are sent as quickly one by one."""

MOST_EVENTS = 50
MOST_BYTES = 1_048_576


def joined(bodies: Sequence[bytes]) -> bytes:
    """Joins the events to a JSON array without parsing them."""
    return b"[" + b",".join(bodies) + b"]"


def answers(answer: Answer, count: int) -> list[Answer] | None:
    """Returns one answer for each of ``count`` events, in order; None if the answer does not list each of them.

    A service answers so if it accepts no batches, or rejects a batch as a whole, for example for its size.
    """
    import json

    try:
        results = json.loads(answer.text)["results"]
        if [result["index"] for result in results] != list(range(count)):
            return None
        return [Answer(int(result["status"]), answer.kind, json.dumps(result)) for result in results]
    except (ValueError, KeyError, TypeError):
        return None
