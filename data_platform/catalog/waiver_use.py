"""What waivers let through: the versions that depend on them, and the days on which a gate was waived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.run import find_last_signatures
from data_platform.catalog.table import RUN, VERDICT
from data_platform.catalog.waiver_table import WAIVER
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Outcome
from data_platform.model.waiver import WAIVERS, covers_day, distinct_uses
from data_platform.model.waiver_effect import WaiverEffect

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.waiver import Waiver


def find_uses(connection: Connection, urn: str, version: int, waiver: Waiver | None = None) -> list[dict[str, Any]]:
    """The waivers on which slices of gold's ``version`` depend, one use of each, by their numbers.

    Only a dataset that has a waiver has its runs read, which are as many as its days; with ``waiver`` only its days.
    """
    if waiver is None and not _has_waiver(connection, urn):
        return []
    known = [RUN.c.dataset_urn == urn, RUN.c.stage.in_([Stage.GOLD.value, Stage.CERTIFIED.value])]
    known += [] if waiver is None else [_is_of_days(waiver)]
    last = select(func.max(RUN.c.id)).where(*known, RUN.c.version <= version).group_by(RUN.c.stage, RUN.c.partition)
    rows = connection.execute(select(RUN.c.partition, RUN.c.metadata).where(RUN.c.id.in_(last)))
    return distinct_uses(use for row in rows for use in row.metadata.get(WAIVERS, ()) if covers_day(use, row.partition))


def find_effect(connection: Connection, waiver: Waiver, version: int | None, most_days: int) -> WaiverEffect:
    """``version`` is the one of gold that consumers see; None without one."""
    uses = [] if version is None else find_uses(connection, waiver.dataset_urn, version, waiver)
    return WaiverEffect(
        is_used=any(use["number"] == waiver.number for use in uses),
        days=find_waived_days(connection, waiver, most_days),
        is_broken=waiver.signature in find_last_signatures(connection, waiver.dataset_urn, waiver.first),
    )


def find_waived_days(connection: Connection, waiver: Waiver, limit: int) -> tuple[PartitionKey, ...]:
    """The newest days of the waiver on which its gate was waived in the last run of a stage, newest first."""
    if waiver.first is None:
        return ()
    of_days = (RUN.c.dataset_urn == waiver.dataset_urn, _is_of_days(waiver))
    last = select(func.max(RUN.c.id)).where(*of_days).group_by(RUN.c.stage, RUN.c.partition)
    waived = (VERDICT.c.gate == waiver.gate.value, VERDICT.c.outcome == Outcome.WAIVED.value)
    query = select(RUN.c.partition).join(VERDICT, VERDICT.c.run == RUN.c.id).where(RUN.c.id.in_(last), *waived)
    return tuple(connection.execute(query.distinct().order_by(RUN.c.partition.desc()).limit(limit)).scalars())


def _has_waiver(connection: Connection, urn: str) -> bool:
    return connection.execute(select(WAIVER.c.number).where(WAIVER.c.dataset_urn == urn).limit(1)).first() is not None


def _is_of_days(waiver: Waiver) -> ColumnElement[bool]:
    if waiver.first is None:
        return RUN.c.partition.is_(None)
    return RUN.c.partition.between(waiver.first, waiver.last)
