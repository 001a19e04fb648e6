"""Reads what the pages of quarantine show."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.api.quarantine import entry_named
from data_platform.api.service import service_of
from data_platform.api.team import team_of
from data_platform.model.dataset import Stage
from data_platform.model.incident import ACTIVE_STATES
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_card import STALE_AFTER, card_of
from data_platform.model.quarantine_filter import QuarantineFilter
from data_platform.portal.access import PAGES
from data_platform.portal.portal import portal_of
from data_platform.portal.quarantine_view import BatchFacts, BatchRef, QuarantineList, batch_ref
from data_platform.portal.team import may_act

if TYPE_CHECKING:
    from starlette.requests import Request

    from data_platform.catalog import Catalog
    from data_platform.model.incident import Incident
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow

PAGE_ROWS = 50
MOST_OTHERS = 20


def read_list(
    request: Request,
    *,
    dataset: str | None,
    partition: PartitionKey | None,
    state: QuarantineStatus | None,
    owner: str | None,
    older_than_days: int,
    is_oldest_first: bool,
    cursor: str | None,
) -> QuarantineList:
    """Raises: InputError, for a cursor that is none of this list."""
    service = service_of(request)
    quarantine, now = service.catalog.quarantine, service.now()
    wanted = QuarantineFilter(
        dataset_urn=dataset,
        partition=partition,
        status=state,
        owner=owner,
        created_before=now - timedelta(days=older_than_days) if older_than_days else None,
    )
    found = quarantine.page(wanted, oldest_first=is_oldest_first, cursor=cursor, limit=PAGE_ROWS)
    owners = quarantine.owners(stale_before=now - STALE_AFTER)
    return QuarantineList(
        dataset=dataset,
        partition=None if partition is None else str(partition),
        state=state,
        states=tuple(QuarantineStatus),
        owner=owner,
        older_than_days=older_than_days,
        is_oldest_first=is_oldest_first,
        owners=owners,
        batches=sum(one.batches for one in owners),
        stale=sum(one.stale for one in owners),
        open_rows=sum(one.rows for one in owners),
        cards=tuple(card_of(one.entry, one.team, now) for one in found.items),
        cursor=found.cursor,
    )


def read_batch(request: Request, name: str) -> BatchFacts:
    """Raises: NotFoundError, if there is no quarantine table ``name``."""
    service = service_of(request)
    catalog, entry = service.catalog, entry_named(service, name)
    urn = entry.dataset_urn
    line = portal_of(request).overviews.current().by_urn.get(urn)
    run = catalog.runs.get(entry.run_id, urn, entry.stage)
    open_ones = QuarantineFilter(dataset_urn=urn, status=QuarantineStatus.OPEN)
    others = catalog.quarantine.page(open_ones, limit=MOST_OTHERS + 1).items
    return BatchFacts(
        entry=entry,
        team=team_of(catalog, urn) or "",
        time_zone=line.time_zone if line else "UTC",
        now=service.now(),
        decisions=catalog.quarantine.decisions(name),
        actions=catalog.quarantine.actions(name),
        samples=run.metadata.get("samples", ()) if run else (),
        last_run=_last_run(catalog, urn, entry.partition),
        lease=catalog.leases.get(urn),
        scheduler=catalog.scheduler.state(),
        incidents=_incidents(catalog, urn, entry.partition),
        others=tuple(one.entry for one in others if one.entry.name != name)[:MOST_OTHERS],
        may_act=may_act(request, "POST /quarantine/{name}/discard", urn),
        may_approve=may_act(request, "POST /quarantine/{name}/release/approve", urn),
        caller=request.state.caller.name,
    )


def _last_run(catalog: Catalog, urn: str, partition: PartitionKey | None) -> RunRow | None:
    """Of any stage: a replay ends where a gate holds the day."""
    found = [run for stage in Stage if (run := catalog.runs.latest(urn, stage, partition)) is not None]
    return max(found, key=lambda run: run.started_at, default=None)


def _incidents(catalog: Catalog, urn: str, partition: PartitionKey | None) -> tuple[Incident, ...]:
    """The active ones that began at this dataset and day."""
    active = catalog.incidents.find(urn, states=ACTIVE_STATES).items
    return tuple(one for one in active if (one.dataset, one.partition) == (urn, partition))


def open_batches(request: Request, urn: str, partition: PartitionKey | None) -> tuple[BatchRef, ...]:
    """The open batches of a dataset, of one day if there is one; none for people who may not open their pages."""
    if request.state.caller.role not in PAGES["GET /quarantine"]:
        return ()
    wanted = QuarantineFilter(dataset_urn=urn, partition=partition, status=QuarantineStatus.OPEN)
    found = service_of(request).catalog.quarantine.page(wanted, limit=MOST_OTHERS)
    return tuple(batch_ref(one.entry) for one in found.items)
