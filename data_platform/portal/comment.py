"""The comment of a decision, from its form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.problem import ProblemError

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_CHARACTERS = 4_000
"""The API's limit of the comment of a decision."""


def comment_of(request: Request) -> str:
    """Raises: ProblemError, 422, it is too long."""
    comment = str(request.state.form.get("comment", "")).strip()
    if len(comment) > MOST_CHARACTERS:
        raise ProblemError(422, "too-long", f"the reason has {len(comment)} characters: at most {MOST_CHARACTERS}")
    return comment


def reason_of(request: Request) -> str:
    """Raises: ProblemError, 422, there is no comment, or it is too long."""
    comment = comment_of(request)
    if not comment:
        raise ProblemError(422, "no-reason", "give a reason: it is shown to the person who asked")
    return comment
