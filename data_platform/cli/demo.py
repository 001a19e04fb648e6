"""``data-platform demo``: real flights from New York on two good days, four bad ones, and one without its weather.

The demo uses the same pipeline as any other data: deliveries land in a folder, and every stage is a Dagster asset.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.cli.demo_late_day import COMPLETE, TITLE, describe_late_day, look_at_late_day
from data_platform.cli.guard import DONE, ERROR, HELD
from data_platform.cli.quarantine import why
from data_platform.cli.recorded_dataset import certified_name
from data_platform.cli.run import document, exit_code, launch_shown, print_report
from data_platform.cli.status import version, word
from data_platform.demo import landing
from data_platform.errors import UsageError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.key_file import make_key
from data_platform.model.partition_key import PartitionKey
from data_platform.stage.selection import select

if TYPE_CHECKING:
    from datetime import date

    from rich.console import Console

    from data_platform.model.run import StageReport
    from data_platform.orchestration.launched import Launched
    from data_platform.settings import Settings

MARKER = "this_is_a_demo"
REFERENCES = ("airlines", "airports", "planes")
GOOD_DAYS = 2
DAILY = ("flights", "weather", "bookings", "carrier_daily", "airport_hour")
WATCHED = ("flights", "carrier_daily")
"""On a bad day only the flights are bad; the day's other deliveries are not run, to keep the demo short."""


@dataclass(frozen=True)
class Act:
    """A part of the demo: the run, and the exit code that it should end with."""

    title: str
    partition: PartitionKey | None
    launched: Launched
    expected: int

    @property
    def as_expected(self) -> bool:
        return exit_code(self.launched) == self.expected


def demonstrate(settings: Settings, home: Path, *, as_json: bool) -> int:
    """Runs the whole demo in ``home``, after deleting an earlier demo there. Returns 0 if every part went as expected.

    Raises:
        UsageError: ``home`` is not empty and holds no demo.
    """
    console, started = screen.nowhere() if as_json else screen.of_run(), time.monotonic()
    settings = _fresh_home(settings, home)
    platform = Platform(settings)
    try:
        console.rule("[bold]A data platform, on real flights", align="left")
        console.print(
            "Flights that left New York in January 2013, with airlines, airports, aircraft and that day's weather,\n"
            "and bookings with made-up passengers. Each dataset passes bronze → silver → gold → certified view;\n"
            "gates check it at each stage. First Spark starts, which takes about ten seconds."
        )
        landing.land_references(settings.landing)
        acts = [_play(console, platform, "References: airlines, airports, planes", REFERENCES)]
        for day in landing.days()[:GOOD_DAYS]:
            landing.land(settings.landing, day)
            acts.append(_play(console, platform, f"A good day: {day:%A, %-d %B %Y}", DAILY, day))
        acts.append(_play_late(console, platform))
        late = look_at_late_day(console, platform)
        for number, bad in enumerate(landing.BAD_DAYS, start=1):
            bad.land(settings.landing)
            acts.append(_play_bad(console, platform, number, bad))
        _finish(console, platform, home, time.monotonic() - started)
        if as_json:
            screen.print_json({**demo_document(acts, platform, home), "incident": late})
    finally:
        platform.close()
    as_expected = late is not None and all(act.as_expected for act in acts)
    if not as_expected and not as_json:
        screen.err().print("error: some parts did not end as the demo expects: see above", markup=False)
    return DONE if as_expected else ERROR


def demo_document(acts: list[Act], platform: Platform, home: Path) -> dict[str, Any]:
    """The demo as JSON: each act and whether it ended as expected, what consumers see, and what is in quarantine."""
    parts = [
        {"title": act.title, "partition": act.partition, "as_expected": act.as_expected, **document(act.launched)}
        for act in acts
    ]
    return {
        "exit_code": DONE if all(act.as_expected for act in acts) else ERROR,
        "home": str(home),
        "acts": parts,
        "certified": platform.catalog.certifications.all(),
        "quarantine": platform.catalog.quarantine.entries(),
    }


def _fresh_home(settings: Settings, home: Path) -> Settings:
    if home.exists() and any(home.iterdir()):
        if not (home / MARKER).exists():
            raise UsageError(f"{home} is not empty and was not made by this demo: name another folder with --home")
        shutil.rmtree(home)
    home.mkdir(parents=True, exist_ok=True)
    (home / MARKER).touch()
    for key in (home / "pii.key", home / "evidence.key"):
        make_key(key)
    return replace(
        settings,
        home=home,
        lake=str(home / "lake"),
        landing=home / "landing",
        catalog_url=f"sqlite:///{home / 'catalog.db'}",
        pii_key_file=home / "pii.key",
        evidence_key_file=None,
        dagster_home=home / "dagster",
    )


