"""Reads the evidence log; database triggers refuse to change or delete a row, and ``chain`` adds rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, select, tuple_, type_coerce

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.evidence.newest import find_newest
from data_platform.catalog.evidence_table import EVIDENCE, EVIDENCE_HEAD
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_chain import EvidenceRecord
from data_platform.model.page import Page

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection, RowMapping

UNCHAINED = "unchained-"
"""Begins the id of a record from before there were chains; its row's key follows."""
FIELDS = [name for name in EVIDENCE.columns.keys() if name not in ("id", "position", "previous_mac", "mac", "key_id")]  # noqa: SIM118
_EVIDENCE = select(EVIDENCE.c.id, *(EVIDENCE.c[name] for name in FIELDS))
_LINK = ("position", "previous_mac", "mac", "key_id")
_AS_STORED = {name: type_coerce(EVIDENCE.c[name], Text).label(name) for name in ("timestamp", "partition")}
_COLUMNS = [_AS_STORED.get(column.name, column) for column in EVIDENCE.columns]
_BATCH = 1_000


def find_evidence(connection: Connection, filters: Mapping[str, str | None], limit: int) -> tuple[Evidence, ...]:
    """Newest first. ``filters`` maps columns to values; None matches any value."""
    return tuple(_evidence(row, row["timestamp"]) for row in find_newest(connection, FIELDS, filters, limit))


def find_page(
    connection: Connection, filters: Mapping[str, str | None], limit: int, cursor: str | None
) -> Page[Evidence]:
    """Newest first.

    Raises:
        InputError: The cursor is not of this listing.
    """
    after = decode(cursor, int)
    rows = find_newest(connection, FIELDS, filters, page_size(limit) + 1, before=after[0] if after else None)
    shown = tuple(_evidence(row, row["timestamp"]) for row in rows[:limit])
    return Page(shown, encode(rows[limit - 1]["id"]) if len(rows) > limit else None)


def find_after(connection: Connection, row_id: int, limit: int) -> tuple[tuple[int, Evidence], ...]:
    """Records after the row ``row_id`` with their keys, oldest first."""
    query = _EVIDENCE.where(EVIDENCE.c.id > row_id).order_by(EVIDENCE.c.id).limit(limit)
    return tuple((row["id"], _evidence(row, row["timestamp"])) for row in connection.execute(query).mappings())


def find_record(connection: Connection, evidence_id: str) -> EvidenceRecord | None:
    """Raises: ValueError, if the row has a value that this code never writes."""
    number = evidence_id.removeprefix(UNCHAINED)
    by_row = number != evidence_id and number.isascii() and number.isdigit()
    wanted = EVIDENCE.c.id == int(number) if by_row else EVIDENCE.c.evidence_id == evidence_id
    row = connection.execute(select(*_COLUMNS).where(wanted)).mappings().first()
    return None if row is None else record_of(row)


def find_ids(connection: Connection, urn: str, positions: Collection[int]) -> dict[int, str]:
    """The ids of the records at these positions of a chain."""
    wanted = (EVIDENCE.c.dataset_urn == urn, EVIDENCE.c.position.in_(positions))
    rows = connection.execute(select(EVIDENCE.c.position, EVIDENCE.c.evidence_id).where(*wanted))
    return {row.position: row.evidence_id for row in rows if row.evidence_id}


def chained_rows(
    connection: Connection, urn: str | None, *, after: tuple[int, int] | None = None, beyond: str | None = None
) -> Iterator[RowMapping]:
    """Rows as they are stored, chain by chain, each in the order of positions; ``record_of`` reads one.

    ``after`` are the position and the key of a row behind which to begin, and ``beyond`` is the URN of a chain.
    """
    wanted: list[ColumnElement[bool]] = [EVIDENCE.c.position.is_not(None)]
    if urn is not None:
        wanted.append(EVIDENCE.c.dataset_urn == urn)
    if after is not None:
        wanted.append(tuple_(EVIDENCE.c.position, EVIDENCE.c.id) > after)
    if beyond is not None:
        wanted.append(EVIDENCE.c.dataset_urn > beyond)
    return _rows(connection, wanted, (EVIDENCE.c.dataset_urn, EVIDENCE.c.position, EVIDENCE.c.id))


def chains_without_rows(connection: Connection, urns: Collection[str]) -> list[str]:
    """Those of ``urns`` of which the log has no record that is in a chain, sorted."""
    rows_of_head = select(EVIDENCE.c.id).where(
        EVIDENCE.c.dataset_urn == EVIDENCE_HEAD.c.dataset_urn, EVIDENCE.c.position.is_not(None)
    )
    heads = connection.execute(select(EVIDENCE_HEAD.c.dataset_urn, rows_of_head.exists().label("has_rows"))).all()
    has_rows = {row.dataset_urn: bool(row.has_rows) for row in heads}
    return sorted(urn for urn in urns if not has_rows.get(urn) and (urn in has_rows or not _has_rows(connection, urn)))


def _has_rows(connection: Connection, urn: str) -> bool:
    of_chain = (EVIDENCE.c.dataset_urn == urn, EVIDENCE.c.position.is_not(None))
    return connection.execute(select(EVIDENCE.c.id).where(*of_chain).limit(1)).first() is not None


def unchained_rows(connection: Connection) -> Iterator[RowMapping]:
    return _rows(connection, [EVIDENCE.c.position.is_(None)], (EVIDENCE.c.id,))


def _rows(
    connection: Connection, conditions: list[ColumnElement[bool]], order: tuple[ColumnElement[Any], ...]
) -> Iterator[RowMapping]:
    query = select(*_COLUMNS).where(*conditions).order_by(*order).execution_options(yield_per=_BATCH)
    with connection.execute(query) as rows:
        yield from rows.mappings()


def record_of(row: RowMapping) -> EvidenceRecord:
    """Raises: ValueError, if the row has a value that this code never writes."""
    moment = row["timestamp"]
    if not isinstance(moment, datetime):
        moment = datetime.fromisoformat(str(moment))
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if not isinstance(row["position"], int | None):
        raise ValueError("the position is no number")
    return EvidenceRecord(id=row["id"], evidence=_evidence(row, moment), **{name: row[name] for name in _LINK})


def _evidence(row: RowMapping, moment: datetime) -> Evidence:
    evidence_id = row["evidence_id"] or f"{UNCHAINED}{row['id']}"
    return Evidence(**{**{name: row[name] for name in FIELDS}, "timestamp": moment, "evidence_id": evidence_id})
