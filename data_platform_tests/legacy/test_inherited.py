"""A job gets the same handles, limits and environment as without the wrapper, also if some were closed or missing."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from data_platform_tests.legacy.wrapped_job import AWAY, KEY, ROOT, environment

OPEN_HANDLES = (
    'for n in 0 1 2 3 4 5 6 7; do [ -e /proc/$$/fd/$n ] && printf "%s " $n; done > "$1"; echo out; echo err >&2'
)
"""Both lines may fail on a closed handle: a shell says so on standard error, and its exit code is of the last one."""

CLOSED = [
    pytest.param("".join(f" {redirection}" for redirection in closed), id=" ".join(closed))
    for count in (1, 2, 3)
    for closed in itertools.combinations(("<&-", ">&-", "2>&-"), count)
]


def by_a_shell(line: str, spool: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - the tests' own commands
        ["/bin/sh", "-c", line], env=environment(spool, **more), capture_output=True, check=False, timeout=120
    )


def wrapper(*, by_command: bool = False) -> str:
    if by_command:
        start = f"{sys.executable} -P -c 'from data_platform.cli.main import app; app()' legacy run"
    else:
        start = f"{sys.executable} -P -m data_platform.legacy.wrapper"
    return f"{start} --process {KEY} --"


@pytest.mark.parametrize("closed", CLOSED)
def test_a_closed_handle_stays_closed_for_the_job_and_changes_nothing(closed: str, tmp_path: Path) -> None:  # C56
    job = f"/bin/sh -c '{OPEN_HANDLES}; exit 7'"

    direct = by_a_shell(f"{job} job {tmp_path}/direct {closed}", tmp_path / "spool")
    wrapped = by_a_shell(f"{wrapper()} {job} job {tmp_path}/wrapped {closed}", tmp_path / "spool")

    assert (wrapped.returncode, wrapped.stdout, wrapped.stderr) == (direct.returncode, direct.stdout, direct.stderr)
    assert wrapped.returncode == 7
    assert (tmp_path / "wrapped").read_text() == (tmp_path / "direct").read_text()
    assert len(list((tmp_path / "spool").glob("*.json"))) == 2  # START and FAIL


def test_the_command_line_keeps_a_closed_handle_closed_as_well(tmp_path: Path) -> None:
    job = f"/bin/sh -c '{OPEN_HANDLES}; exit 7' job {tmp_path}/open <&- >&-"

    assert by_a_shell(f"{wrapper(by_command=True)} {job}", tmp_path / "spool").returncode == 7
    assert (tmp_path / "open").read_text().split()[0] == "1"  # the file itself took the first free number


def test_a_job_that_cannot_be_started_is_reported_only_on_an_open_handle(tmp_path: Path) -> None:
    assert by_a_shell(f"{wrapper()} no-such-command 2>&-", tmp_path / "spool").returncode == 127
    assert by_a_shell(f"{wrapper()} no-such-command 2>/dev/full", tmp_path / "spool").returncode == 127


@pytest.mark.parametrize("handles", [16, 10, 8, 6])
def test_a_job_runs_with_few_handles(handles: int, tmp_path: Path) -> None:
    job = by_a_shell(f"ulimit -n {handles}; {wrapper()} /bin/sh -c 'echo out; exit 6'", tmp_path / "spool")

    assert (job.returncode, job.stdout) == (6, b"out\n")


@pytest.mark.parametrize("given", [{}, {"LANG": "C"}, {"LC_ALL": "C"}, {"LC_CTYPE": "C"}], ids=str)
def test_the_environment_is_the_one_that_the_job_was_given(given: dict[str, str], tmp_path: Path) -> None:
    own = {**given, "PYTHONPATH": str(ROOT), "DATA_PLATFORM_URL": AWAY, "DATA_PLATFORM_SPOOL": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "data_platform.legacy.wrapper", "--process", KEY, "--", "/usr/bin/env", "-0"]

    job = subprocess.run(command, env=own, capture_output=True, check=True, timeout=120)  # noqa: S603

    seen = dict(entry.split("=", 1) for entry in job.stdout.decode().split("\0") if entry)
    assert {name: value for name, value in seen.items() if name != "DATA_PLATFORM_RUN"} == own


def test_a_job_runs_without_any_environment() -> None:
    command = f"cd {ROOT} && {sys.executable} -m data_platform.legacy.wrapper --process {KEY} -- /usr/bin/env"

    job = subprocess.run(["/bin/sh", "-c", command], env={}, capture_output=True, check=False, timeout=120, cwd="/")  # noqa: S603

    names = {line.split("=")[0] for line in job.stdout.decode().splitlines()}
    assert job.returncode == 0
    assert names - {"DATA_PLATFORM_RUN"} <= {"PWD", "OLDPWD", "SHLVL", "_"}  # what the shell itself sets


def test_handles_that_the_scheduler_opened_reach_the_job(tmp_path: Path) -> None:
    (tmp_path / "given").write_text("from the scheduler\n")

    job = by_a_shell(f"exec 5<{tmp_path}/given; {wrapper()} /bin/sh -c 'cat <&5'", tmp_path / "spool")

    assert job.stdout == b"from the scheduler\n"
