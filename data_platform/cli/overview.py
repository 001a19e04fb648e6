"""``data-platform status`` and ``certified``: what consumers see, and how the last run ended. Neither opens Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, DatasetName, Debug, opened
from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from datetime import datetime

    from rich.text import Text

    from data_platform.model.run import RunRow
    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset, Policies

COLOURS = {"CERTIFIED": "green", "HELD_AT_PREVIOUS": "yellow", "UNCERTIFIED": "red"}


def status(*, as_json: AsJson = False, debug: Debug = False) -> None:
    """Every dataset: what consumers see, and how the last run ended."""
    with opened(as_json=as_json, debug=debug) as platform:
        found = [(dataset, _last_run(platform, dataset)) for dataset in platform.policies.datasets]
        told = [_told(platform, dataset, last) for dataset, last in found]
        if as_json:
            screen.print_json(told)
            return
        rows = [
            (row["dataset"], word(row["status"]), version(row["version"]), time(row["certified_at"]), _ended(last))
            for row, (_, last) in zip(told, found, strict=True)
        ]
        screen.print_table(screen.out(), ("dataset", "status", "version", "since (UTC)", "last run"), rows)


def certified(dataset: DatasetName = None, *, as_json: AsJson = False, debug: Debug = False) -> None:
    """The version that consumers see, and where it lies."""
    with opened(as_json=as_json, debug=debug) as platform:
        if dataset is not None:
            found = [platform.certified(platform.policies.dataset(dataset).urn)]
        else:
            found = [pointer for pointer in platform.catalog.certifications() if pointer.version is not None]
        if as_json:
            screen.print_json(found[0] if dataset is not None else found)
            return
        if not found:
            screen.out().print("nothing is certified yet")
            return
        rows = [
            (view(platform.policies, c.dataset_urn), version(c.version), word(c.status), time(c.certified_at), c.path)
            for c in found
        ]
        screen.print_table(screen.out(), ("view", "version", "status", "since (UTC)", "path"), rows)


def view(policies: Policies, urn: str) -> str:
    """The shortest name of its certified view; for a dataset that is declared no more, its URN."""
    found = next((dataset for dataset in policies.datasets if dataset.urn == urn), None)
    return f"{Stage.CERTIFIED}.{policies.view_names(found)[0]}" if found else urn


def word(status: str) -> Text:
    return screen.styled(status, COLOURS.get(status, ""))


def version(number: int | None) -> str:
    return "" if number is None else f"v{number}"


def time(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _last_run(platform: Platform, dataset: Dataset) -> RunRow | None:
    return next(iter(platform.catalog.runs(dataset.urn, limit=1)), None)


def _told(platform: Platform, dataset: Dataset, last: RunRow | None) -> dict[str, Any]:
    pointer = platform.catalog.certification(dataset.urn)
    unseen = "UNCERTIFIED" if dataset.stages else "EXTERNAL"
    return {
        "dataset": dataset.urn,
        "status": pointer.status.value if pointer else unseen,
        "version": pointer.version if pointer else None,
        "certified_at": pointer.certified_at if pointer else None,
        "last_run": last.run_id if last else None,
        "last_stage": last.stage if last else None,
        "partition": last.partition if last else None,
        "outcome": last.outcome if last else None,
    }


def _ended(last: RunRow | None) -> str:
    if last is None:
        return "never run"
    day = last.partition or ""
    if last.passed:
        how = "certified" if last.stage is Stage.CERTIFIED else f"passed {last.stage}"
    else:
        how = f"held at {last.stage}"
    return f"{day} {how}".strip()
