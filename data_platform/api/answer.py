"""Converts the catalog's values to JSON, without the fields that the caller may not see.

Fields are sensitive if they show internals of a run or identify a person: error messages, logs, facets, SQL, storage
paths, mail addresses. A consumer gets null instead, so missing and hidden values have the same shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse

from data_platform.model.access import Role
from data_platform.model.plain_json import plain

if TYPE_CHECKING:
    from data_platform.model.access import AccessToken

SENSITIVE = frozenset(
    {
        "error_message",
        "facets",
        "failure_reason",
        "log_location",
        "owner_email",
        "path",
        "requested",
        "stack_trace",
        "table_path",
        "transformation",
    }
)
"""Field names. ``path`` as text is a storage path; as a list it is a path through the graph, and is shown."""


def answer(value: Any, caller: AccessToken, status: int = 200) -> JSONResponse:
    return JSONResponse(visible(value, caller), status)


def visible(value: Any, caller: AccessToken) -> Any:
    """The part of the value that ``caller`` may see. This rule is defined only here."""
    hidden = SENSITIVE if caller.role is Role.DATA_CONSUMER else frozenset[str]()
    return plain(value, hidden=hidden, computed=True)
