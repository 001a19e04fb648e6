"""What a team installs: a wheel without our tests, whose first two commands certify a dataset of their own."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from data_platform.policies import json_schemas

ROOT = Path(__file__).parents[2]
SECONDS = 300


def pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True, timeout=SECONDS)  # noqa: S603


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    for name in ("data_platform", "data_platform_tests"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "cases"))
    pip("wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(built), str(source))
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("installed")
    pip("install", "--no-deps", "--no-index", "--target", str(place), str(wheel))
    return place


def data_platform(installed: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    own = {name: value for name, value in os.environ.items() if not name.startswith(("DATA_PLATFORM_", "DAGSTER_"))}
    return subprocess.run(  # noqa: S603 - of this interpreter
        [sys.executable, str(installed / "bin" / "data-platform"), *words],
        cwd=folder,
        env={**own, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_the_wheel_has_types_schemas_and_templates_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert "data_platform/py.typed" in names
    assert {f"data_platform/policies/schemas/{name}" for name in json_schemas()} <= names
    assert "data_platform/starter/template/dot_gitignore" in names
    assert not [name for name in names if name.startswith("data_platform_tests")]


def test_the_installed_lab_of_faults_writes_cases_and_scores_answers(installed: Path, tmp_path: Path) -> None:
    written = data_platform(installed, tmp_path, "faultlab", "write", "cases", "--datasets", "8", "--json")
    (tmp_path / "answers.jsonl").write_text("")
    scored = data_platform(installed, tmp_path, "faultlab", "score", "cases/truth.jsonl", "answers.jsonl", "--json")

    assert written.returncode == 0, written.stderr
    assert set(json.loads(written.stdout)) == {"graphs", "events", "evidence", "truth"}
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)["root_cause_top1"]["of"] == 0


def test_two_commands_certify_a_dataset_in_a_repository_of_ones_own(installed: Path, tmp_path: Path) -> None:
    made = data_platform(installed, tmp_path, "init", "mine")
    run = data_platform(installed, tmp_path / "mine", "run", "-s", "orders", "-p", "2025-01-01", "--json")

    assert made.returncode == 0, made.stderr
    assert "cd mine\n  data-platform run --select orders --partition 2025-01-01" in made.stdout
    assert run.returncode == 0, run.stderr
    last = json.loads(run.stdout)["reports"][-1]
    assert (last["dataset"], last["stage"], last["outcome"]) == ("ds://sales/orders", "gold_certified", "passed")
    assert last["rows"]["accepted"] == 11  # of twelve: one has a negative total
