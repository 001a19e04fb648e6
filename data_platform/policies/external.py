"""Which datasets the platform does not make, and is told of: their assets' keys, their days, their checks.

A dataset that the platform does not make is the asset ``zone/name``, whether a policy declares it or not. One that a
policy lands has an asset for its deliveries, ``zone/name__landing``, which its bronze asset depends on. Nothing here
knows Dagster, so that the service can refuse what the code location would not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias
from zoneinfo import ZoneInfo

from data_platform.legacy.merged_mapping import Declarations, DeclaredDataset
from data_platform.model.dataset import LANDING, DatasetId, Stage
from data_platform.model.legacy import process_key

if TYPE_CHECKING:
    from data_platform.model.source import Arrival
    from data_platform.policies.catalog import Dataset, Policies

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ExternalAsset:
    """``start`` and ``time_zone`` are of its days, if it has any; ``arrival`` is how its files are watched for.

    ``process`` is the key of the one job that makes it; None if none or several do. ``landed`` is whether what is
    delivered is judged by the platform's own gates.
    """

    urn: str
    key: Key
    start: date | None = None
    end: date | None = None
    time_zone: str = "UTC"
    checks: tuple[str, ...] = ()
    arrival: Arrival | None = None
    process: str | None = None
    landed: bool = False

    @property
    def daily(self) -> bool:
        return self.start is not None

    @property
    def arrives_as(self) -> str:
        """The dataset whose versions arrive: of a landed one its deliveries, since its own versions are certified."""
        return f"{self.urn}/{LANDING}" if self.landed else self.urn

    def day(self, text: str) -> date:
        """The day that a partition's key means.

        Raises:
            ValueError: It is no key of this asset's partitions, whether that day is over or not.
        """
        if self.start is None:
            raise ValueError("the asset has no partitions")
        try:
            found = datetime.strptime(text, "%Y-%m-%d").date()
        except ValueError:
            raise ValueError(f"{text!r} is not a partition; expected a day such as {self.start}") from None
        if found.isoformat() != text or found < self.start:
            raise ValueError(f"{text!r} is not a partition; they are days such as {self.start}, the first") from None
        if self.end is not None and found > self.end:
            raise ValueError(f"{text!r} is not a partition; the last one is {self.end}")
        return found

    def has_begun(self, day: date, now: datetime) -> bool:
        return day <= self._today(now)

    def is_over(self, day: date, now: datetime) -> bool:
        """A day is a partition when it has ended in its time zone."""
        return day < self._today(now)

    def _today(self, now: datetime) -> date:
        return now.astimezone(ZoneInfo(self.time_zone)).date()


@dataclass(frozen=True)
class ExternalAssets:
    """Of ``policies``; nothing, and quickly, if there are none."""

    policies: Policies

    @cached_property
    def declared(self) -> dict[str, DeclaredDataset]:
        return {found.urn: found for found in Declarations(self.policies.mappings).datasets()}

    def is_delivered(self, dataset: Dataset) -> bool:
        """Whether a landed dataset has an asset for what is delivered: somebody reports it, or a marker is watched."""
        if dataset.policy.source is None:
            return False
        said = self.declared.get(dataset.urn)
        return bool(dataset.policy.source.marker or (said and (said.jobs or said.patterns)))

    def key(self, urn: str) -> Key:
        dataset, found = self.dataset(urn), DatasetId.parse(urn)
        delivered = dataset is not None and self.is_delivered(dataset)
        return found.landing_key if delivered else found.asset_key(Stage.CERTIFIED)

    @cached_property
    def by_urn(self) -> dict[str, ExternalAsset]:
        """In order of their URNs."""
        policies = {d.urn for d in self.policies.datasets if not d.stages or self.is_delivered(d)}
        others = {urn for urn in self.declared if self.dataset(urn) is None}
        return {urn: self._asset(urn) for urn in sorted(policies | others)}

    @cached_property
    def by_key(self) -> dict[Key, ExternalAsset]:
        return {asset.key: asset for asset in self.by_urn.values()}

    def dataset(self, urn: str) -> Dataset | None:
        """What a policy says of it; None if none does."""
        return self._by_urn.get(urn)

    def is_daily(self, urn: str) -> bool:
        dataset = self.dataset(urn)
        if dataset is not None:
            return dataset.policy.partition is not None
        return urn in self.by_urn and self.by_urn[urn].daily

    @cached_property
    def _by_urn(self) -> dict[str, Dataset]:
        return {dataset.urn: dataset for dataset in self.policies.datasets}

    def _asset(self, urn: str) -> ExternalAsset:
        dataset, declared = self.dataset(urn), self.declared.get(urn)
        said = declared.said if declared else None
        source = dataset.policy.source if dataset else None
        days = (dataset.policy.partition if dataset else None) or (said.partition if said else None)
        jobs = {process_key(job.job, job.box) for job in declared.jobs} if declared else set()
        return ExternalAsset(
            urn=urn,
            key=self.key(urn),
            start=days.start if days else None,
            end=dataset.policy.partition.end if dataset and dataset.policy.partition else None,
            time_zone=days.time_zone if days else "UTC",
            checks=said.checks if said else (),
            arrival=source if source and source.marker else said.watch if said else None,
            process=jobs.pop() if len(jobs) == 1 else None,
            landed=source is not None,
        )
