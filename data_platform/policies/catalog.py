"""Everything declared, once it has been found to be right."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.closed import Closed
from data_platform.model.stage_gate import gates_of
from data_platform.policies.judgement import judgement_fingerprint
from data_platform.policies.problem import did_you_mean

if TYPE_CHECKING:
    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.baseline import Baseline
    from data_platform.model.dataset import DatasetId, Stage
    from data_platform.model.policy import DatasetPolicy, PolicyBundle
    from data_platform.model.process import Process
    from data_platform.model.verdict import Gate


CERTIFIED = "gold_certified"
"""In front of the names of certified views."""


class PlatformPolicy(Closed):
    """``platform.yaml``: what holds for every dataset."""

    environment: str = "production"


@dataclass(frozen=True)
class Dataset:
    """Everything declared of one dataset.

    ``process`` makes it, if any does, with the text of each query in ``Step.sql``. ``fingerprint`` is 16
    hexadecimal digits over what is declared, not over the files: comments and the order of keys do not count.
    """

    policy: DatasetPolicy
    bundle: PolicyBundle
    baseline: Baseline | None
    process: Process | None
    fingerprint: str

    @property
    def id(self) -> DatasetId:
        return self.policy.id

    @property
    def urn(self) -> str:
        return self.policy.urn

    @property
    def table(self) -> str:
        return self.policy.table

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self.policy.stages

    @property
    def derived(self) -> bool:
        """Whether a process makes it."""
        return self.process is not None

    def gates(self, stage: Stage) -> tuple[Gate, ...]:
        """The gates that must all pass for ``stage``."""
        return gates_of(stage, derived=self.derived)

    def judgement(self, stage: Stage) -> str:
        """The fingerprint of what the gates of ``stage`` read of the policy (``policies.judgement``)."""
        return judgement_fingerprint(stage, self.policy, self.bundle, self.baseline, self.process)


@dataclass(frozen=True)
class Policies:
    """``datasets`` are in order of their URNs, ``processes`` of their names, ``mappings`` of their files' names."""

    datasets: tuple[Dataset, ...]
    processes: tuple[Process, ...]
    platform: PlatformPolicy
    mappings: dict[str, LegacyMapping] = field(default_factory=dict)

    def dataset(self, name: str) -> Dataset:
        """By URN, ``zone/name``, ``zone__name``, or by its short name, as long as one zone has a dataset of that name.

        ``gold_certified.`` in front, as certified views are printed, changes nothing.

        Raises:
            UsageError: No dataset is called so, or several are.
        """
        found = self._by_name.get(name.lower().removeprefix(f"{CERTIFIED}."), ())
        if len(found) == 1:
            return found[0]
        if found:
            urns = ", ".join(dataset.urn for dataset in found)
            raise UsageError(f"{name!r} is the name of {len(found)} datasets: {urns}; name the one you mean by its URN")
        hint = did_you_mean(name, self._by_name) or f"; there are {len(self.datasets)} datasets"
        raise UsageError(f"{name!r} is no dataset; expected a URN, a table or zone/name{hint}")

    def view_names(self, dataset: Dataset) -> tuple[str, ...]:
        """The names of its certified view in ``gold_certified``: the short one, if no other dataset has it, and
        ``zone__name``, which always exists.
        """
        is_short_unique = len(self._by_name[dataset.table.lower()]) == 1
        return (*((dataset.table,) if is_short_unique else ()), dataset.id.identifier)

    @cached_property
    def _by_name(self) -> dict[str, tuple[Dataset, ...]]:
        """In lower case, as Spark compares names of views."""
        found: dict[str, tuple[Dataset, ...]] = {}
        for dataset in self.datasets:
            path = f"{dataset.id.zone}/{dataset.id.name}"
            names = (dataset.table.lower(), dataset.id.name, dataset.id.identifier, path, dataset.urn)
            for name in dict.fromkeys(names):
                found[name] = (*found.get(name, ()), dataset)
        return found
