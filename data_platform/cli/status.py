"""``data-platform status``: what consumers see of each dataset, and how the last run ended. It does not start Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from data_platform.cli import screen
from data_platform.cli.certified_waiver import print_waivers
from data_platform.cli.evidence_relay import print_waiting
from data_platform.cli.group_waiting import documents, print_waiting_versions, waiting_versions
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.cli.incident_text import active_incidents, print_active
from data_platform.cli.outdated_token import outdated_tokens, print_outdated
from data_platform.cli.quarantine_summary import print_stale, quarantine_summary
from data_platform.cli.status_fact import read_status
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.internal import JOBS
from data_platform.model.partition_key import PartitionKey
from data_platform.stage.run_event import job_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from rich.text import Text

    from data_platform.cli.status_fact import StatusFacts
    from data_platform.model.certification import Certification
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.process_page import ProcessRun
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset

MAX_DAYS = 3
"""How many held days of a dataset the table of ``status`` names; ``--json`` has all of them."""

STATUS_COLUMNS = ("dataset", "status", "version", "since (UTC)", "last run", "held", "enforcement")
COLOURS = {"CERTIFIED": "green", "HELD_AT_PREVIOUS": "yellow", "UNCERTIFIED": "red", WAITING_FOR_GROUP: "yellow"}


def status(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """Show for every dataset what consumers see, how the last run ended, which days are held, and stale quarantine.

    Open incidents are listed below. Exit code 1 if files of a certified version are missing.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        facts, now = read_status(platform), platform.now()
        rows = [_status_row(dataset, facts, now) for dataset in platform.policies.datasets]
        waiting = waiting_versions(platform)
        rows = [_with_waiting(row, waiting.get(row["dataset"], [])) for row in rows]
        tokens, incidents = outdated_tokens(platform), active_incidents(platform)
        rows = [{**row, "incidents": incidents.get(row["dataset"], [])} for row in rows]
        if as_json:
            screen.print_json([{**row, "outdated_tokens": tokens[row["dataset"]]} for row in rows])
        else:
            _print_status(rows)
            print_active(incidents)
            print_waiting_versions(waiting)
            print_stale({row["dataset"]: row["quarantine"]["stale"] for row in rows})
            print_waivers({row["dataset"]: row["waivers"] for row in rows})
            print_unchecked({row["dataset"]: row["unchecked"] for row in rows})
            print_waiting(platform)
            print_outdated(tokens)
        exit_if_damaged({row["dataset"]: row["damage"] for row in rows}, as_json=as_json)


def _with_waiting(row: dict[str, Any], waiting: Sequence[Waiting]) -> dict[str, Any]:
    """A version that waits is the status, unless a later run was held."""
    is_last = bool(waiting) and row["outcome"] is not None and row["outcome"].qualifies
    return {**row, "status": WAITING_FOR_GROUP if is_last else row["status"], "waiting": documents(waiting)}


def _print_status(rows: list[dict[str, Any]]) -> None:
    cells = [
        (
            row["dataset"],
            word(row["status"]),
            version(row["version"]),
            time(row["certified_at"]),
            _ended(row),
            _days(row["held"]),
            row["enforcement"] or "",
        )
        for row in rows
    ]
    screen.print_table(screen.out(), STATUS_COLUMNS, cells)
    for row in rows:
        if (error := row["error"]) is not None:
            place = " ".join(str(part) for part in (row["dataset"], error["partition"]) if part)
            line = f"error at {error['stage']} of {place}: {error['message']}"
            screen.out().print(line, markup=False, soft_wrap=True, style="red")


def _error(dataset: Dataset, last: RunRow | None, broken: Mapping[str, ProcessRun]) -> dict[str, Any] | None:
    """The newest error of a stage of the dataset, if it came after the last result."""
    runs = [(stage, broken.get(f"{JOBS}/{job_name(dataset, stage)}")) for stage in dataset.stages]
    errors = [(run.end, stage, run) for stage, run in runs if run is not None and run.end is not None]
    newer = [item for item in errors if last is None or item[0] > last.finished_at]
    if not newer:
        return None
    at, stage, run = max(newer, key=lambda item: item[0])
    declared, nominal = dataset.policy.partition, run.nominal_start
    partition = PartitionKey.of_nominal_start(nominal, declared.time_zone) if declared and nominal else None
    return {"stage": stage, "partition": partition, "at": at, "message": run.error_message or "no reason was recorded"}


