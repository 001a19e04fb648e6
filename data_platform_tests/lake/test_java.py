"""Spark's Java is looked for before Spark is started, and one that does not fit is named with what to do."""

from pathlib import Path

import pytest

from data_platform.errors import EnvironmentProblem
from data_platform.lake.java import require_java


def fake_java(home: Path, answer: str, code: int = 0) -> str:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit {code}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        pytest.param('java version "1.8.0_392"', "Java 8", id="8, by its old name"),
        pytest.param('openjdk version "11.0.22" 2024-01-16', "Java 11", id="11"),
        pytest.param('openjdk version "26-ea" 2026-03-17', "Java 26", id="too new"),
        pytest.param("no such thing", "does not answer", id="no version"),
    ],
)
def test_a_java_that_spark_does_not_run_on_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, found: str
) -> None:
    fake_java(tmp_path, answer)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(EnvironmentProblem, match=rf"JAVA_HOME is {tmp_path}.*{found}.*Spark needs Java 17 or 21"):
        require_java()


@pytest.mark.parametrize("answer", ['openjdk version "17.0.9"', 'java version "21" 2023-09-19 LTS'])
def test_java_17_and_21_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    program = fake_java(tmp_path, answer)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    assert require_java() == program


def test_a_java_home_without_a_java_is_named_even_if_the_path_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))

    with pytest.raises(EnvironmentProblem, match="there is no program bin/java in it"):
        require_java()


def test_without_java_home_the_first_java_of_the_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    with pytest.raises(EnvironmentProblem, match="no Java was found"):
        require_java()
    program = fake_java(tmp_path, 'openjdk version "17.0.9"')
    assert require_java() == program
