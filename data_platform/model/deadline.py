"""When data is late: the instants of ``"02:00 ET daily"`` and a grace of ``30m``, also when clocks change.

Each date has one deadline. A time that the clocks skip becomes the first instant after the jump; one that occurs twice
is the later of the two, as in Dagster's schedules. Grace is elapsed time, and no clock time: 90 minutes after 00:45 end
at 01:15 on the night on which 01:00 to 02:00 occurs twice.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from data_platform.model.partition_key import PartitionKey
from data_platform.model.wall_clock import instants

if TYPE_CHECKING:
    from data_platform.model.freshness import Deadline, Freshness
    from data_platform.model.policy import DatasetPolicy

_DAY = timedelta(days=1)
_YEAR = 366


class Timeliness(StrEnum):
    """The state of a dataset ``now``; only the last is a reason for an alert."""

    FRESH = "FRESH"
    FRESH_IN_GRACE = "FRESH_IN_GRACE"
    NOT_DUE_YET = "NOT_DUE_YET"
    PENDING_IN_GRACE = "PENDING_IN_GRACE"
    BREACHED = "BREACHED"


def due_on(deadline: Deadline, day: date) -> datetime:
    """The deadline of the local date ``day``, in UTC. It does not check whether the cadence has that date."""
    wall = datetime.combine(day, time(deadline.hour, deadline.minute))
    return instants(wall, ZoneInfo(deadline.time_zone))[-1]


def last_due_before(deadline: Deadline, moment: datetime) -> datetime:
    """The newest deadline before ``moment``, in UTC."""
    day = moment.astimezone(ZoneInfo(deadline.time_zone)).date() + _DAY
    while not (deadline.falls_on(day) and due_on(deadline, day) < moment):
        day -= _DAY
    return due_on(deadline, day)


def first_due_after(deadline: Deadline, moment: datetime) -> datetime:
    """The next deadline at ``moment`` or after it, in UTC."""
    day = moment.astimezone(ZoneInfo(deadline.time_zone)).date() - _DAY
    while not (deadline.falls_on(day) and due_on(deadline, day) >= moment):
        day += _DAY
    return due_on(deadline, day)


def due_of(freshness: Freshness, partition: PartitionKey, time_zone: str) -> datetime | None:
    """The deadline of ``partition`` of a dataset in ``time_zone``, in UTC; None if the partition has no data.

    A partition is complete when it has ended in the dataset's zone; it is due at the first deadline after that. On
    weekdays Friday, Saturday and Sunday are due on Monday. All days of a month are due at the first monthly deadline
    after the end of the month.
    """
    if not freshness.expects(partition.value) or partition.starts_at(time_zone) == partition.ends_at(time_zone):
        return None
    last = _last_of_month(partition) if freshness.deadline.rhythm.is_monthly else partition
    return first_due_after(freshness.deadline, last.ends_at(time_zone))


def missed_deadline(freshness: Freshness, updated: datetime | None, now: datetime) -> datetime | None:
    """The first deadline that a dataset without partitions missed, in UTC; None if it is in time.

    Each deadline wants a version that was certified since the deadline before it. Deadlines on days without data do not
    count. A dataset that was never updated has missed the newest one.
    """
    newest = _before(freshness, now - freshness.grace + timedelta.resolution)
    if newest is None or updated is None:
        return newest
    previous = _before(freshness, newest)
    if previous is None or updated > previous:
        return None
    met = _after(freshness, updated)
    return _after(freshness, met + timedelta.resolution)


def _before(freshness: Freshness, moment: datetime) -> datetime | None:
    """The last deadline before ``moment`` on a day with data; None if there is none within a year."""
    for _ in range(_YEAR):
        moment = last_due_before(freshness.deadline, moment)
        if _counts(freshness, moment):
            return moment
    return None


def _after(freshness: Freshness, moment: datetime) -> datetime:
    """The next deadline at ``moment`` or after it on a day with data. There is one after ``moment``."""
    due = first_due_after(freshness.deadline, moment)
    while not _counts(freshness, due):
        due = first_due_after(freshness.deadline, due + timedelta.resolution)
    return due


def _counts(freshness: Freshness, due: datetime) -> bool:
    return freshness.expects(due.astimezone(ZoneInfo(freshness.deadline.time_zone)).date())


def late_after(policy: DatasetPolicy, partition: PartitionKey) -> datetime | None:
    """The time, in UTC, from which a missing ``partition`` of a dataset is late: its deadline, with the grace.

    None if the dataset has no deadline, or if the partition has no data.
    """
    freshness = policy.slo.freshness
    due = due_of(freshness, partition, policy.zone) if freshness else None
    return None if freshness is None or due is None else due + freshness.grace


def _last_of_month(partition: PartitionKey) -> PartitionKey:
    day = partition.value
    return PartitionKey.of_value(day.replace(day=monthrange(day.year, day.month)[1]))


def judge_timeliness(freshness: Freshness, last_update: datetime | None, now: datetime) -> Timeliness:
    """Whether a dataset with the last update ``last_update``, or None if there was none, is on time ``now``.

    Raises:
        ValueError: A time has no offset, so its instant is unknown.
    """
    if now.tzinfo is None or (last_update is not None and last_update.tzinfo is None):
        raise ValueError("a time without an offset is no instant: give it in UTC, or with its zone")
    deadline, grace = freshness.deadline, freshness.grace
    due = last_due_before(deadline, now)
    missed_if_before = last_due_before(deadline, last_due_before(deadline, now - grace))
    if last_update is None or last_update <= missed_if_before:
        return Timeliness.BREACHED
    if last_update <= last_due_before(deadline, due):
        return Timeliness.PENDING_IN_GRACE
    if last_update > due:
        return Timeliness.FRESH_IN_GRACE if last_update <= due + grace else Timeliness.FRESH
    zone = ZoneInfo(deadline.time_zone)
    is_same_day = due.astimezone(zone).date() == now.astimezone(zone).date()
    return Timeliness.FRESH if is_same_day else Timeliness.NOT_DUE_YET
