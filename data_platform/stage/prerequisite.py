"""A stage depends on the one before it; after a held stage the next one must not use an older slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import PolicyError, UsageError
from data_platform.lake.commit import commits
from data_platform.model.dataset import Stage
from data_platform.model.quarantine_decision import RELEASES
from data_platform.model.run import ENFORCEMENT, FAILED_BEFORE, JUDGED_UNDER
from data_platform.model.stage_gate import unjudged
from data_platform.model.token_use import TOKEN_KEYS, keys_in
from data_platform.model.verdict import Outcome
from data_platform.model.waiver import WAIVERS

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset


def require_judged(platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None) -> RunRow:
    """The last run of ``stage``, which was not held; ``version_of`` has the version that it judged.

    Raises:
        UsageError: The last run of ``stage`` for this partition was held, or there is none.
    """
    last = platform.catalog.runs.latest(dataset.urn, stage, partition)
    what = _what(dataset, stage, partition)
    if last is None:
        raise UsageError(f"{what} has not run yet: run it first")
    if not last.proceeds or last.version is None:
        raise UsageError(f"{what} was held in {last.run_id}: fix the cause, and run {stage} again first")
    if missing := unjudged(last.verdicts, stage, derived=dataset.derived):
        raise UsageError(
            f"{what} has no passed verdict of {', '.join(missing)} in {last.run_id}: run {stage} again first"
        )
    return last


def version_of(row: RunRow) -> int:
    """The version at which the stage was judged: a later one may be a commit that was not judged."""
    assert row.version is not None, "a stage that was not held has a version"  # noqa: S101
    return row.version


def require_current(platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None) -> RunRow:
    """Like ``require_judged``, but for a stage that reads the rows: verdicts and enforcement must be those of today.

    Raises:
        UsageError: The last run of ``stage`` was held, ran under an older policy, or failed in a mode that held
            nothing, and today's mode holds.
    """
    last = require_judged(platform, dataset, stage, partition)
    what = _what(dataset, stage, partition)
    if not last.qualifies and dataset.enforcement.blocks:
        raise UsageError(
            f"{what} failed in {last.run_id} under {last.metadata.get(ENFORCEMENT)}, which held nothing; "
            f"{dataset.urn} is {dataset.enforcement.mode} now: run {stage} again first"
        )
    if not is_current(dataset, last):
        raise UsageError(
            f"{what} passed in {last.run_id} under another policy than today's, which was not applied to its rows: "
            f"run {stage} again first"
        )
    return last


def carried_over(row: RunRow) -> dict[str, Any]:
    """The metadata of a stage that reads the rows of ``row``: failures that nothing held, waivers, releases, keys."""
    failed, waivers = list(row.metadata.get(FAILED_BEFORE, ())), row.metadata.get(WAIVERS, ())
    if row.outcome is Outcome.FAILED:
        failed.append(f"{row.stage} in {row.run_id}: {', '.join(row.signatures) or row.reason}")
    releases, keys = row.metadata.get(RELEASES, ()), keys_in(row.metadata)
    carried = ((FAILED_BEFORE, failed), (WAIVERS, waivers), (RELEASES, releases), (TOKEN_KEYS, keys))
    return {name: value for name, value in carried if value}


def _what(dataset: Dataset, stage: Stage, partition: PartitionKey | None) -> str:
    return f"{stage} of {dataset.urn} {partition or ''}".rstrip()


def is_current(dataset: Dataset, report: RunRow) -> bool:
    """Whether ``report`` was judged by the current values of the policy parts that the gates of its stage read."""
    judged_under = report.metadata.get(JUDGED_UNDER)
    if judged_under is None:  # recorded before stages had a fingerprint of their own
        return report.policy_fingerprint == dataset.fingerprint
    return bool(judged_under == dataset.judgement(report.stage))


def require_in_place(platform: Platform, dataset: Dataset) -> None:
    """What consumers see is at the place of gold in the policy, or was copied there with all its versions.

    Raises:
        PolicyError: Gold has another place now, and would start there at version 0, without the other days.
    """
    pointer, table = platform.catalog.certifications.get(dataset.urn), platform.table(dataset, Stage.GOLD)
    if pointer is None or pointer.version is None or pointer.path == table.path:
        return
    if table.exists and table.version() >= pointer.version:
        at_pointer = commits(platform.spark, table.path, pointer.version, pointer.version)
        # Delta deletes the beginning of a long history; a table that has just begun has all of it.
        if all(commit.note.get("dataset") == dataset.urn for commit in at_pointer):
            return
    raise PolicyError(
        f"{dataset.urn} is certified at v{pointer.version} of {pointer.path}, and its gold table now belongs at "
        f"{table.path} (storage.gold, else gold/<zone>/<name> in the lake), where that version is not: move the whole "
        f"folder there, with its _delta_log, or name the old one as storage.gold; the same for bronze and silver. Then "
        "run again. Consumers keep what they see"
    )


def delivery_id(platform: Platform, dataset: Dataset, stage: Stage, partition: PartitionKey | None) -> str:
    """The delivery that ``stage`` ingested last for this partition; empty if there is none, as in a derived dataset."""
    last = platform.catalog.runs.latest(dataset.urn, stage, partition)
    return last.delivery_id if last else ""
