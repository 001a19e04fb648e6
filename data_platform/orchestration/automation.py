"""Which stages run automatically, and what triggers them: a delivery, a certification, or the stage before them.

A delivery triggers a landed dataset, if the delivery is an asset. A certification triggers the datasets that read it,
except those that only their schedule starts. A trigger of one stage runs the later stages too, in the same run.
``automation_sensor`` requests the runs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import dagster as dg

from data_platform.model.dataset import Stage
from data_platform.model.process import TriggerMode
from data_platform.orchestration.dagster_types import asset_key
from data_platform.policies import Dataset, Policies
from data_platform.policies.external import ExternalAsset, ExternalAssets


@dataclass(frozen=True)
class Start:
    """A run of ``stage`` of ``dataset`` and of the stages after it."""

    dataset: Dataset
    stage: Stage


@dataclass(frozen=True)
class Automation:
    """``starts`` maps the key of an asset to the runs that its materialization triggers."""

    policies: Policies
    external: ExternalAssets

    @cached_property
    def starts(self) -> Mapping[dg.AssetKey, tuple[Start, ...]]:
        starts: dict[dg.AssetKey, list[Start]] = {}
        for dataset in self.policies.datasets:
            if not self.is_automated(dataset):
                continue
            for position, stage in enumerate(dataset.stages):
                for key in [asset_key(dataset.stages[position - 1], dataset)] if position else self.triggers(dataset):
                    starts.setdefault(key, []).append(Start(dataset, stage))
        return {key: tuple(triggered) for key, triggered in starts.items()}

    def is_automated(self, dataset: Dataset) -> bool:
        """Whether anything but people and schedules starts the dataset."""
        if dataset.process is None:
            return bool(dataset.stages) and self.external.is_delivered(dataset)
        return dataset.process.trigger is not TriggerMode.PROCESS

    def started_by(self, dataset: Dataset) -> str:
        """What starts a dataset, as text for people; empty if the platform does not make it."""
        if not dataset.stages:
            return ""
        process = dataset.process
        schedule = f"the schedule {dataset.schedule}" if dataset.schedule else ""
        if not self.is_automated(dataset):
            return schedule or "people"
        event = "delivery" if process is None else "certification"
        names = ", ".join("/".join(key.path) for key in self.triggers(dataset))
        return " or ".join([f"the {event} of {names}", *([schedule] if schedule else [])])

    def triggers(self, dataset: Dataset) -> tuple[dg.AssetKey, ...]:
        """The assets whose materializations trigger the first stage of an automated dataset."""
        if dataset.process is None:
            return (dg.AssetKey(list(self.external.key(dataset.urn))),)
        return tuple(self.certified(one) for one in self.inputs(dataset))

    def inputs(self, dataset: Dataset) -> list[Dataset]:
        """The datasets that a derived dataset reads, without itself."""
        process = dataset.process
        return self._datasets((item.dataset for item in process.inputs) if process else (), dataset)

    def references(self, dataset: Dataset) -> list[Dataset]:
        """The datasets that its contract refers to, without itself."""
        return self._datasets((item.dataset for item in dataset.bundle.contract.references), dataset)

    def are_published_together(self, one: Dataset, other: Dataset) -> bool:
        """Whether both are members of one publish group, so that neither is certified before the other has passed."""
        group = self.policies.group_of(one.urn)
        return group is not None and other.urn in group.members

    def certified(self, dataset: Dataset) -> dg.AssetKey:
        """The asset that consumers of ``dataset`` depend on."""
        return asset_key(Stage.CERTIFIED, dataset)

    def reported(self, dataset: Dataset) -> list[ExternalAsset]:
        """The inputs that legacy jobs make and report checks of; a check counts for its day."""
        made_outside = [dataset] if dataset.process is None else [one for one in self.inputs(dataset) if not one.stages]
        return [self.external.by_urn[one.urn] for one in made_outside if one.urn in self.external.by_urn]

    def _datasets(self, urns: Iterable[str], own: Dataset) -> list[Dataset]:
        return [self.policies.dataset(urn) for urn in dict.fromkeys(urns) if urn != own.urn]
