"""Runs the last delivered days with the proposed policy, in a home of its own: the gates judge as they will.

The lake, the catalog and the keys of the trial are below the folder of the onboarding and are deleted at its end; the
deliveries are only read. What stays is what the gates said, by day.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.key_file import make_key
from data_platform.model.personal import redacted
from data_platform.model.private_path import private_folder
from data_platform.model.run import new_run_id
from data_platform.model.verdict import Outcome
from data_platform.stage import driver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset
    from data_platform.review.folder import OnboardingFolder

WHOLE = "all"


def try_days(
    platform: Platform,
    folder: OnboardingFolder,
    urn: str,
    days: Sequence[PartitionKey | None],
    on_day: Callable[[dict[str, Any]], None],
) -> None:
    """Runs every stage of each day, and calls ``on_day`` with the result of each as soon as it is there."""
    folder.forget_trial()
    private_folder(folder.trial)
    trial = _installation(platform, folder)
    for file in (trial.settings.pii_key_file, trial.settings.evidence_key):
        make_key(file)  # a run that makes one asks to back it up
    try:
        dataset = trial.policies.dataset(urn)
        for day in days:
            on_day(_tried(trial, dataset, day))
    finally:
        trial.close()
        folder.forget_trial()


def _installation(platform: Platform, folder: OnboardingFolder) -> Platform:
    """Shares the session and the landing folder with ``platform``, and nothing else."""
    home = folder.trial
    settings = replace(
        platform.settings,
        home=home,
        lake=str(home / "lake"),
        policies=folder.policies,
        catalog_url=f"sqlite:///{home / 'catalog.db'}",
        pii_key_file=home / "pii.key",
        evidence_key_file=None,
        dagster_home=home / "dagster",
        kafka_bootstrap=None,
        openlineage_url=None,
        alert_urls={},
        alerts_file=None,
    )
    return Platform(settings, now=platform.now, session=platform.spark)


def _tried(trial: Platform, dataset: Dataset, day: PartitionKey | None) -> dict[str, Any]:
    """The result of a day; an error is one too, since other days may pass."""
    reports: list[StageReport] = []
    error = ""
    try:
        for report in driver.run(trial, dataset, day, new_run_id(trial.now())):
            reports.append(report)
    except DataPlatformError as raised:
        error = redacted(str(raised))
    silver = next((report for report in reports if report.stage is Stage.SILVER), None)
    is_certified = bool(reports) and reports[-1].stage is Stage.CERTIFIED and reports[-1].passed
    held_at = reports[-1].stage.value if reports and not error else "an error"
    return {
        "day": str(day) if day else WHOLE,
        "certified": is_certified,
        "held_at": None if is_certified else held_at,
        "error": error,
        "read": silver.rows.read if silver else None,
        "accepted": silver.rows.accepted if silver else None,
        "rejected": silver.rows.quarantined if silver else None,
        "rules": [broken for report in reports for broken in _broken(report)],
    }


def _broken(report: StageReport) -> list[dict[str, Any]]:
    return [
        {"stage": report.stage.value, "rule": result.signature, "rows": result.rows, "severity": result.severity.value,
         "reason": result.reason}
        for verdict in (one.redacted() for one in report.verdicts)
        for result in verdict.results
        if result.outcome is not Outcome.PASSED
    ]  # fmt: skip
