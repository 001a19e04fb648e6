"""``data-platform restore``: restores gold to the version before the oldest commit that was not judged.

Nothing is deleted: what is rolled back stays readable as an older version of the table, until somebody vacuums it with
a retention shorter than the table's own. Later commits of the platform are rolled back as well; their days have to be
run again, and certification refuses them until then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.model.dataset import Stage
from data_platform.stage.gold_history import find_unjudged, standing
from data_platform.stage.maintenance import keep_up
from data_platform.stage.reconcile import reconcile
from data_platform.stage.table_read import restore as take_back

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.lake.commit import Commit
    from data_platform.policies import Dataset


@dataclass(frozen=True)
class Restoration:
    """Restores the table at ``path`` from version ``latest`` to its state at ``to``."""

    dataset_urn: str
    path: str
    to: int
    latest: int
    reason: str
    discards: tuple[Commit, ...]

    @property
    def days_to_run_again(self) -> tuple[str, ...]:
        """Partitions whose own, judged rows are rolled back too."""
        ours = (c for c in self.discards if c.note.get("dataset") == self.dataset_urn and c.note.get("kind") == "data")
        return tuple(sorted({str(commit.note.get("partition") or "all") for commit in ours}))

    def describe(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "dataset": self.dataset_urn,
            "path": self.path,
            "from": self.latest,
            "to": self.to,
            "reason": f"v{self.discards[0].version} {self.reason}",
            "discards": [
                {"version": c.version, "operation": c.operation, "rows": c.rows, "run_id": c.note.get("run_id")}
                for c in self.discards
            ],
            "run_again": list(self.days_to_run_again),
        }


def plan(platform: Platform, dataset: Dataset, run_id: str) -> Restoration | None:
    """The plan of ``restore``; None if every row of gold was judged. Call it under the dataset's lease."""
    reconcile(platform, dataset, run_id)
    gold = platform.table(dataset, Stage.GOLD)
    previous = platform.catalog.certifications.get(dataset.urn)
    unjudged = find_unjudged(platform, dataset, gold, previous) if gold.exists else None
    if unjudged is None:
        return None
    to = unjudged.commit.version - 1
    gone = [
        unjudged.commit,
        *(c for c in reversed(standing(gold.history_since(to))) if c.version != unjudged.commit.version),
    ]
    return Restoration(dataset.urn, gold.path, to, gold.version(), unjudged.reason, tuple(gone))


def restore(platform: Platform, dataset: Dataset, run_id: str, planned: Restoration) -> list[str]:
    """Restores, and returns a message for each action. Call it under the lease under which it was planned.

    Raises:
        UnreadableVersionError: Files that the older version needs are gone.
    """
    gold = platform.table(dataset, Stage.GOLD)
    note = {
        "run_id": run_id,
        "dataset": dataset.urn,
        "stage": Stage.GOLD.value,
        "kind": "restore",
        "by": "restore",
        "discards": [commit.version for commit in planned.discards],
    }
    version = take_back(gold, planned.to, note)
    done = [f"{dataset.urn} gold: v{version} is again what v{planned.to} was"]
    return done + keep_up(platform, dataset, run_id)
