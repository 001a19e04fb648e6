"""``data-platform run``: a progress bar while it lasts, a line for each gate, a table at the end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform.model.verdict import Outcome
from data_platform.orchestration.launch import Launched, launch
from data_platform.pipeline.selection import select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset

MARK = {
    Outcome.PASSED: "[green]passed[/green]",
    Outcome.FAILED: "[red]FAILED[/red]",
    Outcome.ERRORED: "[red]ERRORED[/red]",
    Outcome.SKIPPED: "[yellow]skipped[/yellow]",
}


def run_selected(platform: Platform, words: Sequence[str], partition: str | None, *, as_json: bool, debug: bool) -> int:
    """Exit code: 0 all certified, 3 something held, 1 an error.

    Raises:
        UsageError: Nothing is selected, or a partition is missing or wrong.
    """
    datasets = select(platform.policies, words)
    daily = [dataset for dataset in datasets if dataset.policy.partition]
    for dataset in daily:
        platform.partition(dataset, partition)
    if partition is not None and not daily:
        raise UsageError("nothing that is selected has partitions: leave --partition out")
    level = "INFO" if debug else "CRITICAL"
    if as_json:
        launched = launch(platform, datasets, partition, lambda _s, _t: None, log_level=level)
    else:
        launched = _with_progress(platform, datasets, partition, level)
    code = exit_code(launched)
    if as_json:
        screen.print_json(
            {"exit_code": code, "reports": [summary(r) for r in launched.reports], "errors": launched.errors}
        )
    else:
        _print_end(datasets, launched)
    return code


def exit_code(launched: Launched) -> int:
    if any(not report.passed for report in launched.reports):
        return 3
    return 0 if launched.success and not launched.errors else 1


def summary(report: StageReport) -> dict[str, Any]:
    """A report as JSON: what was done, and what each gate said."""
    told: dict[str, Any] = {
        "dataset": report.dataset.urn,
        "stage": report.stage,
        "partition": report.partition,
        "run_id": report.run_id,
        "outcome": report.outcome,
        "version": report.version,
        "rows": report.rows,
        "quarantine_table": report.quarantine_table,
        "gates": [
            {"gate": v.gate, "outcome": v.outcome, "compliance": v.compliance, "signatures": list(v.signatures),
             "reason": v.reason}
            for v in report.verdicts
        ],
    }  # fmt: skip
    return {key: screen.plain(value) for key, value in told.items()}


def _with_progress(platform: Platform, datasets: Sequence[Dataset], partition: str | None, level: str) -> Launched:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    total = sum(len(dataset.stages) for dataset in datasets)
    console = screen.out()
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=console, transient=True, disable=not sys.stdout.isatty(),
    ) as progress:  # fmt: skip
        task = progress.add_task("opening Spark", total=total)

        def hear(step: str, told: dict[str, Any]) -> None:
            if step == "waiting":
                console.print(f"waiting for {told['for']}, which is writing {told['dataset']}", markup=False)
            progress.update(task, description=f"{told.get('stage', '')} {told.get('dataset', '')} {step}")
            if isinstance(told.get("report"), StageReport):
                print_report(console, told["report"])
                progress.advance(task)

        return launch(platform, datasets, partition, hear, log_level=level)


def print_report(console: Console, report: StageReport) -> None:
    """One line a gate."""
    rows = report.rows
    for verdict in report.verdicts:
        told = f"{verdict.compliance:.2%} kept" if verdict.compliance is not None else ""
        why = ", ".join(verdict.signatures[:3]) or verdict.reason
        console.print(
            f"{report.stage:<15}{report.dataset.name:<18}{verdict.gate:<15}{MARK[verdict.outcome]:<22} {told:<13} {why}"
        )
    if rows.quarantined:
        console.print(f"{'':<15}{rows.quarantined} of {rows.read} rows are in {report.quarantine_table}")


def _print_end(datasets: Sequence[Dataset], launched: Launched) -> None:
    last: dict[str, StageReport] = {report.dataset.urn: report for report in launched.reports}
    rows = []
    for dataset in datasets:
        report = last.get(dataset.urn)
        if report is None:
            rows.append((dataset.urn, "[yellow]not run[/yellow]", "", "what it stands on was held or failed"))
        elif report.stage is Stage.CERTIFIED:
            rows.append((dataset.urn, "[green]certified[/green]", f"v{report.version}", f"{report.rows.accepted} rows"))
        elif report.passed:
            rows.append((dataset.urn, "[red]error[/red]", "", f"passed {report.stage}, and went no further"))
        else:
            why = ", ".join(s for v in report.verdicts for s in v.signatures[:2] if not v.passed)
            rows.append((dataset.urn, f"[red]held at {report.stage}[/red]", "", why))
    console = screen.out()
    console.print(screen.table("\n", ("dataset", "result", "version", ""), rows))
    for step, message in launched.errors.items():
        console.print(f"error in {step}: {message}", markup=False, style="red")
