"""What a detector may read: the policies, the catalog, the time, and the signals that the last look found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.policy import DatasetStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.signal import Signal, SignalKind
    from data_platform.policies import Dataset, Policies


@dataclass(frozen=True)
class Situation:
    policies: Policies
    catalog: Catalog
    now: datetime
    active: tuple[Signal, ...] = ()

    def watched(self, urn: str) -> Dataset | None:
        """The dataset; None if no policy declares it any more, or its policy is a draft or deprecated."""
        found = self.policies.find(urn)
        return found if found is not None and found.policy.status is DatasetStatus.ACTIVE else None

    def active_of(self, kinds: Collection[SignalKind]) -> Iterator[Signal]:
        return (signal for signal in self.active if signal.finding.kind in kinds)
