"""After a crash: finds commits that were not judged, and rolls them back.

A run records in the catalog what it is about to write, and its commit contains its run id. If the intent is still open
and no other run has the dataset's lease, the run is dead. It left one of:

    no commit                         nothing happened; the intent is closed
    a commit, and its record          it died after the verdict; the intent is closed
    a commit, and no record           it was not judged: the table is restored to the version before

If files of the version before were deleted, the commit stays where it is. It is not certified; the next run of its day
replaces it.

After that the pointer follows gold to the restored version, and tables get the properties that keep old versions
readable (``maintenance``). Quarantine tables that no record names are removed: their rows still exist at their source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UnreadableVersionError
from data_platform.lake.presence import find_damage
from data_platform.lake.table import LakeTable
from data_platform.model.dataset import Stage
from data_platform.model.run import quarantine_name
from data_platform.stage.gold_history import standing
from data_platform.stage.maintenance import keep_up
from data_platform.stage.table_read import restore

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.lake.commit import Commit
    from data_platform.model.intent import Intent
    from data_platform.policies import Dataset


def reconcile(platform: Platform, dataset: Dataset, run_id: str) -> list[str]:
    """Reconciles, and returns a message for each action. Call it under the lease; ``run_id`` is the caller's."""
    messages = []
    for intent in sorted(platform.catalog.runs.open_intents(dataset.urn), key=lambda i: i.opened_at, reverse=True):
        outcome = _settle(platform, dataset, intent)
        platform.catalog.runs.close_intent(
            intent.run_id, intent.stage, outcome=outcome, now=platform.now(), dataset_urn=intent.dataset_urn
        )
        messages.append(f"{intent.dataset_urn} {intent.stage} {intent.partition or ''} of {intent.run_id}: {outcome}")
        platform.on_step("reconcile", {"dataset": dataset.urn, "stage": intent.stage.value, "outcome": outcome})
    return messages + keep_up(platform, dataset, run_id)


def _settle(platform: Platform, dataset: Dataset, intent: Intent) -> str:
    if platform.catalog.runs.is_recorded(intent.run_id, intent.dataset_urn, intent.stage):
        return "recorded"
    _remove_orphans(platform, dataset, intent)
    table = LakeTable(platform.spark, intent.path)
    if not table.exists:
        return "never written"
    since = table.history_since(intent.before if intent.before is not None else -1)
    if not any(_is_data_of(intent, commit) for commit in since):
        return "never written"
    if not any(_is_data_of(intent, commit) for commit in standing(since)):
        return "taken back"
    before = intent.before or 0
    try:
        restore(table, before, {**intent.note, "kind": "restore", "by": "reconcile"})
    except UnreadableVersionError:
        damage = find_damage(intent.path, before)
        if damage is None:
            raise
        return f"cannot be taken back, since {damage}: run each day whose files are gone again"
    return "taken back"


def _is_data_of(intent: Intent, commit: Commit) -> bool:
    return commit.note.get("run_id") == intent.run_id and commit.note.get("kind") == "data"


def _remove_orphans(platform: Platform, dataset: Dataset, intent: Intent) -> None:
    name = quarantine_name(dataset.id, intent.opened_at, intent.run_id)
    for candidate in (name, f"{name}_{Stage.BRONZE}", f"{name}_{Stage.GOLD}"):
        table = LakeTable(platform.spark, platform.quarantine_path(candidate))
        if platform.catalog.quarantine.entry(candidate) is None:
            table.remove()  # a table, or files of one without a first commit
