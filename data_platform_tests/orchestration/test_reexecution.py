"""A run of the location's job that a gate held is started again from the stage that failed, as the UI's button does."""

from pathlib import Path

import dagster as dg
import yaml
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.definitions.selector import JobSubsetSelector
from dagster._core.execution.api import execute_run
from dagster._core.execution.plan.resume_retry import ReexecutionStrategy
from dagster._core.test_utils import in_process_test_workspace
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from pyspark.sql import SparkSession

from data_platform.orchestration.job import JOB, execute, select_job
from data_platform.orchestration.location import build
from data_platform.policies import load_policies
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import (
    CUSTOMER_STAGES,
    ORDER_STAGES,
    declare_shop,
    deliver_day,
    key,
    run,
)

LOCATION = """
from data_platform.orchestration.location import build
from data_platform.settings import read_settings

definitions = build(read_settings({settings!r}))
"""


def run_again(estate: Estate, instance: dg.DagsterInstance, parent: dg.DagsterRun) -> dg.DagsterRun:
    """As Dagster's web server creates the run, which is executed here."""
    settings = {"DATA_PLATFORM_HOME": str(estate.root), "DATA_PLATFORM_POLICIES": str(estate.root / "policies")}
    file = estate.root / "location.py"
    file.write_text(LOCATION.format(settings=settings))
    origin = LoadableTargetOrigin(python_file=str(file))
    with in_process_test_workspace(instance, origin) as context:
        [location] = context.code_locations
        [repository] = location.get_repositories().values()
        chosen = sorted(parent.asset_selection or ())
        remote_job = location.get_job(
            JobSubsetSelector(location.name, repository.name, parent.job_name, None, asset_selection=chosen)
        )
        made = instance.create_reexecuted_run(
            parent_run=parent,
            request_context=context,
            code_location=location,
            remote_job=remote_job,
            strategy=ReexecutionStrategy.FROM_FAILURE,
            use_parent_run_tags=True,
        )
    job = build(estate.settings, session=estate.spark).resolve_job_def(JOB)
    execute_run(InMemoryJob(job.get_subset(asset_selection=frozenset(chosen))), made, instance)
    found = instance.get_run_by_id(made.run_id)
    assert found is not None
    return found


def accept_duplicates(estate: Estate) -> None:
    [file] = (estate.root / "policies").rglob("orders/policy_bundle.yaml")
    bundle = yaml.safe_load(file.read_text())
    del bundle["contract"]["unique"]
    file.write_text(yaml.safe_dump(bundle))


def test_only_the_stages_that_are_left_run_again(tmp_path: Path, spark: SparkSession) -> None:
    estate = Estate(tmp_path, spark)
    declare_shop(estate)
    deliver_day(estate, "1,ann,10.50", "1,bob,3")
    selection = [key(name) for name in ORDER_STAGES]
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        run(estate, instance, *CUSTOMER_STAGES, day=None)
        location = build(estate.settings, session=spark)
        job = select_job(
            load_policies(estate.settings.policies),
            list(location.assets or ()),
            selection,
            dict(location.resources or {}),
        )
        held = execute(job, DAY, instance=instance, tags={}, log_level="CRITICAL")
        accept_duplicates(estate)

        again = run_again(estate, instance, held.dagster_run)

        assert not held.success
        assert again.status is dg.DagsterRunStatus.SUCCESS
        assert set(again.step_keys_to_execute or ()) == {"shop__orders__gold", "shop__orders__gold_certified"}
        assert (again.job_name, again.parent_run_id) == ("datasets", held.run_id)
        assert len(estate.certified_rows("orders")) == 2
