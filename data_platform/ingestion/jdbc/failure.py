"""What a database's error means, by its SQLSTATE. The text of the error is never shown, since it may quote values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import EnvironmentProblem, PolicyError, SourceError, SourceUnavailableError
from data_platform.sql.refusal import java_causes

if TYPE_CHECKING:
    from data_platform.errors import DataPlatformError

_ANY = ""
_UNAVAILABLE = {
    "08": "did not answer, or ended the connection; look whether it is up and can be reached from here",
    "53": "has no room for another connection, or no memory or disk; run again later, or lower source.split.parts",
    "57": "was shut down or restarted while it was read",
    "57014": "cancelled the read: a statement took longer than source.time_limit_minutes, or somebody cancelled it",
    "55P03": "did not get a lock on the table in time: another session holds it, such as an ALTER TABLE",
    "40": "ended the transaction because of another one",
}
_REFUSED = {
    "28": "refused the user or its password; check source.user, and the place that source.password names",
    "3D": "has no such database; check source.url",
    "42P01": "has no such table, or this user cannot see it; check source.table or source.query",
    "42S02": "has no such table, or this user cannot see it; check source.table or source.query",
    "42704": "has no such table, or this user cannot see it; check source.table or source.query",
    "42X05": "has no such table, or this user cannot see it; check source.table or source.query",
    "42501": "does not let this user read the table; have SELECT granted to it",
    "42703": "has no column of a name that the policy uses; check source.watermark, source.split and source.query",
    "42X04": "has no column of a name that the policy uses; check source.watermark, source.split and source.query",
    "3F": "has no such schema; check source.table or source.query",
    "22": "cannot compute a value of source.query for every row; write the query so that it can",
    _ANY: "refused the read; try source.query or source.table in a client of the database",
}
_NO_DRIVER = ("ClassNotFoundException", "NoClassDefFoundError")


def failure_of(error: Exception, place: str, lost_snapshot: frozenset[str] = frozenset()) -> DataPlatformError | None:
    """Our error for the error of a database in the causes of ``error``; None if no database is the cause.

    ``lost_snapshot`` are the states of a connection that does not find the snapshot that it is to read.
    """
    for java in java_causes(error):
        if java.getClass().getSimpleName() in _NO_DRIVER:
            return EnvironmentProblem(
                f"the JDBC driver of {place} is not on Spark's class path: name its class and its package or jar in "
                "source.driver"
            )
        if (state := _sql_state(java)) is not None:
            if state in lost_snapshot:
                return lost_connection(place)
            return _error(state, place)
    return None


def lost_connection(place: str) -> SourceUnavailableError:
    return SourceUnavailableError(
        f"{place} ended the connection that kept the snapshot of the read. Nothing was written; a rerun may help"
    )


def _error(state: str, place: str) -> DataPlatformError:
    shown = f" (SQLSTATE {state})" if state else ""
    if state == "25006":
        return PolicyError(f"{place}: source.query writes{shown}, and only reads are allowed; remove what writes")
    if text := _longest(_UNAVAILABLE, state):
        return _unavailable(f"{place} {text}", state)
    return SourceError(f"{place} {_longest(_REFUSED, state) or _REFUSED[_ANY]}{shown}")


def _unavailable(text: str, state: str) -> SourceUnavailableError:
    return SourceUnavailableError(f"{text} (SQLSTATE {state}). Nothing was written; a rerun may help")


def _longest(texts: dict[str, str], state: str) -> str:
    """The text of the longest prefix of ``state``; a class of states has two characters."""
    return texts.get(state) or texts.get(state[:2] or "-", "")


def _sql_state(java: Any) -> str | None:
    """The state of a SQLException, empty if it has none; None for other exceptions."""
    from py4j.protocol import Py4JError

    try:
        return str(java.getSQLState() or "")
    except Py4JError:  # no SQLException; Spark's own have a state too, but of Spark's
        return None
