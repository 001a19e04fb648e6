"""Where the rows of a new dataset are if they are in a table: of a database, by URL and name, or of Delta Lake."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from data_platform.errors import UsageError
from data_platform.model.jdbc_source import JdbcSource
from data_platform.onboarding.place import Place
from data_platform.sql.source_query import source_table_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

URL = "jdbc:"
_NOTES = ("each run reads the whole table; add rows: changes or day with a watermark if it is large",)


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """The table to onboard, and where the password of ``user`` is: the name of a variable, or the path of a file."""

    table: str = ""
    user: str = ""
    password_from: str = ""

    @property
    def options(self) -> str:
        """The same as options of the command."""
        named = {"table": self.table, "user": self.user, "password-from": self.password_from}
        return " ".join(f"--{name} {value}" for name, value in named.items() if value)


def is_delta(landing: Path, named: str) -> bool:
    """Whether ``named`` is a Delta table; a URI of another file system can be nothing else."""
    if named.startswith("ds://"):
        return False
    return "://" in named or any((place / "_delta_log").is_dir() for place in (Path(named), landing / named))


def find_delta_place(landing: Path, named: str) -> Place:
    """A URI stays as it is; a folder below the landing root is named within it, any other by its absolute path."""
    path = named
    if "://" not in named:
        found = next(one.resolve() for one in (Path(named), landing / named) if (one / "_delta_log").is_dir())
        root = landing.resolve()
        path = found.relative_to(root).as_posix() if root in found.parents else str(found)
    return Place({"format": "delta", "path": path}, notes=_NOTES)


def find_table_place(url: str, request: TableRequest) -> Place:
    """Raises: UsageError, if the URL or the table is not one, or a password is in the URL."""
    if not request.table:
        raise UsageError("which table of the database? Name it with --table, such as --table public.orders")
    if problem := source_table_problem(request.table, "postgres"):
        raise UsageError(f"--table {request.table!r} {problem}")
    source: dict[str, Any] = {"format": "jdbc", "url": url}
    if request.user:
        source["user"] = request.user
    if password := _password(request):
        source["password"] = password
    source["table"] = request.table
    try:
        JdbcSource.model_validate(source)
    except ValidationError as error:
        raise UsageError("; ".join(_text(one) for one in error.errors(include_url=False))) from None
    return Place(source, notes=_NOTES)


def _password(request: TableRequest) -> dict[str, str]:
    place = request.password_from
    if not place:
        return {}
    return {"file": str(Path(place).absolute())} if "/" in place else {"env": place}


def _text(error: Mapping[str, Any]) -> str:
    """The problem without the value, which may be a password."""
    key = ".".join(str(part) for part in error["loc"])
    reason = error.get("ctx", {}).get("error") or error["msg"]
    return f"{key}: {reason}" if key else str(reason)
