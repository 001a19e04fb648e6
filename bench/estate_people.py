"""What people work on in a large catalog: incidents with their signals, batches in quarantine, and waivers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from catalog_query import put
from freshness import DAY, NOW
from sqlalchemy import select

from data_platform.catalog.incident_table import INCIDENT, INCIDENT_EVENT, SIGNAL
from data_platform.catalog.quarantine_table import QUARANTINE
from data_platform.catalog.table import RUN
from data_platform.catalog.waiver_table import WAIVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.catalog import Catalog

INCIDENTS, OPEN_INCIDENTS, BATCHES, OPEN_BATCHES, WAIVERS = 20_000, 300, 20_000, 2_000, 1_000
BROKEN = "INVARIANT:total:positive"


def add_people(catalog: Catalog, names: Sequence[str]) -> None:
    put(catalog, INCIDENT, (_incident(number, names) for number in range(1, INCIDENTS + 1)))
    put(catalog, SIGNAL, (_signal(number, names) for number in range(1, INCIDENTS + 1)))
    put(catalog, INCIDENT_EVENT, _events())
    put(catalog, QUARANTINE, _batches(catalog))
    put(catalog, WAIVER, (_waiver(number, names) for number in range(1, WAIVERS + 1)))


def _about(number: int, names: Sequence[str]) -> dict[str, Any]:
    back = (INCIDENTS - number) // 100
    return {
        "dataset_urn": f"ds://bank/{names[number * 37 % len(names)]}", "partition": DAY.shifted(-back),
        "signature": BROKEN, "severity": "CRITICAL", "occurred_at": NOW - timedelta(days=back, hours=2),
    }  # fmt: skip


def _incident(number: int, names: Sequence[str]) -> dict[str, Any]:
    about, is_open = _about(number, names), number > INCIDENTS - OPEN_INCIDENTS
    opened = about["occurred_at"] + timedelta(minutes=5)
    ended = {
        "acknowledged_at": opened, "acknowledged_by": "ops", "resolved_at": opened + timedelta(hours=1),
        "resolved_by": "ops", "resolution": "FIXED",
    }  # fmt: skip
    return {
        **about, "number": number, "state": "OPEN" if is_open else "RESOLVED", "title": f"rule {number} is broken",
        "owner_team": f"team{number % 50}", "tier": f"TIER_{number % 3 + 1}", "opened_at": opened,
        "blast_radius": {"affected": [], "total": 0, "owners": []},
        **(dict.fromkeys(ended) if is_open else ended),
    }  # fmt: skip


def _signal(number: int, names: Sequence[str]) -> dict[str, Any]:
    about, is_open = _about(number, names), number > INCIDENTS - OPEN_INCIDENTS
    seen = about["occurred_at"] + timedelta(minutes=5)
    return {
        **about, "number": number, "digest": f"{number:064}", "ended": 0 if is_open else number, "kind": "CONTRACT",
        "reason": "a row in a hundred is negative", "upstream": [], "details": {}, "first_seen_at": seen,
        "last_seen_at": seen, "cleared_at": None if is_open else seen + timedelta(hours=1), "incident": number,
    }  # fmt: skip


def _events() -> Iterator[dict[str, Any]]:
    for what in ("OPENED", "ACKNOWLEDGED"):
        for number in range(1, INCIDENTS + 1):
            yield {"incident": number, "what": what, "actor": "ops", "changed_at": NOW, "text": "a comment"}


def _batches(catalog: Catalog) -> Iterator[dict[str, Any]]:
    """Of the oldest runs of silver; most are closed."""
    query = select(RUN.c.id, RUN.c.dataset_urn, RUN.c.partition, RUN.c.run_id, RUN.c.started_at)
    query = query.where(RUN.c.stage == "silver").order_by(RUN.c.id).limit(BATCHES)
    with catalog._database.reading() as connection:
        rows = connection.execute(query).all()
    for place, row in enumerate(rows):
        is_open = place >= len(rows) - OPEN_BATCHES
        yield {
            "name": f"q_{row.id}", "run": row.id, "path": "q", "dataset_urn": row.dataset_urn, "stage": "silver",
            "partition": row.partition, "run_id": row.run_id, "level": "row", "row_count": 10,
            "resolved_rows": 0 if is_open else 10, "signatures": {BROKEN: 10}, "delivery_id": "d",
            "created_at": row.started_at, "status": "OPEN" if is_open else "RESOLVED",
        }  # fmt: skip


def _waiver(number: int, names: Sequence[str]) -> dict[str, Any]:
    is_pending = number % 20 == 0
    return {
        "dataset_urn": f"ds://bank/{names[number * 7 % len(names)]}", "gate": "G4_CONTRACT", "signature": BROKEN,
        "first": DAY.shifted(-30), "last": DAY, "reason": "the source is fixed tomorrow", "author": "ana",
        "requested_at": NOW, "expires_at": NOW + timedelta(days=number % 9 - 4, hours=1),
        "status": "PENDING" if is_pending else "APPROVED", "approver": None if is_pending else "bo",
        "approved_at": None if is_pending else NOW,
    }  # fmt: skip
