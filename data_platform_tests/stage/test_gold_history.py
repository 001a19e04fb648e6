"""Which commits of gold count, and which of them hold certification back: read from a history, without Spark."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data_platform.lake.commit import Commit
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Outcome
from data_platform.policies import Dataset
from data_platform.stage.gold_history import discarded, find_unjudged, floor_of, standing
from data_platform_tests.policies.tree import landed, load

URN = "ds://shop/orders"


@dataclass
class History:
    """A table of which only the commits are read, the latest first."""

    commits: list[Commit]

    def history_since(self, version: int) -> list[Commit]:
        return [commit for commit in self.commits if commit.version > version]


@dataclass
class Outcomes:
    """The outcomes that the catalog has of versions of gold."""

    by_version: dict[int, Outcome] = field(default_factory=dict)

    def outcome_of(self, urn: str, stage: Stage, version: int) -> Outcome | None:
        assert (urn, stage) == (URN, Stage.GOLD)
        return self.by_version.get(version)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return load(tmp_path, landed()).dataset(URN)


def written(version: int, *, partition: str = "2025-01-06", kind: str = "data", urn: str = URN) -> Commit:
    return Commit(version, 1, {"dataset": urn, "kind": kind, "partition": partition})


def restored(version: int, to: int) -> Commit:
    return Commit(version, 0, {"dataset": URN, "kind": "restore"}, restored=to, operation="RESTORE")


def certified(version: int | None) -> Certification:
    status = CertificationStatus.UNCERTIFIED if version is None else CertificationStatus.CERTIFIED
    return Certification(dataset_urn=URN, status=status, version=version)


def unjudged(dataset: Dataset, commits: list[Commit], passed: tuple[int, ...], previous: int | None) -> Any:
    catalog = SimpleNamespace(runs=Outcomes(dict.fromkeys(passed, Outcome.PASSED)))
    platform: Any = SimpleNamespace(catalog=catalog)
    table: Any = History(commits)
    return find_unjudged(platform, dataset, table, certified(previous))


@pytest.mark.parametrize(
    ("commits", "kept", "rolled_back"),
    [
        pytest.param([written(2), written(1)], [2, 1], set(), id="only writes"),
        pytest.param([restored(3, to=1), written(2), written(1)], [1], {2}, id="a restore rolls back one"),
        pytest.param(
            [written(5), restored(4, to=1), written(3), written(2), written(1)], [5, 1], {3, 2}, id="a write after it"
        ),
        pytest.param(
            [restored(5, to=2), restored(4, to=1), written(3), written(2), written(1)],
            [2, 1],
            {4, 3},
            id="a restore of what an earlier restore rolled back",
        ),
        pytest.param([], [], set(), id="no commit"),
    ],
)
def test_a_restore_rolls_back_the_commits_after_its_version(
    commits: list[Commit], kept: list[int], rolled_back: set[int]
) -> None:
    assert [commit.version for commit in standing(commits)] == kept
    assert discarded(commits) == rolled_back


@pytest.mark.parametrize(
    ("previous", "floor"),
    [
        pytest.param(None, -1, id="never certified"),
        pytest.param(certified(None), -1, id="held from the start"),
        pytest.param(certified(0), 0, id="certified at the first version"),
        pytest.param(certified(7), 7, id="certified"),
    ],
)
def test_commits_after_the_certified_version_are_judged(previous: Certification | None, floor: int) -> None:
    assert floor_of(previous) == floor


def test_commits_that_passed_can_be_certified(dataset: Dataset) -> None:
    commits = [written(4, partition="2025-01-07"), written(3, kind="maintenance"), written(2), written(1)]

    assert unjudged(dataset, commits, passed=(2, 4), previous=1) is None


def test_the_oldest_commit_without_a_passed_verdict_holds_the_version(dataset: Dataset) -> None:
    commits = [written(4, partition="2025-01-08"), written(3, partition="2025-01-07"), written(2), written(1)]

    found = unjudged(dataset, commits, passed=(2,), previous=1)

    assert (found.commit.version, found.reason) == (3, "has no passed verdict in the catalog")


def test_a_commit_that_was_rolled_back_does_not_hold_the_version(dataset: Dataset) -> None:
    commits = [restored(3, to=1), written(2), written(1)]

    assert unjudged(dataset, commits, passed=(), previous=1) is None


def test_a_restore_of_a_version_older_than_the_certified_one_holds_the_version(dataset: Dataset) -> None:
    commits = [restored(4, to=1), written(3), written(2), written(1)]

    found = unjudged(dataset, commits, passed=(2, 3), previous=3)

    assert found.commit.version == 4
    assert found.reason == "brings back v1, which is older than what consumers see"
