"""Which commits of gold count, and which of them hold certification back: read from a history, without Spark."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.lake.commit import Commit
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import FAILED_BEFORE, RowCounts, RunRow
from data_platform.model.verdict import Outcome
from data_platform.policies import Dataset
from data_platform.stage import gold_history
from data_platform.stage.gold_history import discarded, find_failed, find_unjudged, floor_of, standing, writes_since
from data_platform_tests.policies.tree import landed, load

URN = "ds://shop/orders"
NOON = datetime(2025, 1, 7, 12, tzinfo=UTC)


@dataclass
class History:
    """A table of which only the commits are read, the latest first."""

    commits: list[Commit]
    spark: Any = None
    path: str = "gold"

    def history_since(self, version: int) -> list[Commit]:
        return [commit for commit in self.commits if commit.version > version]


@dataclass
class Records:
    """The runs of gold that the catalog has; ``run_2`` wrote version 2."""

    by_run: dict[str, RunRow] = field(default_factory=dict)

    def get(self, run_id: str, urn: str, stage: Stage) -> RunRow | None:
        assert (urn, stage) == (URN, Stage.GOLD)
        return self.by_run.get(run_id)


def judged(version: int, outcome: Outcome = Outcome.PASSED, **metadata: Any) -> RunRow:
    return RunRow(
        run_id=f"run_{version}", dataset_urn=URN, stage=Stage.GOLD, partition=PartitionKey("2025-01-06"),
        outcome=outcome, path="gold", version=version, rows=RowCounts(), started_at=NOON, finished_at=NOON,
        metadata=metadata,
    )  # fmt: skip


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return load(tmp_path, landed()).dataset(URN)


def written(version: int, *, partition: str = "2025-01-06", kind: str = "data", urn: str = URN) -> Commit:
    return Commit(version, 1, {"dataset": urn, "kind": kind, "partition": partition, "run_id": f"run_{version}"})


def restored(version: int, to: int) -> Commit:
    return Commit(version, 0, {"dataset": URN, "kind": "restore"}, restored=to, operation="RESTORE")


def certified(version: int | None) -> Certification:
    status = CertificationStatus.UNCERTIFIED if version is None else CertificationStatus.CERTIFIED
    return Certification(dataset_urn=URN, status=status, version=version)


def unjudged(dataset: Dataset, commits: list[Commit], passed: tuple[int, ...], previous: int | None) -> Any:
    table: Any = History(commits)
    return find_unjudged(platform_of(*map(judged, passed)), dataset, table, certified(previous))


def platform_of(*rows: RunRow) -> Any:
    return SimpleNamespace(catalog=SimpleNamespace(runs=Records({row.run_id: row for row in rows})))


def failed(monkeypatch: pytest.MonkeyPatch, dataset: Dataset, commits: list[Commit], *rows: RunRow) -> list[int | None]:
    """The versions that failed and are in the table, certified at v1; each commit's file is named for its partition."""
    files = {commit.version: (f"{commit.note.get('partition')}/{commit.version}", 0) for commit in commits}
    latest = {str(commit.note.get("partition")): commit for commit in reversed(standing(commits))}

    def changes(_spark: Any, _path: str, first: int, _last: int) -> list[Any]:
        return [SimpleNamespace(files={files[first][0]})]

    def live_files(_spark: Any, _path: str) -> list[tuple[str, int]]:
        return [files[commit.version] for commit in latest.values()]

    monkeypatch.setattr(gold_history, "changes", changes)
    monkeypatch.setattr(gold_history, "live_files", live_files)
    table: Any = History(commits)
    writes = writes_since(platform_of(*rows), dataset, table, certified(1))
    return [row.version for row in find_failed(table, writes)]


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


def test_a_version_that_another_run_judged_is_not_judged_for_the_run_that_wrote_it(dataset: Dataset) -> None:
    """A run that writes no rows records the version that it found."""
    commits = [written(2), written(1)]
    table: Any = History(commits)
    without_rows = replace(judged(2), run_id="run_without_rows")

    found = find_unjudged(platform_of(without_rows), dataset, table, certified(1))

    assert found is not None
    assert found.commit.version == 2


