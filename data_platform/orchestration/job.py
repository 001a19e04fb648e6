"""The job of the code location that makes any selection of datasets, and its runs in this process.

Runs of ``dg.materialize`` belong to no job: the timeline omits them, and nobody can start them again. Runs that are
started here name the code location and the job that the UI has loaded.

There is one job for all datasets: a job for each would double the time that a code location of a thousand datasets
takes to load. Dagster's ``define_asset_job`` refuses assets of different partitions. The nameless job behind the UI's
button does not; this job is built in the same way.
"""

import os
import pwd
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster._core.definitions.assets.job.asset_job import build_asset_job, get_asset_graph_for_job
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition
from dagster._core.execution.api import execute_run
from dagster._core.execution.execute_in_process import merge_run_tags
from dagster._core.execution.execution_result import ExecutionResult
from dagster._core.remote_origin import (
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.dagster_types import asset_key, dagster_key
from data_platform.policies import Dataset, Policies

JOB = "datasets"
LOCATION = "data_platform"
"""The name of the code location; ``workspace.yaml`` and ``pyproject.toml`` have it too."""
MODULE = "data_platform.definitions"
REPOSITORY = "__repository__"
"""Dagster's name for the one repository of a code location that is made of ``Definitions``."""

DATASET_TAG = "data_platform/dataset"
USER_TAG = "user"
"""The UI shows it as the user who launched a run."""
NO_RETRY = {"dagster/max_retries": "0"}
"""A user who killed a command expects it to end: Dagster's daemon must not start it again beside the next command."""


class _JobOfAnyPartitions(UnresolvedAssetJobDefinition):
    def resolve(
        self,
        asset_graph: Any,
        default_executor_def: dg.ExecutorDefinition | None = None,
        resource_defs: Mapping[str, dg.ResourceDefinition] | None = None,
    ) -> dg.JobDefinition:
        return build_asset_job(
            self.name,
            asset_graph=get_asset_graph_for_job(asset_graph, self.selection, allow_different_partitions_defs=True),
            allow_different_partitions_defs=True,
            description=self.description,
            executor_def=default_executor_def,
            resource_defs=resource_defs,
        )


def jobs(policies: Policies) -> list[UnresolvedAssetJobDefinition]:
    """The one job, or none if the platform runs no dataset."""
    keys = [asset_key(stage, dataset) for dataset in policies.datasets for stage in dataset.stages]
    what = "Makes a selection of datasets; data-platform run starts it."
    return [_JobOfAnyPartitions(JOB, dg.AssetSelection.assets(*keys), description=what)] if keys else []


@dataclass(frozen=True)
class SelectedJob:
    """The job, and the part of it that makes ``selection``. Any number of runs in this process may share it."""

    whole: dg.JobDefinition
    selected: dg.JobDefinition
    selection: tuple[dg.AssetKey, ...]


def select_job(
    policies: Policies,
    assets: Sequence[dg.AssetsDefinition | dg.AssetSpec],
    selection: Sequence[dg.AssetKey],
    resources: Mapping[str, Any],
) -> SelectedJob:
    location = dg.Definitions(assets=assets, jobs=jobs(policies), resources=resources, executor=dg.in_process_executor)
    job = location.resolve_job_def(JOB)
    selected = job.as_ephemeral_job(
        resource_defs={}, input_values={}, op_selection=None, asset_selection=list(selection)
    )
    return SelectedJob(job, selected, tuple(selection))


def execute(
    job: SelectedJob,
    partition: PartitionKey | None,
    *,
    instance: dg.DagsterInstance,
    tags: Mapping[str, str],
    log_level: str,
) -> ExecutionResult:
    """Materializes what the job selects as one run.

    Raises:
        DagsterUnknownPartitionError: A selected asset does not have ``partition``.
    """
    run_config = {"loggers": {"console": {"config": {"log_level": log_level}}}}
    run = instance.create_run_for_job(
        job.selected,
        run_config=run_config,
        tags=merge_run_tags(job.whole, dagster_key(partition), tags, job.selection, instance, run_config),
        asset_selection=frozenset(job.selection),
        remote_job_origin=origin(job.whole.name),
    )
    return execute_run(InMemoryJob(job.selected), run, instance)


def run_tags(datasets: Sequence[Dataset]) -> dict[str, str]:
    """The tags by which the UI finds a run of ``datasets``; its day is one of Dagster's own tags."""
    return {DATASET_TAG: ", ".join(dataset.urn for dataset in datasets), USER_TAG: _user(), **NO_RETRY}


def requested_tags(urn: str, partition: PartitionKey | None) -> dict[str, str]:
    """The tags of a run that a sensor requests for a dataset; the day is in Dagster's own tag."""
    return {DATASET_TAG: urn, **({"dagster/partition": str(partition)} if partition else {})}


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run under a user id that has no name
        return str(os.getuid())


def origin(job: str) -> RemoteJobOrigin:
    """The origin by which a run names the code location and the job that the UI has loaded."""
    target = LoadableTargetOrigin(module_name=MODULE)
    location = ManagedGrpcPythonEnvCodeLocationOrigin(target, location_name=LOCATION)
    return RemoteJobOrigin(RemoteRepositoryOrigin(location, REPOSITORY), job)
