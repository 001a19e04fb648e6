"""``data-platform demo``: real flights of New York, two good days, four bad ones, and what becomes of each.

It goes the same way as any other data: deliveries land in a folder, and every stage is a Dagster asset.
"""

from __future__ import annotations

import secrets
import shutil
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.cli.running import exit_code, print_report
from data_platform.demo import landing
from data_platform.errors import UsageError
from data_platform.model.run import StageReport
from data_platform.orchestration.launch import Launched, launch
from data_platform.pipeline.platform import Platform
from data_platform.pipeline.selection import select

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from rich.console import Console

    from data_platform.settings import Settings

MARKER = "this_is_a_demo"
REFERENCES = ("airlines", "airports", "planes")
DAILY = ("flights", "weather", "bookings", "carrier_daily", "airport_hour")
WATCHED = ("flights", "carrier_daily")
"""On a bad day only the flights are bad; what else is delivered that day is not run, to keep the demo short."""


def demonstrate(settings: Settings, home: Path) -> int:
    """Run the whole demo in ``home``, which is emptied first if it is one of ours; 0 if all went as expected.

    Raises:
        UsageError: ``home`` holds something that is not a demo.
    """
    console, started = screen.out(), time.monotonic()
    settings = _fresh_home(settings, home)
    platform = Platform(settings)
    try:
        console.rule("[bold]A data platform, on real flights", align="left")
        console.print(
            "Flights that left New York in January 2013, with the airlines, airports, aircraft and weather of the day,\n"
            "and bookings with made-up passengers. Each dataset travels bronze → silver → gold → certified view;\n"
            "gates judge it at each stage. First the opening of Spark, some ten seconds.\n"
        )
        landing.land_references(settings.landing)
        as_expected = _play(
            console, platform, "References: airlines, airports, planes", ("airlines", "airports", "planes")
        )
        for day in landing.days()[:2]:
            landing.land(settings.landing, day)
            as_expected &= _play(console, platform, f"A good day: {day:%A, %-d %B %Y}", DAILY, day)
        for number, bad in enumerate(landing.BAD_DAYS, start=1):
            bad.land(settings.landing)
            console.print()
            console.rule(f"[bold]Bad day {number}: {bad.title}[/bold] ({bad.day:%-d %B})", align="left")
            console.print(f"What happened:    {bad.what_happened}\nWhat should come: {bad.expected}\n", markup=False)
            launched = _launch(console, platform, WATCHED, bad.day)
            _tell(console, launched)
            as_expected &= exit_code(launched) == (0 if bad.certifies else 3)
        _finish(console, platform, home, time.monotonic() - started)
    finally:
        platform.close()
    if not as_expected:
        screen.err().print("not everything went as the demo expects: see above")
    return 0 if as_expected else 1


def _fresh_home(settings: Settings, home: Path) -> Settings:
    if home.exists() and any(home.iterdir()):
        if not (home / MARKER).exists():
            raise UsageError(f"{home} is not empty and no demo of ours: name another folder with --home")
        shutil.rmtree(home)
    home.mkdir(parents=True, exist_ok=True)
    (home / MARKER).touch()
    key = home / "pii.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(32))
    return replace(
        settings,
        home=home,
        lake=str(home / "lake"),
        landing=home / "landing",
        catalog_url=f"sqlite:///{home / 'catalog.db'}",
        pii_key_file=key,
        dagster_home=home / "dagster",
    )


def _play(console: Console, platform: Platform, title: str, names: tuple[str, ...], day: date | None = None) -> bool:
    console.print()
    console.rule(f"[bold]{title}", align="left")
    launched = _launch(console, platform, names, day)
    _tell(console, launched)
    return exit_code(launched) == 0


def _launch(console: Console, platform: Platform, names: tuple[str, ...], day: date | None) -> Launched:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    datasets = select(platform.policies, names)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=sum(len(dataset.stages) for dataset in datasets))

        def hear(step: str, told: dict[str, Any]) -> None:
            progress.update(task, description=f"{told.get('stage', '')} {told.get('dataset', '')}: {step}")
            report = told.get("report")
            if isinstance(report, StageReport):
                progress.advance(task)
                if not report.passed:
                    print_report(console, report)

        return launch(platform, datasets, day.isoformat() if day else None, hear)


def _tell(console: Console, launched: Launched) -> None:
    """A sentence for each dataset of the run."""
    last = {report.dataset.urn: report for report in launched.reports}
    aside = {report.dataset.urn: report for report in launched.reports if report.passed and report.rows.quarantined}
    for urn, report in last.items():
        if not report.passed:
            console.print(
                f"[red]✗[/red] {urn}: held at {report.stage}; "
                f"{report.rows.quarantined} rows are in {report.quarantine_table}"
            )
            continue
        extra = ""
        if urn in aside:
            extra = f"; {aside[urn].rows.quarantined} rows are in {aside[urn].quarantine_table}"
        console.print(f"[green]✓[/green] {urn}: certified at v{report.version}, {report.rows.accepted} rows{extra}")
    for step, message in launched.errors.items():
        console.print(f"[red]✗[/red] {step}: {message}", markup=True)


def _finish(console: Console, platform: Platform, home: Path, seconds: float) -> None:
    console.print()
    console.rule("[bold]What consumers see now", align="left")
    tables = {dataset.urn: dataset for dataset in platform.policies.datasets}
    rows = [
        (f"gold_certified.{tables[c.dataset_urn].table}", f"v{c.version}", c.status.value, c.partition or "")
        for c in platform.catalog.certifications()
    ]
    console.print(screen.table("", ("view", "version", "status", "last certified day"), rows))
    console.print()
    console.rule("[bold]What is in quarantine, and why", align="left")
    entries = platform.catalog.quarantine()
    cells = [(e.full_name, e.partition, f"{e.rows} rows", ", ".join(list(e.signatures)[:3])) for e in entries]
    console.print(screen.table("", ("table", "day", "", "why"), cells))
    console.print()
    console.rule("[bold]Look at it yourself", align="left")
    console.print(
        f"export DATA_PLATFORM_HOME={home} DAGSTER_HOME={home / 'dagster'}\n"
        ". .venv/bin/activate\n"
        "dagster dev                      # the Dagster UI on this data: http://127.0.0.1:3000\n"
        "data-platform status             # each dataset, its version and its last run\n"
        "data-platform quarantine list    # what was set aside\n"
        "data-platform evidence list --failed\n"
        f"\nThis took {seconds:.0f} seconds.",
        markup=False,
    )
