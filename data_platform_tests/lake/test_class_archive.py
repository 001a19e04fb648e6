"""Java reads Spark's classes from an archive that fits this Java and Spark exactly; without one it starts too."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from data_platform.lake.class_archive import archive_file, archive_option
from data_platform.lake.delta_jars import cache_folder

COMMAND = "from data_platform.cli.main import app; app()"
SESSION = """
import sys
from data_platform.lake import class_archive, jvm
from data_platform.lake.session import SparkOptions, open_session
session = open_session(SparkOptions(master="local[1]", log=sys.argv[1], delta=False))
maps = open(f"/proc/{jvm._started[0].process.pid}/maps").read()
print(str(class_archive.archive_file()) in maps, session.range(3).count(), flush=True)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, whose name needs quoting, with the list of this machine's jars."""
    found, listed = tmp_path / "a home", cache_folder()
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    own = cache_folder()
    assert own is not None
    for file in listed.glob("*.json") if listed is not None else ():
        shutil.copy(file, own)
    return found


def output_of(code: str, *arguments: str) -> str:
    """All that a process prints, and its Java."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=900, check=True
    )
    return done.stdout + done.stderr


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


@pytest.mark.slow
def test_a_broken_archive_changes_nothing_and_nothing_is_printed(home: Path) -> None:
    file = archive_file()
    assert file is not None
    file.write_text("half an archive")

    assert output_of(SESSION, str(home / "spark.log")) == "False 3\n"


@pytest.mark.slow
@pytest.mark.usefixtures("spark")  # which has listed the jars, so that no second process resolves them
def test_a_session_reads_the_archive_that_prepare_made(home: Path) -> None:
    made = json.loads(output_of(COMMAND, "prepare", "--json"))

    file = archive_file()
    assert file is not None
    assert made == {"archive": str(file), "made": True, "bytes": file.stat().st_size}
    assert [other.suffix for other in file.parent.iterdir() if other.name.startswith("classes")] == [".jsa"]
    assert output_of(SESSION, str(home / "spark.log")) == "True 3\n"