A_DAY, NEXT_DAY = "2025-01-06", "2025-01-07"


@pytest.mark.parametrize(
    ("commits", "rows", "versions"),
    [
        pytest.param([written(2)], [judged(2)], [], id="it passed"),
        pytest.param([written(2)], [judged(2, Outcome.WAIVED)], [], id="a waiver covers it"),
        pytest.param([written(2)], [judged(2, Outcome.FAILED)], [2], id="it failed"),
        pytest.param([written(2)], [judged(2, Outcome.ERRORED)], [2], id="it is errored"),
        pytest.param([written(2)], [judged(2, **{FAILED_BEFORE: ["silver in run_2: X"]})], [2], id="silver failed"),
        pytest.param([written(2)], [], [], id="it was not judged at all, which find_unjudged reports"),
        pytest.param(
            [written(3, partition=NEXT_DAY), written(2)],
            [judged(3), judged(2, Outcome.FAILED)],
            [2],
            id="another day passed since",
        ),
        pytest.param(
            [written(3), written(2)], [judged(3), judged(2, Outcome.FAILED)], [], id="its day was run again, and passed"
        ),
        pytest.param(
            [written(3), written(2)],
            [judged(3, Outcome.FAILED), judged(2)],
            [3],
            id="its day passed first, and failed when it was run again",
        ),
        pytest.param(
            [written(3), written(2)],
            [judged(3, **{FAILED_BEFORE: ["bronze in run_3: X"]}), judged(2, Outcome.FAILED)],
            [3],
            id="its day was run again from a bronze that failed",
        ),
        pytest.param([restored(3, to=1), written(2)], [judged(2, Outcome.FAILED)], [], id="a restore rolled it back"),
        pytest.param(
            [restored(4, to=2), written(3), written(2)],
            [judged(3), judged(2, Outcome.FAILED)],
            [2],
            id="a restore rolled back the run that replaced it",
        ),
    ],
)
def test_a_failed_slice_counts_until_a_run_of_its_day_passes(
    monkeypatch: pytest.MonkeyPatch, dataset: Dataset, commits: list[Commit], rows: list[RunRow], versions: list[int]
) -> None:
    assert failed(monkeypatch, dataset, commits, *rows) == versions


DAYS = ("2025-01-06", "2025-01-07", "2025-01-08")
OUTCOMES = (Outcome.PASSED, Outcome.WAIVED, Outcome.FAILED)


@given(
    steps=st.lists(
        st.one_of(st.tuples(st.sampled_from(DAYS), st.sampled_from(OUTCOMES), st.booleans()), st.integers(min_value=1)),
        max_size=12,
    )
)
def test_a_version_has_a_failed_slice_if_and_only_if_the_last_run_of_a_day_in_it_failed(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Any]
) -> None:
    """Each step writes a day, perhaps of a failed silver, or restores an earlier version, v1 or later."""
    dataset = load(tmp_path_factory.mktemp("policies"), landed()).dataset(URN)
    commits, rows, contents = [written(1)], {}, [{}, {}]  # contents: which version wrote each day, by version
    for step in steps:
        version = len(contents)
        if isinstance(step, int):
            to = 1 + step % (version - 1)
            commits.insert(0, restored(version, to=to))
            contents.append(dict(contents[to]))
            continue
        day, outcome, after_failure = step
        commits.insert(0, written(version, partition=day))
        rows[version] = judged(version, outcome, **({FAILED_BEFORE: ["silver"]} if after_failure else {}))
        contents.append({**contents[-1], day: version})
    expected = {version for version in contents[-1].values() if not rows[version].qualifies}

    with pytest.MonkeyPatch.context() as patch:
        live = [(str(version), 0) for version in contents[-1].values()]
        patch.setattr(gold_history, "changes", lambda _s, _p, first, _l: [SimpleNamespace(files={str(first)})])
        patch.setattr(gold_history, "live_files", lambda _s, _p: live)
        table: Any = History(commits)
        found = find_failed(table, writes_since(platform_of(*rows.values()), dataset, table, certified(1)))

    assert {row.version for row in found} == expected
