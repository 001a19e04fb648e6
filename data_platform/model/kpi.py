"""How fast incidents are noticed, taken and ended, how often the platform is wrong, and what is covered, by tier."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from data_platform.model.incident import IncidentState, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from data_platform.model.incident import Incident

_SHARE = 0.95
_FALSE = (Resolution.EXPECTED, Resolution.FALSE_ALARM)


@dataclass(frozen=True, kw_only=True)
class Times:
    """Of ``count`` incidents, in seconds; the 95th percentile is a time that one of them had. None without any."""

    count: int
    median_seconds: float | None
    p95_seconds: float | None

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Times:
        ordered = sorted(max(0.0, one) for one in seconds)  # clocks of two machines differ
        if not ordered:
            return cls(count=0, median_seconds=None, p95_seconds=None)
        place = min(len(ordered) - 1, int(_SHARE * len(ordered)))
        return cls(count=len(ordered), median_seconds=median(ordered), p95_seconds=ordered[place])


@dataclass(frozen=True, kw_only=True)
class Share:
    """``part`` of ``whole``."""

    part: int
    whole: int

    @property
    def ratio(self) -> float | None:
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, kw_only=True)
class IncidentTimes:
    """``detect`` is from when it became true until the incident was opened; the other two are from there on.

    ``false_positives`` are those that people resolved as EXPECTED or FALSE_ALARM, of all that were resolved. An
    incident that was merged into another one is not counted.
    """

    incidents: int
    active: int
    detect: Times
    acknowledge: Times
    resolve: Times
    false_positives: Share

    @classmethod
    def of(cls, incidents: Sequence[Incident]) -> IncidentTimes:
        counted = [one for one in incidents if one.state is not IncidentState.MERGED]
        ended = [one for one in counted if one.state is IncidentState.RESOLVED]
        return cls(
            incidents=len(counted),
            active=sum(one.state.is_active for one in counted),
            detect=Times.of((one.opened_at - one.occurred_at).total_seconds() for one in counted),
            acknowledge=Times.of(
                (one.acknowledged_at - one.opened_at).total_seconds() for one in counted if one.acknowledged_at
            ),
            resolve=Times.of((one.resolved_at - one.opened_at).total_seconds() for one in ended if one.resolved_at),
            false_positives=Share(part=sum(one.resolution in _FALSE for one in ended), whole=len(ended)),
        )


@dataclass(frozen=True, kw_only=True)
class WeekKpi:
    """The incidents that were opened in the seven days from ``begin`` on, in UTC."""

    begin: date
    times: IncidentTimes


@dataclass(frozen=True, kw_only=True)
class TierKpi:
    """``tier`` is ``*`` for all tiers.

    ``with_contract`` are the active datasets that promise something about their rows, ``with_evidence`` the
    certifications of the period whose decision is in the evidence log.
    """

    tier: str
    times: IncidentTimes
    with_contract: Share
    with_evidence: Share
