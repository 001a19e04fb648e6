"""Everything that is declared, once it is valid."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import model_validator

from data_platform.errors import UsageError
from data_platform.model.closed import Closed
from data_platform.model.enforcement import PRODUCTION, Enforcement
from data_platform.model.stage_gate import gates_of
from data_platform.model.table_source import TableSource
from data_platform.policies.alert import AlertPolicy
from data_platform.policies.enforcement import EnforcementRule  # noqa: TC001 - pydantic reads it at run time
from data_platform.policies.judgement import judgement_fingerprint
from data_platform.policies.problem import did_you_mean

if TYPE_CHECKING:
    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.baseline import Baseline
    from data_platform.model.dataset import DatasetId, Stage
    from data_platform.model.enforcement import Mode
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.model.process import Process
    from data_platform.model.publish_group import PublishGroup
    from data_platform.model.verdict import Gate


CERTIFIED = "gold_certified"
"""The prefix of the names of certified views."""


class PlatformPolicy(Closed):
    """``platform.yaml``: settings for every dataset. ``enforcement`` has one rule for each tier and environment."""

    environment: str = PRODUCTION
    enforcement: tuple[EnforcementRule, ...] = ()
    alerts: AlertPolicy = AlertPolicy()

    @model_validator(mode="after")
    def _one_rule_each(self) -> PlatformPolicy:
        subjects = [rule.subject for rule in self.enforcement]
        doubled = next((subject for subject in subjects if subjects.count(subject) > 1), None)
        if doubled is not None:
            tier, environment = doubled
            raise ValueError(
                f"enforcement has two rules for tier {tier or 'any'} in environment {environment or 'any'}; keep one"
            )
        return self


@dataclass(frozen=True)
class Dataset:
    """Everything that is declared about one dataset.

    ``process`` makes it, if any does, with the text of each query in ``Step.sql``. ``fingerprint`` is 16
    hexadecimal digits over the declarations, not over the files: comments and the order of keys do not count.
    ``enforcement`` is what a failed gate does here.
    """

    policy: DatasetPolicy
    bundle: PolicyBundle
    baseline: Baseline | None
    process: Process | None
    fingerprint: str
    enforcement: Enforcement = field(default_factory=Enforcement)
    baseline_problem: str = ""
    """Why ``baseline.json`` cannot be used, which holds bronze and silver; without its values, which may be codes."""

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
    def added_column(self) -> str:
        """The column that the platform adds to the rows: the partition's key, if it is not declared; else empty."""
        partition = self.policy.partition
        return partition.key if partition and self.bundle.schema_.declared.get(partition.key) is None else ""

    def stages_from(self, first: Stage | None) -> tuple[Stage, ...]:
        """``first`` and the stages after it; all if it is None."""
        return self.stages if first is None else self.stages[self.stages.index(first) :]

    @property
    def derived(self) -> bool:
        """Whether a process makes it."""
        return self.process is not None

    @property
    def schedule(self) -> str:
        """The schedule of its process, or of reading its source; empty if it has none."""
        made = self.process.schedule if self.process else None
        read = self.policy.source.schedule if isinstance(self.policy.source, TableSource) else None
        return made or read or ""

    @property
    def scheduled_job(self) -> str:
        """The name of what its schedule starts; a dataset that is read has two underscores in it, a process may not."""
        return f"make_{self.process.name}" if self.process else f"read_{self.id.identifier}"

    @property
    def learned_domains(self) -> dict[str, tuple[str, ...]]:
        """The learned codes of columns, of the baseline."""
        return (self.baseline.enum_domains if self.baseline else None) or {}

    def gates(self, stage: Stage) -> tuple[Gate, ...]:
        """The gates that must all pass for ``stage``."""
        return gates_of(stage, derived=self.derived)

    def judgement(self, stage: Stage) -> str:
        """The fingerprint of those parts of the policy that the gates of ``stage`` read (``policies.judgement``)."""
        return judgement_fingerprint(stage, self.policy, self.bundle, self.baseline, self.process)

    @cached_property
    def judged_under(self) -> str:
        """The fingerprint of everything that the gates of all stages read."""
        judged = [self.judgement(stage) for stage in self.stages]
        return hashlib.sha256(" ".join(judged).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Policies:
    """``datasets`` are sorted by their URNs, ``processes`` and ``groups`` by their names, ``mappings`` by their files'
    names.
    """

    datasets: tuple[Dataset, ...]
    processes: tuple[Process, ...]
    platform: PlatformPolicy
    mappings: dict[str, LegacyMapping] = field(default_factory=dict)
    groups: tuple[PublishGroup, ...] = ()

    def dataset(self, name: str) -> Dataset:
        """Finds a dataset by URN, ``zone/name``, ``zone__name``, or by its short name if only one zone has it.

        The prefix ``gold_certified.`` of certified views is ignored.

        Raises:
            UsageError: No dataset has this name, or several have.
        """
        matches = self.named(name)
        if len(matches) == 1:
            return matches[0]
        if matches:
            urns = ", ".join(dataset.urn for dataset in matches)
            raise UsageError(
                f"{name!r} is the name of {len(matches)} datasets: {urns}; name the one you mean by its URN"
            )
        hint = did_you_mean(name, self._by_name) or f"; there are {len(self.datasets)} datasets"
        raise UsageError(f"{name!r} is not a dataset; expected a URN, a table or zone/name{hint}")

    def named(self, name: str) -> tuple[Dataset, ...]:
        """The datasets with this name, in any form that ``dataset`` takes; at most one unless it is a short name."""
        return self._by_name.get(name.lower().removeprefix(f"{CERTIFIED}."), ())

    def find(self, urn: str) -> Dataset | None:
        """The dataset with this URN; None if no policy declares it."""
        return self._by_urn.get(urn)

    def group(self, name: str) -> PublishGroup:
        """Raises: UsageError, if there is no publish group ``name``."""
        names = {group.name: group for group in self.groups}
        if name not in names:
            hint = did_you_mean(name, names) or f"; there are {', '.join(names) or 'none'}"
            raise UsageError(f"{name!r} is not a publish group{hint}")
        return names[name]

    def group_of(self, urn: str) -> PublishGroup | None:
        """The publish group of a dataset; None if it is published alone."""
        return self._group_of.get(urn)

    def mode_of(self, urn: str) -> Mode | None:
        """The enforcement mode of a dataset; None if it is not declared any more."""
        found = self.find(urn)
        return found.enforcement.mode if found else None

    def view_names(self, dataset: Dataset) -> tuple[str, ...]:
        """The names of its certified view in ``gold_certified``: the short one, if no other dataset has it, and
        ``zone__name``, which always exists.
        """
        is_short_unique = len(self._by_name[dataset.table.lower()]) == 1
        return (*((dataset.table,) if is_short_unique else ()), dataset.id.identifier)

    @cached_property
    def _by_urn(self) -> dict[str, Dataset]:
        return {dataset.urn: dataset for dataset in self.datasets}

    @cached_property
    def _group_of(self) -> dict[str, PublishGroup]:
        return {urn: group for group in reversed(self.groups) for urn in group.members}

    @cached_property
    def _by_name(self) -> dict[str, tuple[Dataset, ...]]:
        """Datasets by each of their names in lower case, since Spark compares names of views without case."""
        datasets: dict[str, tuple[Dataset, ...]] = {}
        for dataset in self.datasets:
            path = f"{dataset.id.zone}/{dataset.id.name}"
            names = (dataset.table.lower(), dataset.id.name, dataset.id.identifier, path, dataset.urn)
            for name in dict.fromkeys(names):
                datasets[name] = (*datasets.get(name, ()), dataset)
        return datasets
