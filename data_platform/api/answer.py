"""The catalog's values as JSON, without what the caller may not see.

Sensitive is what tells of the inside of a run or names a person: error messages, logs, facets, SQL, physical places,
mail addresses. A consumer gets null in its place, so that a missing value and a hidden one have one shape.
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
"""Fields by their name. ``path`` as text is a place; as a list it is a way through the graph, and is shown."""


def answer(value: Any, caller: AccessToken, status: int = 200) -> JSONResponse:
    return JSONResponse(visible(value, caller), status)


def visible(value: Any, caller: AccessToken) -> Any:
    """What ``caller`` may see of it: the one place where that is decided."""
    return _plain(value, hidden=SENSITIVE if caller.role is Role.DATA_CONSUMER else frozenset())


def _plain(value: Any, hidden: frozenset[str]) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        told = {f.name: getattr(value, f.name) for f in fields(value)}
        told |= {name: getattr(value, name) for name in properties(type(value))}
        return {name: _shown(name, part, hidden) for name, part in told.items()}
    if isinstance(value, dict):
        return {str(name): _shown(str(name), part, hidden) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part, hidden) for part in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date | datetime) else value


def properties(kind: type) -> tuple[str, ...]:
    """Values that a type computes, such as the length of a run; they are answered too."""
    return tuple(name for name, member in vars(kind).items() if isinstance(member, property))


def _shown(name: str, value: Any, hidden: frozenset[str]) -> Any:
    if name in hidden and not isinstance(value, list | tuple):
        return None
    return _plain(value, hidden)
