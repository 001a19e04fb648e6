"""``data-platform run``: a progress bar while it runs, a line for each gate, and a table of results at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.cli.guard import DONE, ERROR, HELD
from data_platform.cli.partition_range import partitions_of
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.number_text import number_of
from data_platform.model.run import ENFORCEMENT, StageReport
from data_platform.model.verdict import Gate, Outcome
from data_platform.model.waiver import WAIVERS
from data_platform.orchestration.launched import RUN, Launched
from data_platform.stage.input_size import reads_little
from data_platform.stage.selection import select

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset

COLOURS = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.ERRORED: "red", Outcome.SKIPPED: "yellow",
           Outcome.WAIVED: "yellow"}  # fmt: skip
REASONS_SHOWN = 3


def run_selected(platform: Platform, words: Sequence[str], partition: str | None, *, as_json: bool, debug: bool) -> int:
    """Exit code: 0 all certified; 3 something held, or waiting for a publish group; 1 an error.

    The days of a range run in order, in one Spark session; a held day or an error does not stop the ones after it.

    Raises:
        UsageError: Nothing is selected, or a partition is missing or wrong.
    """
    datasets = select(platform.policies, words)
    days = partitions_of(platform, datasets, partition)
    platform.reads_little = reads_little(platform, datasets, days)
    platform.begin_spark()  # while Dagster is imported
    from data_platform.orchestration.launch import launch

    level = "INFO" if debug else "CRITICAL"
    if as_json:
        done = [launch(platform, datasets, day, screen.print_message, log_level=level) for day in days]
        screen.print_json(document(done[0]) if len(done) == 1 else document_of_days(days, done))
        return worst(done)
    console = screen.of_run()
    done = []
    for day in days:
        if len(days) > 1:
            console.print(f"{day} ({len(done) + 1} of {len(days)} days)", style="bold")
        done.append(
            launch_shown(
                console, platform, datasets, day, lambda report: print_report(console, report), log_level=level
            )
        )
        print_end(console, datasets, done[-1])
    if len(days) > 1:
        console.print(f"\n{count_days(days, done)}", markup=False)
    return worst(done)


def worst(done: Sequence[Launched]) -> int:
    """Exit code of several runs: 3 if any held something or waits, else 1 if any ended in an error, else 0."""
    codes = [exit_code(launched) for launched in done]
    return next((code for code in (HELD, ERROR) if code in codes), DONE)


def count_days(days: Sequence[PartitionKey | None], done: Sequence[Launched]) -> str:
    """One line: how many days were certified, and which were not."""
    codes = {day: exit_code(launched) for day, launched in zip(days, done, strict=True)}
    waiting = [day for day, launched in zip(days, done, strict=True) if codes[day] == HELD and not _holds(launched)]
    parts = [f"{len(days)} days: {list(codes.values()).count(DONE)} certified"]
    if waiting:
        parts.append(f"{len(waiting)} waiting for a publish group ({', '.join(map(str, waiting))})")
    for word, wanted in (("held", HELD), ("error", ERROR)):
        if named := [str(day) for day, code in codes.items() if code == wanted and day not in waiting]:
            parts.append(f"{len(named)} {word} ({', '.join(named)})")
    return ", ".join(parts)


def waiting_reports(launched: Launched) -> list[StageReport]:
    """The reports of datasets that passed, and wait for other members of their publish group when the run ends."""
    last = {(report.dataset, report.partition): report for report in launched.reports}
    return [report for report in last.values() if report.waits]


def _holds(launched: Launched) -> bool:
    return any(not report.qualifies and not report.waits for report in launched.reports)


def exit_code(launched: Launched) -> int:
    """``certified --group`` has the same code for a group that does not have the day."""
    if _holds(launched) or waiting_reports(launched):
        return HELD
    return DONE if launched.success and not launched.errors else ERROR


def document(launched: Launched) -> dict[str, Any]:
    """A run as JSON."""
    reports = [summary(report) for report in launched.reports]
    return {"exit_code": exit_code(launched), "reports": reports, "errors": launched.errors}


def document_of_days(days: Sequence[PartitionKey | None], done: Sequence[Launched]) -> dict[str, Any]:
    """The runs of a range as JSON: each day as a run of its own, and the worst exit code."""
    runs = [{"partition": day, **document(launched)} for day, launched in zip(days, done, strict=True)]
    return {"exit_code": worst(done), "days": runs}


def summary(report: StageReport) -> dict[str, Any]:
    """A report as JSON: what the run did, and the verdict of each gate."""
    values: dict[str, Any] = {
        "dataset": report.dataset.urn,
        "stage": report.stage,
        "partition": report.partition,
        "run_id": report.run_id,
        "outcome": report.outcome,
        "enforcement": report.metadata.get(ENFORCEMENT, ""),
        "held": not report.proceeds and not report.waits,
        "waiting_for_group": report.metadata.get(WAITING_FOR_GROUP),
        "waivers": report.metadata.get(WAIVERS, []),
        "version": report.version,
        "rows": report.rows,
        "quarantine_table": report.quarantine_table,
        "gates": [
            {"gate": v.gate, "outcome": v.outcome, "compliance": v.compliance, "signatures": list(v.signatures),
             "reason": v.reason, "explanation": [] if v.passed else list(v.explanation())}
            for v in report.verdicts
        ],
    }  # fmt: skip
    return {key: screen.plain(value) for key, value in values.items()}


def launch_shown(
    console: Console,
    platform: Platform,
    datasets: Sequence[Dataset],
    partition: PartitionKey | None,
    on_report: Callable[[StageReport], None],
    *,
    first: Stage | None = None,
    log_level: str = "CRITICAL",
) -> Launched:
    """Launches the run from stage ``first``, with a progress bar on a terminal.

    ``on_report`` prints the lines to keep for each stage."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from data_platform.orchestration.launch import launch

    total = sum(len(dataset.stages_from(first)) for dataset in datasets)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=total)

        def on_step(step: str, details: dict[str, Any]) -> None:
            dataset, report = str(details.get("dataset", "")), details.get("report")
            if details.get("message"):  # what this run waits for, and what it has freed
                console.print(str(details["message"]), markup=False, soft_wrap=True)
            progress.update(task, description=f"{details.get('stage', '')} {dataset}: {step}".lstrip())
            if isinstance(report, StageReport):
                progress.advance(task, 0 if step == "publish" else 1)  # which may be of other datasets too
                on_report(report)

        return launch(platform, datasets, partition, on_step, first=first, log_level=log_level)


