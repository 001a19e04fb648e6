"""Java reads Spark's classes from an archive that fits this Java and Spark exactly; without one it starts too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from data_platform.lake.class_archive import archive_file, archive_option
from data_platform.lake.class_recording import record_classes

SESSION = """
import sys
from data_platform.lake import class_archive, jvm
from data_platform.lake.session import SparkOptions, open_session
session = open_session(SparkOptions(master="local[1]", log=sys.argv[1], delta=False))
maps = open(f"/proc/{jvm._started[0].process.pid}/maps").read()
print(str(class_archive.archive_file()) in maps, session.range(3).count(), flush=True)
"""


def start(home: Path) -> str:
    """What a session prints whose user has this home, with all output of its Java."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", SESSION, str(home / "spark.log")],
        capture_output=True, text=True, timeout=300, check=True, env={**os.environ, "HOME": str(home)},
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, whose name needs quoting, with the jars of the machine."""
    found = tmp_path / "a home"
    found.mkdir()
    for name in (".ivy2.5.2", ".ivy2", ".m2"):
        if (place := Path.home() / name).is_dir():
            (found / name).symlink_to(place)
    monkeypatch.setenv("HOME", str(found))
    return found


def test_another_java_or_spark_has_another_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "java"
    monkeypatch.setattr("data_platform.lake.class_archive.require_java", lambda: str(java))
    java.write_text("17")
    before = archive_file(tmp_path)

    java.write_text("17, updated")

    assert before is not None
    assert before.parent == tmp_path
    assert archive_file(tmp_path) not in (None, before)


@pytest.mark.usefixtures("home")
def test_without_an_archive_java_is_asked_for_nothing() -> None:
    assert archive_option() == ""


def test_a_broken_archive_changes_nothing_and_nothing_is_printed(home: Path) -> None:
    file = archive_file()
    assert file is not None
    file.write_text("half an archive")

    assert start(home) == "False 3\n"


def test_a_session_reads_the_recorded_archive(home: Path) -> None:
    file = record_classes()

    assert file == archive_file()
    assert [other.suffix for other in file.parent.iterdir() if other.name.startswith("classes")] == [".jsa"]
    assert start(home) == "True 3\n"