def _play(console: Console, platform: Platform, title: str, names: tuple[str, ...], day: date | None = None) -> Act:
    _title(console, title)
    partition = PartitionKey.of_value(day) if day else None
    launched = _launch(console, platform, names, partition)
    _print_results(console, launched)
    return Act(title, partition, launched, DONE)


def _play_late(console: Console, platform: Platform) -> Act:
    day = landing.days()[GOOD_DAYS]
    landing.land_without_marker(platform.settings.landing, day)
    _title(console, TITLE)
    describe_late_day(console)
    partition = PartitionKey.of_value(day)
    launched = _launch(console, platform, COMPLETE, partition)
    _print_results(console, launched)
    return Act(TITLE, partition, launched, DONE)


def _play_bad(console: Console, platform: Platform, number: int, bad: landing.BadDay) -> Act:
    title = f"Bad day {number}: {bad.title} ({bad.day:%-d %B})"
    _title(console, title)
    console.print(f"What happened:    {bad.what_happened}\nExpected result:  {bad.expected}\n", markup=False)
    partition = PartitionKey.of_value(bad.day)
    launched = _launch(console, platform, WATCHED, partition)
    _print_results(console, launched)
    return Act(title, partition, launched, DONE if bad.certifies else HELD)


def _launch(console: Console, platform: Platform, names: tuple[str, ...], partition: PartitionKey | None) -> Launched:
    """Runs the datasets, and prints the gates only of a held stage."""

    def show(report: StageReport) -> None:
        if not report.passed:
            print_report(console, report)

    datasets = select(platform.policies, names)
    return launch_shown(console, platform, datasets, partition, show)


def _print_results(console: Console, launched: Launched) -> None:
    """Prints a line for each dataset of the run."""
    last = {report.dataset.urn: report for report in launched.reports}
    quarantined = {r.dataset.urn: r for r in launched.reports if r.passed and r.rows.quarantined}
    for urn, report in last.items():
        if not report.passed:
            result = f"held at {report.stage}"  # the lines of its gates, printed before, give the reason
        elif report.stage is not Stage.CERTIFIED:
            result = f"ended with an error after {report.stage}"
        else:
            result = f"certified at v{report.version}, {report.rows.accepted} rows" + _quarantined(quarantined.get(urn))
        _mark(console, f"{urn}: {result}", good=report.passed and report.stage is Stage.CERTIFIED)
    for step, message in launched.errors.items():
        _mark(console, f"{step}: {message}", good=False)


def _quarantined(report: StageReport | None) -> str:
    if report is None or not report.rows.quarantined:
        return ""
    return f"; {report.rows.quarantined} rows are in {report.quarantine_table}"


def _mark(console: Console, sentence: str, *, good: bool) -> None:
    from rich.text import Text

    console.print(Text.assemble(("✓", "green") if good else ("✗", "red"), f" {sentence}"))


def _finish(console: Console, platform: Platform, home: Path, seconds: float) -> None:
    _title(console, "What consumers see now")
    views = [
        (certified_name(platform.policies, c.dataset_urn), version(c.version), word(c.status), c.partition)
        for c in platform.catalog.certifications.all()
    ]
    screen.print_table(console, ("view", "version", "status", "last day"), views)
    _title(console, "What is in quarantine, and why")
    entries = [(e.full_name, e.partition, e.rows, why(e)) for e in platform.catalog.quarantine.entries()]
    screen.print_table(console, ("table", "day", "rows", "why"), entries)
    _title(console, "Look at it yourself")
    for line in look_yourself(home, Path.cwd()):
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"\nThis took {seconds:.0f} seconds.", markup=False)


def look_yourself(home: Path, here: Path) -> tuple[str, ...]:
    """The commands to type in a shell in the folder ``here``."""
    place = f"$PWD/{home.relative_to(here)}" if home.is_relative_to(here) else str(home)
    return (
        f'export DATA_PLATFORM_HOME="{place}" DAGSTER_HOME="{place}/dagster"',
        ". .venv/bin/activate",
        "dagster dev                         # the Dagster UI on this data: http://127.0.0.1:3000",
        "data-platform status                # each dataset, its version and its last run",
        "data-platform quarantine list       # the rows and batches in quarantine, and why",
        "data-platform token create me --role PLATFORM_ADMIN    # the token with which you sign in to the portal",
        "data-platform serve                 # the portal: http://127.0.0.1:8080/?at=2013-01-04T08:05:00-05:00",
    )


def _title(console: Console, title: str) -> None:
    from rich.text import Text

    console.print()
    console.rule(Text(title, "bold"), align="left")
