"""A table is saved up to the last version that the saved catalog can know, whatever was written meanwhile."""

import json
from pathlib import Path
from typing import Any

import pytest

from data_platform.backup.table_copy import last_version, log_files, tables_below

SAVED_AT = 1_000


def table(folder: Path, *commits: tuple[int, str]) -> Path:
    """``commits`` are the time and the run of each."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    for version, (written_at, run) in enumerate(commits):
        info = {"commitInfo": {"timestamp": written_at, "userMetadata": json.dumps({"run_id": run})}}
        (log / f"{version:020d}.json").write_text(json.dumps(info) + '\n{"add":{}}\n')
        (log / f".{version:020d}.json.crc").write_text("")
    return folder


def is_known(note: dict[str, Any]) -> bool:
    return note.get("run_id") == "known"


@pytest.mark.parametrize(
    ("commits", "last"),
    [
        pytest.param([(1, "old"), (2, "old")], 1, id="all before"),
        pytest.param([(1, "old"), (1_001, "new")], 0, id="a run that began later"),
        pytest.param([(1, "old"), (1_001, "known")], 1, id="a run that was under way, which the catalog knows"),
        pytest.param([(1, "old"), (1_001, "known"), (1_002, "new"), (1_003, "new")], 1, id="and later ones"),
        pytest.param([(1_001, "new")], -1, id="a table that was made later"),
        pytest.param([], -1, id="an empty log"),
    ],
)
def test_later_commits_of_unknown_runs_are_left_out(tmp_path: Path, commits: list[tuple[int, str]], last: int) -> None:
    assert last_version(table(tmp_path, *commits), since_ms=SAVED_AT, is_known=is_known) == last


def test_the_log_ends_at_the_last_version_with_its_checkpoints(tmp_path: Path) -> None:
    made = table(tmp_path / "orders", (1, "old"), (2, "old"), (3, "old"))
    log = made / "_delta_log"
    for version in (1, 2):
        (log / f"{version:020d}.checkpoint.parquet").write_text("")
    (log / "_last_checkpoint").write_text('{"version": 2}')

    assert tables_below(tmp_path) == [made]
    assert {file.name for file in log_files(made, 2)} == {file.name for file in log.iterdir()}
    assert {file.name for file in log_files(made, 1)} == {
        f"{0:020d}.json", f"{1:020d}.json", f".{0:020d}.json.crc", f".{1:020d}.json.crc",
        f"{1:020d}.checkpoint.parquet",
    }  # fmt: skip


def test_a_commit_of_another_tool_is_dated_by_its_file(tmp_path: Path) -> None:
    made = table(tmp_path, (1, "old"))
    (made / "_delta_log" / f"{1:020d}.json").write_text('{"add":{}}\n')

    assert last_version(made, since_ms=SAVED_AT, is_known=is_known) == 0
    assert last_version(made, since_ms=2**60, is_known=is_known) == 1
