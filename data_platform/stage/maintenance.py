"""Keeps the certified version readable at any age, and by any Delta reader.

It is called under the dataset's lease, when nothing of a dead run is left. Tables from before the platform protected
its tables get their properties; gold's timestamps are stored as microseconds; and the pointer follows gold to a later
version with the same rows and columns, as after a restore. The latest version is readable at any age.

None of it changes a row, and none of it moves the pointer past rows that were not certified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.lake import certified_view
from data_platform.lake.change import changes, has_same_rows
from data_platform.lake.presence import find_damage, may_exist
from data_platform.lake.protection import TIMESTAMPS
from data_platform.lake.timestamp import has_timestamps, rewrite_timestamps
from data_platform.model.certification import PointerMove
from data_platform.model.dataset import Stage
from data_platform.stage.spark_failure import condition_of, spark_errors
from data_platform.stage.table_read import protect_note

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.lake.table import LakeTable
    from data_platform.model.certification import Certification
    from data_platform.policies import Dataset


def keep_up(platform: Platform, dataset: Dataset, run_id: str) -> list[str]:
    """Does the upkeep, and returns a message for each change."""
    done = []
    stages = [stage for stage in dataset.stages if stage is not Stage.CERTIFIED]
    stages = [stage for stage in stages if may_exist(platform.path(dataset, stage))]  # only then Spark is needed
    for stage in stages:
        table = platform.table(dataset, stage)
        if table.exists and table.protect(protect_note(dataset, stage, run_id)):
            done.append(f"{dataset.urn} {stage}: old versions stay readable from now on")
    if Stage.GOLD in stages and (gold := platform.table(dataset, Stage.GOLD)).exists:
        done += _store_microseconds(platform, dataset, gold, run_id)
        done += _follow(platform, dataset, gold)
    return done


def move_to_same_rows(platform: Platform, dataset: Dataset, gold: LakeTable) -> PointerMove | None:
    """The move to gold's latest version; None if it is certified already or differs for readers."""
    pointer = platform.catalog.certifications.get(dataset.urn)
    if pointer is None or pointer.version is None or pointer.path != gold.path:
        return None
    latest = gold.version()
    if latest <= pointer.version or not _same(pointer, gold, latest) or find_damage(gold.path, latest):
        return None
    reason = f"v{pointer.version} -> v{latest}: the same rows and columns, in a version that stays readable"
    return PointerMove(expected=pointer.version, version=latest, reason=reason)


def was_rewritten_by_others(table: LakeTable, after: int) -> bool:
    """Whether a commit after version ``after`` moved rows to new files, and is not the platform's own."""
    ours = {commit.version for commit in table.history_since(after) if commit.note.get("dataset")}
    return any(c.rewritten and c.version not in ours for c in changes(table.spark, table.path, after + 1))


def _same(pointer: Certification, gold: LakeTable, latest: int) -> bool:
    if pointer.version is None or gold.schema().fingerprint != pointer.schema_fingerprint:
        return False
    return has_same_rows(gold.spark, gold.path, pointer.version, latest)


def _follow(platform: Platform, dataset: Dataset, gold: LakeTable) -> list[str]:
    move = move_to_same_rows(platform, dataset, gold)
    if move is None:
        return []
    platform.catalog.certifications.follow(dataset.urn, move, now=platform.now())
    platform.on_step("follow", {"dataset": dataset.urn, "from": move.expected, "to": move.version})
    show_pointer(platform, dataset)
    return [f"{dataset.urn} certified {move.reason}"]


def show_pointer(platform: Platform, dataset: Dataset) -> None:
    """Updates the certified view of this session, if its views were created, to the pointer."""
    if not platform.has_views:
        return
    pointer = platform.catalog.certifications.get(dataset.urn)
    if pointer is not None:
        certified_view.show(platform.spark, dict.fromkeys(platform.policies.view_names(dataset), pointer))


def _store_microseconds(platform: Platform, dataset: Dataset, gold: LakeTable, run_id: str) -> list[str]:
    """Only for certified rows: other rows are written as microseconds, or rewritten by the next run."""
    pointer, latest = platform.catalog.certifications.get(dataset.urn), gold.version()
    if pointer is None or pointer.version is None or pointer.path != gold.path:
        return []
    marked = gold.properties().get(TIMESTAMPS[0]) == TIMESTAMPS[1]
    if marked and (latest <= pointer.version or not was_rewritten_by_others(gold, pointer.version)):
        return []
    if latest < pointer.version or not _same(pointer, gold, latest):
        return []
    return rewrite_gold_timestamps(dataset, gold, run_id)


def rewrite_gold_timestamps(dataset: Dataset, gold: LakeTable, run_id: str) -> list[str]:
    """Rewrites gold into files that every reader understands; an unreadable one stays, so that a run can replace it."""
    done = []
    if has_timestamps(gold):
        try:
            version = rewrite_timestamps(gold, {**protect_note(dataset, Stage.GOLD, run_id), "kind": "rewrite"})
        except spark_errors() as error:
            return [f"{dataset.urn} gold: its timestamps could not be rewritten ({condition_of(error)})"]
        if version is not None:
            done.append(f"{dataset.urn} gold: v{version} stores timestamps as microseconds, the rows are the same")
    gold.protect(protect_note(dataset, Stage.GOLD, run_id), **dict([TIMESTAMPS]))
    return done
