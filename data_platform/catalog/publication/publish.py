"""Moves the pointers of a group in the caller's write transaction: each by compare and set, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from data_platform.catalog import certification as pointer
from data_platform.catalog.lineage.event_store import record_events
from data_platform.catalog.publication.candidate import close
from data_platform.catalog.publication.state import find_state
from data_platform.catalog.publication_table import CANDIDATE, PUBLICATION, PUBLICATION_MEMBER
from data_platform.catalog.record import record_certified
from data_platform.catalog.table import CERTIFICATION_HISTORY, RUN
from data_platform.catalog.waiver import refuse_lapsed
from data_platform.errors import ConflictError
from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.evidence.chain import EvidenceChain
    from data_platform.model.publication import Candidate, GroupState, Publication


def publish(
    connection: Connection, chain: EvidenceChain, publication: Publication, state: GroupState, *, outbox: bool
) -> None:
    """``state`` is what ``publication`` was made of.

    Raises:
        ConflictError: What the group may show has changed since, or a waiver is not approved any more.
    """
    if find_state(connection, state.rule, publication.at).decision != state.decision:
        raise ConflictError(
            f"publish group {publication.group}: a member changed while its publication was prepared, so no member of "
            "it was published; run again"
        )
    connection.execute(
        insert(PUBLICATION).values(
            id=publication.id, group_name=publication.group, run_id=publication.run_id, published_at=publication.at
        )
    )
    for member in publication.members:
        refuse_lapsed(connection, member.waivers, publication.at)
    pointer.advance_all(connection, [(one.certification, one.expected) for one in publication.members])
    record_certified(connection, [report for member in publication.members for report in member.reports])
    _add_members(connection, publication)
    _close(connection, publication, list(state.chosen.values()))
    chain.append(connection, [item for member in publication.members for item in member.evidence])
    events = [event for member in publication.members for event in member.events]
    record_events(connection, events, outbox=outbox, now=publication.at)


def _add_members(connection: Connection, publication: Publication) -> None:
    """Links each member to the line of the history that its pointer has just got."""
    history, urns = CERTIFICATION_HISTORY, [one.certification.dataset_urn for one in publication.members]
    last = select(history.c.dataset_urn, func.max(history.c.id)).where(history.c.dataset_urn.in_(urns))
    lines = {urn: number for urn, number in connection.execute(last.group_by(history.c.dataset_urn))}  # noqa: C416
    rows = [
        {
            "publication_id": publication.id,
            "dataset_urn": one.certification.dataset_urn,
            "version": one.certification.version,
            "previous_version": one.expected,
            "history": lines[one.certification.dataset_urn],
        }
        for one in publication.members
    ]
    connection.execute(insert(PUBLICATION_MEMBER), rows)


def _close(connection: Connection, publication: Publication, chosen: Sequence[Sequence[Candidate]]) -> None:
    """The last candidate of each partition of a member is published, and supersedes earlier ones of it."""
    last = {(one.dataset_urn, one.partition): one.number for candidates in chosen for one in candidates}
    published = set(last.values())
    earlier = [one.number for candidates in chosen for one in candidates if one.number not in published]
    close(connection, sorted(published), "PUBLISHED", now=publication.at, publication=publication.id)
    if earlier:
        close(connection, earlier, "SUPERSEDED", now=publication.at, publication=publication.id)


def find_unreported(connection: Connection, limit: int) -> tuple[str, ...]:
    """Ids of publications that Dagster has not received yet, oldest first."""
    query = select(PUBLICATION.c.id).where(PUBLICATION.c.reported_at.is_(None))
    return tuple(connection.execute(query.order_by(PUBLICATION.c.published_at).limit(limit)).scalars())


def find_runs(connection: Connection, publication: str) -> tuple[tuple[str, str], ...]:
    """The URN and the run of each partition that a publication showed."""
    query = (
        select(CANDIDATE.c.dataset_urn, CANDIDATE.c.run_id)
        .join(
            RUN,
            (RUN.c.run_id == CANDIDATE.c.run_id)
            & (RUN.c.dataset_urn == CANDIDATE.c.dataset_urn)
            & (RUN.c.stage == Stage.CERTIFIED.value),
        )
        .where(CANDIDATE.c.publication_id == publication, CANDIDATE.c.state == "PUBLISHED")
    )
    return tuple((row.dataset_urn, row.run_id) for row in connection.execute(query.order_by(CANDIDATE.c.number)))


def mark_reported(connection: Connection, publication: str, now: datetime) -> None:
    mine = (PUBLICATION.c.id == publication, PUBLICATION.c.reported_at.is_(None))
    connection.execute(update(PUBLICATION).where(*mine).values(reported_at=now))
