"""Judges the row count of a delivery by the deliveries before it.

From 60 deliveries on the seasonal rule judges, from 7 on the rolling one, unless the policy names a rule. Only earlier
partitions count, each with the rows of its last run that passed, so a run that is repeated judges as the first one did,
and a late day is judged by the days before it.

Some series are too irregular: no threshold would find most drops without many false alerts. Such a dataset is not
monitorable, and its unusual row counts are no warning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.volume.backtest import SEASONAL_FROM, backtest, floor_of, judge_history
from data_platform.gates.volume.rolling import DELIVERIES, RollingRule
from data_platform.model.holiday import holidays_of
from data_platform.model.volume import DeliveredRows, VolumeRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.policy import Volume
    from data_platform.model.volume import UsualRows

NEWEST = 800
"""So many deliveries before a partition are read: two years, so that each holiday was seen twice."""

CONFIRMED_AMONG = 10
"""A row count that people expected is a level among so many deliveries; after them the rules know it by themselves."""


@dataclass(frozen=True)
class VolumeJudgement:
    """What ``rule`` found usual. ``monitorable`` is False if the dataset is so irregular that nothing is reported.

    ``unit`` is what was counted; numbers of another unit are in the fields for rows.
    """

    rule: VolumeRule
    rows: int
    usual: UsualRows
    deliveries: int
    monitorable: bool = True
    unit: str = "rows"

    @property
    def is_unusual(self) -> bool:
        return not self.usual.includes(self.rows)

    @property
    def document(self) -> dict[str, Any]:
        """For the verdict's metadata: what was expected, in rows, and by which rule."""
        return {
            "rule": self.rule.value,
            "expected": round(self.usual.rows),
            "low": max(round(self.usual.low), 0),
            "high": round(self.usual.high),
            "deliveries": self.deliveries,
            "monitorable": self.monitorable,
        }

    @property
    def reason(self) -> str:
        """``661 rows, 34 % fewer than the 999 expected by 331 deliveries before it; usual are 747 to 1,336``."""
        expected = self.usual.rows
        share = abs(self.rows - expected) / expected * 100 if expected > 0 else 0
        than = f"{share:.0f} % {'fewer' if self.rows < expected else 'more'} than the" if share else "and not the"
        return (
            f"{self.rows:,} {self.unit}, {than} {expected:,.0f} expected by the {self.deliveries} deliveries before;"
            f" usual are {max(self.usual.low, 0):,.0f} to {self.usual.high:,.0f}"
        )


def judge_rows(
    rows: int, partition: PartitionKey, before: Sequence[DeliveredRows], volume: Volume, *, unit: str = "rows"
) -> VolumeJudgement | None:
    """``before`` is in the order of partitions. None if the rule has too few deliveries to judge by.

    Another number of a delivery, such as its bytes, is judged alike, and is named as its ``unit``. An
    unusual number that fits the level of a recent one that people expected is usual.

    Raises:
        ValueError: No country or market has the code of the policy's calendar.
    """
    found = _judge(rows, partition, before, volume, unit)
    if found is None or not found.is_unusual:
        return found
    for place in range(len(before) - 1, max(len(before) - 1 - CONFIRMED_AMONG, -1), -1):
        if before[place].is_expected:
            at_level = _judge(rows, partition, _at_level_of(place, before, volume), volume, unit)
            if at_level is not None and not at_level.is_unusual:
                return at_level
    return found


def _at_level_of(place: int, before: Sequence[DeliveredRows], volume: Volume) -> Sequence[DeliveredRows]:
    """``before``, as if those until ``place`` had been at the level of that one; without change if it was usual."""
    new = before[place]
    old = _judge(new.rows, new.partition, before[:place], volume, "rows")
    if old is None or not old.is_unusual:
        return before
    ratio = (new.rows + 1) / (old.usual.rows + 1)
    earlier = [DeliveredRows(one.partition, round((one.rows + 1) * ratio) - 1) for one in before[:place]]
    return [*earlier, *before[place:]]


def _judge(
    rows: int, partition: PartitionKey, before: Sequence[DeliveredRows], volume: Volume, unit: str
) -> VolumeJudgement | None:
    rule = _rule(volume.rule, len(before))
    if rule is None:
        return None
    if rule is VolumeRule.ROLLING:
        return _by_rolling(rows, before, volume, unit)
    steps = judge_history(
        [*before, DeliveredRows(partition, rows)],
        holidays_of(volume.calendar),
        rolling_pct=volume.anomaly_threshold_pct,
    )
    last = steps[-1]
    if last.seasonal is None:
        return None
    found = VolumeJudgement(
        rule, rows, last.seasonal.usual(floor_of(volume.seasonal_threshold_pct)), len(before), unit=unit
    )
    if not found.is_unusual:
        return found
    monitorable = backtest(steps[:-1], rolling_pct=volume.anomaly_threshold_pct).monitorable
    return replace(found, monitorable=monitorable is not False)


def _by_rolling(rows: int, before: Sequence[DeliveredRows], volume: Volume, unit: str) -> VolumeJudgement | None:
    rolling = RollingRule(volume.anomaly_threshold_pct)
    for one in before[-DELIVERIES:]:
        rolling.learn(one.rows)
    usual = rolling.expect()
    return VolumeJudgement(VolumeRule.ROLLING, rows, usual, len(before), unit=unit) if usual else None


def _rule(declared: VolumeRule, deliveries: int) -> VolumeRule | None:
    if declared is VolumeRule.AUTO:
        declared = VolumeRule.SEASONAL if deliveries >= SEASONAL_FROM else VolumeRule.ROLLING
    return declared if deliveries >= DELIVERIES else None
