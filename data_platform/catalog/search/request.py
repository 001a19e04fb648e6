"""Checks search requests. Errors name the field; special characters in the text are never an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.search.term import terms
from data_platform.errors import InputError
from data_platform.model.search import MOST_HITS

if TYPE_CHECKING:
    from data_platform.catalog.search.term import Term
    from data_platform.model.search import SearchRequest

STATUSES = ("DRAFT", "ACTIVE", "DEPRECATED")
LONGEST_TEXT = 2_100
"""The longest possible name and a margin, in characters."""
_MOST_WORDS = 40
_MOST_VALUES = 20


def checked(request: SearchRequest) -> SearchRequest:
    """Raises: InputError."""
    if not 1 <= request.limit <= MOST_HITS:
        raise InputError("limit", f"expected 1 to {MOST_HITS}")
    if request.status is not None and request.status.upper() not in STATUSES:
        raise InputError("status", f"unknown: expected one of {', '.join(STATUSES)}")
    for field, values in (("tag", request.tags), ("column", request.columns)):
        if len(values) > _MOST_VALUES:
            raise InputError(field, f"{len(values)} values: at most {_MOST_VALUES}")
    if len(request.text) > LONGEST_TEXT:
        raise InputError("q", f"{len(request.text)} characters: at most {LONGEST_TEXT}")
    return request


def terms_of(request: SearchRequest) -> tuple[Term, ...]:
    """Returns the terms of the text; empty if the request has only filters.

    Raises:
        InputError: The text has no letter or digit, or too many words.
    """
    distinct = tuple(dict.fromkeys(terms(request.text)))
    if request.text.strip() and not distinct:
        raise InputError("q", "no letter and no digit in it: expected words, or a part of a name")
    if not distinct and not _has_filter(request):
        raise InputError("q", "empty: expected words to look for, or at least one filter")
    if sum(len(term.words) for term in distinct) > _MOST_WORDS:
        raise InputError("q", f"more than {_MOST_WORDS} words: leave some out")
    return distinct


def _has_filter(request: SearchRequest) -> bool:
    values = request.kind, request.team, request.category, request.status, *request.tags, *request.columns
    return any(value is not None for value in values)
