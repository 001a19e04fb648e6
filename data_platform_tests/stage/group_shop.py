"""A publish group without Spark: real policies, catalog and stage code, over gold tables that are lists of commits.

A member's version contains a delivery of each day. ``passed`` are deliveries whose gates passed; a reader must see
nothing else, and of each day all members or none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from data_platform.installation import Platform
from data_platform.lake.commit import Commit
from data_platform.model.certification import PointerMove
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.policies import Dataset
from data_platform.settings import read_settings
from data_platform.stage.gold_history import Write, standing
from data_platform.stage.group import rule_of
from data_platform.stage.group_candidate import add_candidate
from data_platform.stage.group_publication import publish_or_wait
from data_platform_tests.verdicts import all_gates

NOW = datetime(2025, 2, 1, 3, 0, tzinfo=UTC)
SCHEMA = Schema.of([Column(name="id", type="int", nullable=False)])
GROUP = "shop_day"
Content = dict[PartitionKey | None, int]


def day(number: int) -> PartitionKey:
    """Of January 2025."""
    return PartitionKey(f"2025-01-{number:02}")


class Killed(BaseException):
    """The process ended at a step."""


@dataclass
class Gold:
    """``contents`` has the deliveries of each version."""

    path: str
    commits: list[Commit] = field(default_factory=list)
    contents: list[Content] = field(default_factory=list)

    def history_since(self, version: int) -> list[Commit]:
        return [commit for commit in reversed(self.commits) if commit.version > version]

    def commit(self, content: Content, restored: int | None = None, **note: Any) -> int:
        version = len(self.commits)
        self.commits.append(Commit(version, 1, note, restored))
        self.contents.append(content)
        return version


class WithoutSpark(Platform):
    """``tables`` maps the path of gold to its commits."""

    tables: dict[str, Gold]

    def table(self, dataset: Dataset, stage: Stage, spark: Any = None) -> Any:  # noqa: ARG002
        return self.tables[self.path(dataset, Stage.GOLD)]


@dataclass
class Shop:
    """``last`` is the last result of each day, ``empty`` has the days that had a delivery without rows."""

    root: Path
    names: tuple[str, ...] = ("items", "lines", "orders")
    partitioned: bool = True
    catalog_url: str = ""
    tables: dict[str, Gold] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    last: dict[tuple[str, PartitionKey | None], Outcome] = field(default_factory=dict)
    empty: set[tuple[str, PartitionKey | None]] = field(default_factory=set)
    numbers: Any = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.now = NOW
        (self.root / "policies").mkdir(parents=True, exist_ok=True)
        for name in self.names:
            self.declare(name)
        self.group(*self.names)
        self.platform = self.opened()

    def opened(self) -> WithoutSpark:
        """Another process, which opens the same installation."""
        named = {"DATA_PLATFORM_CATALOG_URL": self.catalog_url} if self.catalog_url else {}
        home = {"DATA_PLATFORM_HOME": str(self.root), "DATA_PLATFORM_POLICIES": str(self.root / "policies")}
        platform = WithoutSpark(read_settings(home | named), now=lambda: self.now)
        platform.tables = self.tables
        return platform

    def declare(self, name: str, rule: str = "id > 0", first: PartitionKey | None = None) -> None:
        folder = self.root / "policies" / "datasets" / "shop" / name
        folder.mkdir(parents=True, exist_ok=True)
        path = f"fake://gold/{name}"
        self.tables.setdefault(path, Gold(path))
        policy: dict[str, Any] = {
            "urn": f"ds://shop/{name}", "owner_team": "shop", "tier": "TIER_3", "storage": {"gold": path},
            "source": {"format": "csv", "path": name, "producer": "shop"},
        }  # fmt: skip
        if self.partitioned:
            policy["source"]["path"] += "/{partition}"
            policy["partition"] = {"key": "day", "start": (first or day(1)).value}
        bundle = {
            "schema": {"constraints": [{"field": "id", "type": "INT", "nullable": False}]},
            "contract": {"invariants": [{"id": "positive", "rule": rule}]},
        }
        (folder / "dataset.yaml").write_text(yaml.safe_dump(policy))
        (folder / "policy_bundle.yaml").write_text(yaml.safe_dump(bundle))

    def group(self, *names: str) -> None:
        """Declares the group anew; without ``names`` there is none."""
        file = self.root / "policies" / "groups" / f"{GROUP}.yaml"
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        if names:
            file.write_text(yaml.safe_dump({"name": GROUP, "owner_team": "shop", "members": list(names)}))

    def arrive(
        self, name: str, partition: PartitionKey | None, *, killed_at: str = "", empty: bool = False
    ) -> StageReport | None:
        """A delivery of a day passes every gate; the report of its certification, None if the process was killed."""
        dataset = self.platform.current(self.platform.policies.dataset(name))
        report = self._gold(dataset, partition, Outcome.PASSED, empty=empty)
        return self.certify(dataset, report, killed_at)

    def certify(self, dataset: Dataset, gold: StageReport, killed_at: str = "") -> StageReport | None:
        previous = self.platform.catalog.certifications.get(dataset.urn)
        floor = previous.version if previous and previous.version is not None else -1
        table = self.platform.table(dataset, Stage.GOLD)
        kept = [commit for commit in standing(table.history_since(floor)) if commit.note.get("kind") == "data"]
        writes = [Write(commit, None) for commit in reversed(kept)]
        verdict = Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.PASSED)
        version = len(table.commits) - 1
        report = replace(gold, stage=Stage.CERTIFIED, verdicts=(verdict,), version=version, finished_at=self.now)
        rule = rule_of(self.platform, dataset)
        assert rule is not None

        def die(step: str, _details: Mapping[str, Any]) -> None:
            if step == killed_at:
                raise Killed

        self.platform.on_step = die
        try:
            add_candidate(self.platform, rule, dataset, report, previous, writes, ())
            return publish_or_wait(self.platform, dataset, report)
        except Killed:
            return None
        finally:
            self.platform.on_step = lambda _step, _details: None

    def pass_gold(self, name: str, partition: PartitionKey | None) -> None:
        """A delivery of a day passes gold, and its process dies before it is certified."""
        self._gold(self.platform.policies.dataset(name), partition, Outcome.PASSED)

    def hold(self, name: str, partition: PartitionKey | None) -> None:
        """A delivery of a day fails at gold, which is restored."""
        self._gold(self.platform.policies.dataset(name), partition, Outcome.FAILED)

    def _gold(
        self, dataset: Dataset, partition: PartitionKey | None, outcome: Outcome, *, empty: bool = False
    ) -> StageReport:
        self.now += timedelta(minutes=1)
        number = next(self.numbers)
        table, run_id = self.platform.table(dataset, Stage.GOLD), f"run_20250201_{number:012x}"
        before = len(table.commits) - 1
        if empty and before >= 0 and partition not in table.contents[-1]:
            self.empty.add((dataset.urn, partition))  # it makes no commit
        else:
            content = {**(table.contents[-1] if table.contents else {}), partition: number}
            table.commit(content, dataset=dataset.urn, kind="data", run_id=run_id, partition=partition)
        version: int | None = len(table.commits) - 1
        if outcome is Outcome.PASSED:
            self.passed.add(number)
        else:
            table.commit(table.contents[before] if before >= 0 else {}, restored=before, dataset=dataset.urn)
            version = None
        report = StageReport(
            dataset=dataset.id, stage=Stage.GOLD, partition=partition, run_id=run_id, path=table.path, version=version,
            rows=RowCounts(read=1, accepted=1), verdicts=all_gates(Stage.GOLD, outcome), started_at=self.now,
            finished_at=self.now, schema=SCHEMA, policy_fingerprint=dataset.fingerprint,
        )  # fmt: skip
        reason = None if outcome is Outcome.PASSED else "a gate did not pass"
        self.platform.catalog.runs.record(report, (), held_reason=reason)
        self.last[dataset.urn, partition] = outcome
        return report

    def roll_back(self, name: str) -> None:
        """Another program restores gold to what consumers see, and the pointer follows."""
        dataset = self.platform.policies.dataset(name)
        table = self.platform.table(dataset, Stage.GOLD)
        pointer = self.platform.catalog.certifications.get(dataset.urn)
        if pointer is None or pointer.version is None or pointer.version == len(table.commits) - 1:
            return
        version = table.commit(table.contents[pointer.version], restored=pointer.version)
        move = PointerMove(expected=pointer.version, version=version, reason="restored")
        self.platform.catalog.certifications.follow(dataset.urn, move, now=self.now)

    def read(self) -> dict[str, Content]:
        """What a reader sees of each member at one moment."""
        versions = self.platform.catalog.publications.versions([f"ds://shop/{name}" for name in self.names])
        return {
            one.dataset_urn: {} if one.version is None else self.tables[one.path].contents[one.version]
            for one in versions
        }

    def waiting(self, name: str) -> list[str]:
        """For whom the versions of a member wait."""
        urn = f"ds://shop/{name}"
        return [one.reason for one in self.platform.catalog.publications.waiting(urn, now=self.now)]

    def listen(self, on_step: Callable[[str, Mapping[str, Any]], None]) -> None:
        self.platform.on_step = on_step