def print_report(console: Console, report: StageReport) -> None:
    """Prints one line for each gate."""
    from rich.text import Text

    name = f"{report.dataset.zone}/{report.dataset.name}"
    for verdict in report.verdicts:
        kept = f"{verdict.compliance:.2%} {_share(verdict.gate)}" if verdict.compliance is not None else ""
        why = screen.visible(", ".join(verdict.signatures[:REASONS_SHOWN]) or verdict.reason)
        line = Text.assemble(
            f"{report.stage:<15}{name:<23} {verdict.gate:<14} ",
            (f"{_outcome_text(verdict.outcome):<8}", COLOURS[verdict.outcome]),
            f" {kept:<13} {why}",
        )
        line.rstrip()
        console.print(line)
        if not verdict.passed:
            for reason in verdict.explanation(REASONS_SHOWN):
                if reason != why:
                    console.print(f"{'':<15}{screen.visible(reason)}", markup=False, soft_wrap=True)
    if report.proceeds and not report.outcome.qualifies:
        mode = report.metadata.get(ENFORCEMENT)
        console.print(f"{'':<15}not held, since the enforcement is {mode}; the certified view stays", markup=False)
    if report.rows.quarantined:
        console.print(
            f"{'':<15}{report.rows.quarantined} of {report.rows.read} rows are in {report.quarantine_table}",
            markup=False,
        )


def _share(gate: Gate) -> str:
    """G5_PII masks rows and keeps them, so its share counts clean rows: 0 % in a column of addresses loses no row."""
    return "clean" if gate is Gate.G5_PII else "kept"


def _outcome_text(outcome: Outcome) -> str:
    """The outcome; one that stops a batch is in capitals, to stand out without colours too."""
    return outcome.value.upper() if outcome in (Outcome.FAILED, Outcome.ERRORED) else outcome.value


def print_end(console: Console, datasets: Sequence[Dataset], launched: Launched) -> None:
    last: dict[str, StageReport] = {report.dataset.urn: report for report in launched.reports}
    rows = [(dataset.urn, *_result(last.get(dataset.urn), _has_error(dataset, launched))) for dataset in datasets]
    console.print()
    screen.print_table(console, ("dataset", "result", "version", "what"), rows)
    for report in waiting_reports(launched):
        name = f"{report.dataset.urn} {report.partition or ''}".rstrip()
        console.print(f"{name} passed, and {report.verdicts[0].reason}", markup=False, soft_wrap=True)
    for step, message in launched.errors.items():
        place = "" if step == RUN else f" in {step}"
        console.print(f"error{place}: {message}", markup=False, style="red")


def _has_error(dataset: Dataset, launched: Launched) -> bool:
    """Whether a step of its own, or the run, ended in an error; Dagster's steps are assets with ``__`` for a slash."""
    asset = f"{dataset.id.zone}__{dataset.id.name}"
    return not {RUN, asset, *(f"{asset}__{stage.value}" for stage in Stage)}.isdisjoint(launched.errors)


def _result(report: StageReport | None, has_error: bool) -> tuple[object, str, str]:  # noqa: FBT001
    """The result, the version, and the details."""
    if report is None and has_error:
        return screen.styled("error", "red"), "", "see below"
    if report is None:
        return screen.styled("not run", "yellow"), "", "a dataset that it depends on was held, failed or waits"
    if report.stage is Stage.CERTIFIED and report.passed:
        return screen.styled("certified", "green"), f"v{report.version}", number_of(report.rows.accepted, "row")
    if report.proceeds:
        how = "passed" if report.qualifies else "was not held at"
        return screen.styled("error", "red"), "", f"{how} {report.stage}, but the next stage did not run"
    if report.waits:
        group = report.metadata[WAITING_FOR_GROUP]
        urns = dict.fromkeys(one["dataset_urn"] for one in group["missing"])
        return screen.styled("waiting", "yellow"), "", f"publish group {group['group']} lacks {', '.join(urns)}"
    held = [verdict for verdict in report.verdicts if verdict.outcome in (Outcome.FAILED, Outcome.ERRORED)]
    why = ", ".join(text for verdict in held for text in verdict.signatures[:2] or (verdict.reason,))
    return screen.styled(f"held at {report.stage}", "red"), "", why
