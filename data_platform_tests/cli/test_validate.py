"""``validate`` reads the policy files, and then checks with Spark whether a run could apply them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform_tests.cli.shop import ORDERS, Shop
from data_platform_tests.cli.test_environment import COMMAND, ROOT

COUNTED = "2 datasets and 0 processes in {} (environment production): no problem found"


def test_right_policies_are_counted(shop: Shop) -> None:
    result = shop.run("validate", "--no-spark")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        COUNTED.format(shop.root / "policies"),
        "skipped the Spark check: --no-spark was given",
    ]
    assert shop.json("validate", "--no-spark") == {
        "datasets": 2,
        "processes": 0,
        "environment": "production",
        "problems": [],
        "spark": {"asked": False, "left_out": "--no-spark was given"},
    }


def test_without_java_the_files_are_read_all_the_same(shop: Shop) -> None:
    result = shop.run("validate", JAVA_HOME="/nowhere")

    assert (result.exit_code, result.stderr) == (0, "")
    counted, left_out = result.stdout.splitlines()
    assert counted == COUNTED.format(shop.root / "policies")
    assert left_out.startswith(
        "skipped the Spark check: JAVA_HOME is /nowhere, and there is no program bin/java in it; "
    )
    assert "install one" in left_out


def test_what_spark_refuses_is_a_problem_with_its_place(shop: Shop, spark: SparkSession) -> None:
    rule(shop, "id = 'abc'")

    result = shop.run("validate")

    assert (result.exit_code, result.stdout) == (2, "")
    place = "policies/datasets/sales/orders/policy_bundle.yaml:6: contract.invariants[0]"
    assert result.stderr.startswith(
        f"error: {place}: rule id = 'abc': [CAST_INVALID_INPUT] The value 'abc' of the type"
    )
    assert len(result.stderr.splitlines()) == 1
    [problem] = shop.json("validate", exit_code=2)["problems"]
    assert result.stderr == f"error: {problem}\n"
    assert shop.run("validate", "--no-spark").exit_code == 0
    assert spark.range(2).count() == 2  # an open session is borrowed, and stays open


@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_right_policies(shop: Shop) -> None:
    rule(shop, "1 / id > 0")

    assert shop.json("validate")["spark"] == {"asked": True, "left_out": ""}
    assert shop.run("validate").stdout == COUNTED.format(shop.root / "policies") + "\n"


@pytest.mark.slow
def test_the_jvm_of_the_command_ends_with_it_and_prints_nothing(shop: Shop, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    rule(shop, "note rlike '*a'")

    code, lines = run_in(shop, scratch, *COMMAND, "validate")

    assert code == 2
    [line] = lines
    assert "rule note rlike '*a': [INVALID_PARAMETER_VALUE.PATTERN]" in line
    assert_nothing_is_left(scratch)


@pytest.mark.slow
def test_a_session_that_takes_too_long_is_ended(shop: Shop, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = (
        "from data_platform.lake.small_session import small_session\n"
        "try:\n"
        "    with small_session(3) as session:\n"
        "        while True:\n"
        "            session.range(1).count()\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )

    _, lines = run_in(shop, scratch, sys.executable, "-c", program)

    assert "EnvironmentProblem Spark was not done after 3 seconds, and was ended" in lines
    assert not processes_in(scratch)


def rule(shop: Shop, text: str) -> None:
    file = shop.root / "policies" / "datasets" / ORDERS.removeprefix("ds://") / "policy_bundle.yaml"
    file.write_text(file.read_text() + f'contract:\n  invariants: ["{text}"]\n')


def run_in(shop: Shop, scratch: Path, *command: str) -> tuple[int, list[str]]:
    """Exit code, and the lines of both outputs; temporary files are in ``scratch``."""
    set_here = {name: value for name, value in shop.environment.items() if value is not None}
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        command, env={**os.environ, **set_here, "TMPDIR": str(scratch), "PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
    )  # fmt: skip
    return ended.returncode, [line for line in ended.stdout.splitlines() if line.strip()]


def assert_nothing_is_left(scratch: Path) -> None:
    assert not processes_in(scratch)
    assert [path.name for path in scratch.iterdir() if not path.name.startswith("hsperfdata")] == []


def processes_in(scratch: Path) -> list[str]:
    """The command lines that name the folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and process.name != str(os.getpid()):
            try:
                found.append((process / "cmdline").read_text())
            except OSError:  # it has ended meanwhile
                continue
    return [line for line in found if str(scratch) in line]
