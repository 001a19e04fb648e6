"""Reads what a group may show now: its members' pointers, their open candidates, and what has passed for each day."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.publication.candidate import find_open
from data_platform.catalog.publication_table import CANDIDATE, SLICE
from data_platform.catalog.quarantine_decision import find_withdrawn
from data_platform.catalog.table import CERTIFICATION, RUN
from data_platform.catalog.waiver import find_lapsed
from data_platform.model.dataset import Stage
from data_platform.model.group_choice import Standing, choose, missing
from data_platform.model.group_waiting import Waiting
from data_platform.model.publication import GroupState
from data_platform.model.quarantine_decision import RELEASES
from data_platform.model.verdict import QUALIFYING, Outcome
from data_platform.model.waiver import WAIVERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.publication import Candidate, GroupMember, GroupRule

_AT_ONCE = 500
"""Partitions in one statement; databases limit the number of values."""
_STAGES = tuple(stage.value for stage in Stage)


def find_state(connection: Connection, rule: GroupRule, now: datetime) -> GroupState:
    urns = [member.urn for member in rule.members]
    pointers = dict.fromkeys(urns) | _pointers(connection, urns)
    opened = {urn: _standing_of(found, pointers[urn]) for urn, found in find_open(connection, urns).items()}
    days = {partition for found in opened.values() for one, _ in found for partition in one.slices}
    certified, held = _certified(connection, urns, days), _held(connection, urns, days)
    standings = [
        Standing(
            member=member,
            candidates=tuple(one for one, _ in opened[member.urn]),
            refused=dict(_refused(connection, member, [one for one, _ in opened[member.urn]], now)),
            certified=frozenset(certified[member.urn]),
            held=_held_since(held[member.urn], certified[member.urn], opened[member.urn]),
        )
        for member in rule.members
    ]
    counts = choose(standings)
    reasons = missing(standings, counts)
    chosen = {one.member.urn: one.candidates[: counts[one.member.urn]] for one in standings}
    waiting = (
        Waiting(
            group=rule.name,
            dataset_urn=candidate.dataset_urn,
            partition=candidate.partition,
            version=candidate.version,
            run_id=candidate.run_id,
            since=candidate.ready_at,
            missing=reasons[candidate.number],
        )
        for one in standings
        for candidate in one.candidates[counts[one.member.urn] :]
    )
    return GroupState(
        rule=rule, pointers=pointers, chosen={urn: own for urn, own in chosen.items() if own}, waiting=tuple(waiting)
    )


def _pointers(connection: Connection, urns: Sequence[str]) -> dict[str, int | None]:
    query = select(CERTIFICATION.c.dataset_urn, CERTIFICATION.c.version).where(CERTIFICATION.c.dataset_urn.in_(urns))
    return {row.dataset_urn: row.version for row in connection.execute(query)}


def _standing_of(found: Sequence[tuple[Candidate, int]], pointer: int | None) -> list[tuple[Candidate, int]]:
    """Without candidates that the pointer has passed: it followed gold, which was restored to older rows since."""
    return [(one, run) for one, run in found if pointer is None or not one.adds_rows or one.version > pointer]


def _refused(
    connection: Connection, member: GroupMember, candidates: Sequence[Candidate], now: datetime
) -> Iterator[tuple[int, str]]:
    for candidate in candidates:
        lapsed = find_lapsed(connection, [use["number"] for use in candidate.metadata.get(WAIVERS, ())], now)
        withdrawn = find_withdrawn(connection, candidate.metadata.get(RELEASES, ()))
        again = f"run {candidate.partition or 'it'} again"
        if candidate.path != member.path:
            yield candidate.number, f"passed in {candidate.path}, and gold is elsewhere now: {again}"
        elif candidate.judged_under != member.judged_under:
            yield candidate.number, f"passed another policy than today's: {again}"
        elif lapsed:
            yield candidate.number, f"depends on waiver {lapsed[0]}, which counts no more: {again}"
        elif withdrawn:
            yield candidate.number, f"depends on the release of quarantine.{withdrawn[0]}, which was withdrawn: {again}"


def _certified(
    connection: Connection, urns: Sequence[str], days: Collection[PartitionKey | None]
) -> dict[str, dict[PartitionKey, int]]:
    """The days that were certified for each dataset, with the key of the last run that did; 0 if none was recorded."""
    found: dict[str, dict[PartitionKey, int]] = defaultdict(dict)
    for part in _parts([day for day in days if day is not None]):
        shown = (
            select(SLICE.c.dataset_urn, SLICE.c.partition)
            .join(CANDIDATE, CANDIDATE.c.number == SLICE.c.candidate)
            .where(SLICE.c.dataset_urn.in_(urns), SLICE.c.partition.in_(part))
            .where(CANDIDATE.c.publication_id.is_not(None))
        )
        for row in connection.execute(shown):
            found[row.dataset_urn].setdefault(row.partition, 0)
        of_stage = (RUN.c.stage == Stage.CERTIFIED.value, RUN.c.outcome == Outcome.PASSED.value)
        for row in _last_runs(connection, urns, RUN.c.partition.in_(part), of_stage):
            found[row.dataset_urn][row.partition] = row.last
    return found


def _held(
    connection: Connection, urns: Sequence[str], days: Collection[PartitionKey | None]
) -> dict[str, dict[PartitionKey | None, tuple[int, str]]]:
    """The last run of each day that did not pass, with its key."""
    found: dict[str, dict[PartitionKey | None, tuple[int, str]]] = defaultdict(dict)
    failed = (RUN.c.stage.in_(_STAGES), RUN.c.outcome.not_in(QUALIFYING))
    parts = [RUN.c.partition.in_(part) for part in _parts([day for day in days if day is not None])]
    for of_days in [*parts, *([RUN.c.partition.is_(None)] if None in days else [])]:
        for row in _last_runs(connection, urns, of_days, failed):
            run_id = connection.execute(select(RUN.c.run_id).where(RUN.c.id == row.last)).scalar_one()
            found[row.dataset_urn][row.partition] = (row.last, run_id)
    return found


def _last_runs(connection: Connection, urns: Sequence[str], of_days: Any, conditions: Sequence[Any]) -> Any:
    last = select(RUN.c.dataset_urn, RUN.c.partition, func.max(RUN.c.id).label("last"))
    query = last.where(RUN.c.dataset_urn.in_(urns), of_days, *conditions)
    return connection.execute(query.group_by(RUN.c.dataset_urn, RUN.c.partition))


def _held_since(
    held: dict[PartitionKey | None, tuple[int, str]],
    certified: dict[PartitionKey, int],
    opened: Sequence[tuple[Candidate, int]],
) -> dict[PartitionKey | None, str]:
    """Days whose last result is a hold, each with its run."""
    passed: dict[PartitionKey | None, int] = {day: run for day, run in certified.items()}  # noqa: C416 - of a wider type
    for candidate, after_run in opened:
        for partition in candidate.slices:
            passed[partition] = max(after_run, passed.get(partition, -1))
    return {day: run_id for day, (key, run_id) in held.items() if key > passed.get(day, -1)}


def _parts(days: list[PartitionKey]) -> Iterator[list[PartitionKey]]:
    for start in range(0, len(days), _AT_ONCE):
        yield sorted(days)[start : start + _AT_ONCE]
