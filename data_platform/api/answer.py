"""Converts the catalog's values to JSON, without the fields that the caller may not see.

Fields are sensitive if they show internals of a run or identify a person: error messages, logs, facets, SQL, storage
paths, mail addresses. A consumer gets null instead, so missing and hidden values have the same shape.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse

from data_platform.model.access import Role

if TYPE_CHECKING:
    from data_platform.model.access import AccessToken

SENSITIVE = frozenset(
    {
        "error_message",
        "facets",
        "log_location",
        "owner_email",
        "path",
        "requested",
        "transformation",
    }
)
"""Field names. ``path`` as text is a storage path; as a list it is a path through the graph, and is shown."""


def answer(value: Any, caller: AccessToken, status: int = 200) -> JSONResponse:
    return JSONResponse(visible(value, caller), status)


def visible(value: Any, caller: AccessToken) -> Any:
    """The part of the value that ``caller`` may see. This rule is defined only here."""
    return _plain(value, hidden=SENSITIVE if caller.role is Role.DATA_CONSUMER else frozenset())


def _plain(value: Any, hidden: frozenset[str]) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        members = {f.name: getattr(value, f.name) for f in fields(value)}
        members |= {name: getattr(value, name) for name in properties(type(value))}
        return {name: _shown(name, part, hidden) for name, part in members.items()}
    if isinstance(value, dict):
        return {str(name): _shown(str(name), part, hidden) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part, hidden) for part in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date | datetime) else value


def properties(kind: type) -> tuple[str, ...]:
    """Names of values that a type computes, such as the duration of a run; the JSON has them too."""
    return tuple(name for name, member in vars(kind).items() if isinstance(member, property))


def _shown(name: str, value: Any, hidden: frozenset[str]) -> Any:
    if name in hidden and not isinstance(value, list | tuple):
        return None
    return _plain(value, hidden)
