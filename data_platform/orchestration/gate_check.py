"""Dagster's asset checks from gates, and their results from verdicts."""

import warnings
from typing import Any

import dagster as dg

from data_platform.model.dataset import Stage
from data_platform.model.plain_json import plain
from data_platform.model.run import StageReport
from data_platform.model.stage_gate import complete
from data_platform.model.verdict import Outcome, Verdict
from data_platform.orchestration import link
from data_platform.orchestration.dagster_types import asset_key, enforcement_metadata
from data_platform.policies import Dataset


def check_spec(
    name: str, key: dg.AssetKey, *, description: str, partitions: dg.PartitionsDefinition[Any] | None = None
) -> dg.AssetCheckSpec:
    """A check that stops the assets that depend on the asset, each day by itself."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=dg.PreviewWarning, message=".*partitions_def.*")
        return dg.AssetCheckSpec(name, asset=key, blocking=True, description=description, partitions_def=partitions)


def check_specs(dataset: Dataset, stage: Stage) -> list[dg.AssetCheckSpec]:
    """The checks have no partitions, so that the UI's list of checks shows the latest result.

    For a check with days, the list shows whether any day ever failed, and a day that no run reached counts as failed.
    The asset's own partitions show which days were held, since a held day is not materialized.
    """
    key = asset_key(stage, dataset)
    return [check_spec(gate.value, key, description=gate.description) for gate in dataset.gates(stage)]


def fails_step(dataset: Dataset, report: StageReport) -> bool:
    """Whether the step of a stage ends as failed: it was held, in a mode in which that is more than a warning.

    A certification that is held because a day failed on VISIBILITY or WARN has no materialization, and fails no run;
    nor does one that waits for its publish group.
    """
    if report.proceeds or report.waits:
        return False
    return report.stage is not Stage.CERTIFIED or dataset.enforcement.fails_run


def check_results(dataset: Dataset, stage: Stage, report: StageReport) -> list[dg.AssetCheckResult]:
    """A result for each gate that the registry has for the stage; a gate without a verdict does not pass.

    A failed gate that does not hold the stage has the severity WARN, which stops nothing in Dagster.
    """
    key = asset_key(stage, dataset)
    severity = dg.AssetCheckSeverity.ERROR if fails_step(dataset, report) else dg.AssetCheckSeverity.WARN
    results = []
    for verdict in complete(report.verdicts, stage, derived=dataset.derived)[: len(dataset.gates(stage))]:
        results.append(
            dg.AssetCheckResult(
                asset_key=key,
                check_name=verdict.gate.value,
                passed=verdict.passed,
                severity=dg.AssetCheckSeverity.ERROR if verdict.passed else severity,
                description="\n".join(verdict.explanation()) or verdict.reason or None,
                metadata=check_metadata(verdict, report),
            )
        )
    return results


def check_metadata(verdict: Verdict, report: StageReport) -> dict[str, Any]:
    broken = [r for r in verdict.results if r.outcome is not Outcome.PASSED]
    metadata: dict[str, Any] = {
        "outcome": verdict.outcome.value,
        **({"partition": str(report.partition)} if report.partition else {}),
        "run_id": report.run_id,
        "rules": len(verdict.results),
        "rows_read": report.rows.read,
        "rows_accepted": report.rows.accepted,
        "rows_quarantined": report.rows.quarantined,
        **enforcement_metadata(report),
    }
    if verdict.compliance is not None:
        metadata["compliance"] = verdict.compliance
    if broken:
        metadata["violations"] = dg.MetadataValue.table(
            records=[
                dg.TableRecord(
                    {
                        "signature": r.signature,
                        "outcome": r.outcome.value,
                        "severity": r.severity.value,
                        "rows": -1 if r.rows is None else r.rows,
                        "reason": r.reason,
                    }
                )
                for r in broken
            ]
        )
    metadata |= link.quarantine(report)
    if broken and report.metadata.get("samples"):
        metadata["samples"] = dg.MetadataValue.json(plain(report.metadata["samples"]))
    if verdict.metadata:
        metadata["details"] = dg.MetadataValue.json(plain(verdict.metadata))
    return metadata