def damage_of(pointer: Certification | None) -> str | None:
    """What is missing from the certified version, by the table's log and folder; None if nothing is."""
    if pointer is None or pointer.version is None:
        return None
    from data_platform.lake.presence import find_damage

    return find_damage(pointer.path, pointer.version)


def unchecked_of(pointer: Certification | None) -> str | None:
    """Why the files of the certified version were not checked; None if they were, or there is no version."""
    if pointer is None or pointer.version is None:
        return None
    from data_platform.lake.presence import is_remote

    return "remote storage" if is_remote(pointer.path) else None


def print_unchecked(unchecked: Mapping[str, str | None]) -> None:
    for urn, why in unchecked.items():
        if why:
            line = f"files of {urn}: not checked ({why}); a run or a read fails if they are missing"
            screen.out().print(line, markup=False, soft_wrap=True)


def exit_if_damaged(damage: Mapping[str, str | None], *, as_json: bool) -> None:
    """Raises: Exit with 1, if a certified version cannot be read any more."""
    damaged = {urn: problem for urn, problem in damage.items() if problem}
    if not as_json:
        for urn, problem in damaged.items():
            screen.err().print(
                f"error: consumers cannot read {urn}: {problem}. Run the dataset to certify a new version, and find "
                "out who deletes files in the lake",
                markup=False,
                soft_wrap=True,
            )
    if damaged:
        raise typer.Exit(ERROR)


def word(status: str) -> Text:
    return screen.styled(status, COLOURS.get(status, ""))


def version(number: int | None) -> str:
    return "" if number is None else f"v{number}"


def time(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _status_row(dataset: Dataset, facts: StatusFacts, now: datetime) -> dict[str, Any]:
    last, pointer = facts.last_runs.get(dataset.urn), facts.pointers.get(dataset.urn)
    without_pointer = "UNCERTIFIED" if dataset.stages else "EXTERNAL"
    return {
        "dataset": dataset.urn,
        "status": pointer.status.value if pointer else without_pointer,
        "version": pointer.version if pointer else None,
        "certified_at": pointer.certified_at if pointer else None,
        "last_run": last.run_id if last else None,
        "last_stage": last.stage if last else None,
        "partition": last.partition if last else None,
        "outcome": last.outcome if last else None,
        "proceeds": last.proceeds if last else None,
        "held": [
            {"partition": run.partition, "stage": run.stage, "run_id": run.run_id, "since": run.finished_at}
            for run in facts.held.get(dataset.urn, ())
        ],
        "enforcement": dataset.enforcement.mode if dataset.stages else None,
        "waivers": facts.waivers.get(dataset.urn, []),
        "error": _error(dataset, last, facts.broken),
        "damage": damage_of(pointer),
        "unchecked": unchecked_of(pointer),
        "quarantine": quarantine_summary(facts.entries.get(dataset.urn, ()), now),
    }


def _days(held: Sequence[Mapping[str, Any]]) -> str:
    """The oldest held days, and the number of the others."""
    days = [str(day["partition"] or "yes") for day in held]
    more = [f"and {len(days) - MAX_DAYS} more"] if len(days) > MAX_DAYS else []
    return ", ".join(days[:MAX_DAYS] + more)


def _ended(row: Mapping[str, Any]) -> str:
    error = row["error"]
    if error is not None:
        return f"{error['partition'] or ''} error at {error['stage']}".strip()
    if row["last_run"] is None:
        return "no result yet"
    if row["outcome"].qualifies:
        how = "certified" if row["last_stage"] is Stage.CERTIFIED else f"passed {row['last_stage']}"
    else:
        how = f"{'failed' if row['proceeds'] else 'held at'} {row['last_stage']}"
    return f"{row['partition'] or ''} {how}".strip()
