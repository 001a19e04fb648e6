"""A check that a run never reached keeps the result that it had before; one that broke is shown as failed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from data_platform.orchestration.unreached_check import forget_unreached_checks

FIRST, SECOND = dg.AssetCheckKey(dg.AssetKey("first"), "gate"), dg.AssetCheckKey(dg.AssetKey("second"), "gate")


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """In files, as ``data-platform run`` has it."""
    with dg.DagsterInstance.local_temp(str(tmp_path)) as opened:
        yield opened


def stages(first: Any) -> list[dg.AssetsDefinition]:
    """Two stages with a gate each; ``first`` returns the verdict of the first one's gate, or raises."""

    def stage(name: str, deps: list[str], found: Any) -> dg.AssetsDefinition:
        @dg.multi_asset(
            name=name,
            specs=[dg.AssetSpec(name, deps=deps, skippable=True)],
            check_specs=[dg.AssetCheckSpec("gate", asset=name, blocking=True)],
        )
        def made() -> Iterator[Any]:
            passed = found()
            if passed:
                yield dg.MaterializeResult(asset_key=name)
            yield dg.AssetCheckResult(asset_key=name, check_name="gate", passed=passed)

        return made

    return [stage("first", [], first), stage("second", ["first"], lambda: True)]


def run(instance: dg.DagsterInstance, first: Any) -> None:
    result = dg.materialize(stages(first), instance=instance, raise_on_error=False)
    forget_unreached_checks(instance, result.run_id)


def latest(instance: dg.DagsterInstance) -> dict[str, str]:
    """Asset to the status of its gate's latest execution: PLANNED is shown as "Execution failed" once a run failed."""
    found = instance.event_log_storage.get_latest_asset_check_execution_by_key([FIRST, SECOND])
    return {key.asset_key.to_user_string(): record.status.name for key, record in found.items()}


def broken() -> bool:
    raise ValueError("broken")


def test_what_a_held_run_did_not_reach_keeps_the_result_that_it_had(stored: dg.DagsterInstance) -> None:
    run(stored, lambda: True)

    run(stored, lambda: False)

    assert latest(stored) == {"first": "FAILED", "second": "SUCCEEDED"}


def test_what_was_never_reached_has_no_result(stored: dg.DagsterInstance) -> None:
    run(stored, lambda: False)

    assert latest(stored) == {"first": "FAILED"}


def test_a_step_that_started_and_broke_is_shown_so(stored: dg.DagsterInstance) -> None:
    run(stored, lambda: True)

    run(stored, broken)

    assert latest(stored) == {"first": "PLANNED", "second": "SUCCEEDED"}


def test_a_run_that_reached_everything_loses_nothing(stored: dg.DagsterInstance) -> None:
    run(stored, lambda: True)

    assert latest(stored) == {"first": "SUCCEEDED", "second": "SUCCEEDED"}
