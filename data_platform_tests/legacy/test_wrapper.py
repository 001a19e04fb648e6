"""A wrapped command behaves as without the wrapper, and the catalog receives its result, also if either is killed."""

import hashlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_platform.legacy.client import service_of
from data_platform.legacy.forward import forward_within
from data_platform.legacy.tail import BYTES, tail_of
from data_platform.legacy.tee import REMEMBERED_BYTES
from data_platform_tests.legacy.remote_service import HANG, RemoteService, remote_service
from data_platform_tests.legacy.wrapped_job import AWAY, KEY, finished, python, shell, started, wait_for

LONG = ("--linger", "30")
"""A busy machine may need longer than a job should wait."""

SIGNALS = ("TERM", "INT", "HUP", "QUIT", "USR1", "USR2")
TELLS = """
import signal, sys, time
def tell(number, _):
    print(signal.Signals(number).name, flush=True)
    if number != signal.SIGCONT: sys.exit(number)
for name in ("TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "CONT"): signal.signal(getattr(signal, f"SIG{name}"), tell)
print("ready", flush=True)
while True: time.sleep(0.1)  # a signal that comes just before a sleep is told after it
"""


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def service() -> Iterator[RemoteService]:
    with remote_service() as far:
        yield far


def waiting(spool: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(spool.glob("*.json"))]


def types(spool: Path) -> list[str]:
    return [said["eventType"] for said in waiting(spool)]


def error_of(said: dict[str, Any]) -> str:
    message: str = said["run"]["facets"]["errorMessage"]["message"]
    return message


def state(pid: int) -> str:
    """``T`` is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def forward(service: RemoteService, spool: Path) -> None:
    result = forward_within(service_of(service.url, spool=str(spool)), 30, hurry=False)
    assert result.problem == ""


@pytest.mark.parametrize("code", [0, 1, 2, 3, 42, 126, 127, 128, 255])
def test_the_exit_code_is_the_command_s(code: int, spool: Path) -> None:
    job = finished(*shell(f"exit {code}"), spool=spool)

    assert (job.returncode, job.stdout, job.stderr) == (code, b"", b"")
    start, end = waiting(spool)
    assert (start["eventType"], end["eventType"]) == ("START", "FAIL" if code else "COMPLETE")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert end["run"]["facets"]["dataPlatform_exit"]["exitCode"] == code
    assert end["run"]["facets"]["dataPlatform_exit"]["durationSeconds"] >= 0
    assert end["eventTime"] > start["eventTime"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE])
def test_a_command_that_a_signal_kills_ends_as_in_a_shell(number: signal.Signals, spool: Path) -> None:
    job = finished(*shell(f"kill -{number.value} $$"), spool=spool)

    assert job.returncode == 128 + number
    assert error_of(waiting(spool)[1]) == f"killed by signal {number.value}"


def test_a_command_that_cannot_be_started_ends_as_in_a_shell(spool: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("echo hello\n")

    assert finished("no-such-command", spool=spool).returncode == 127
    assert finished(str(tmp_path / "gone"), spool=spool).returncode == 127
    assert finished(str(plain), spool=spool).returncode == 126
    assert finished(str(tmp_path), spool=spool).returncode == 126
    assert finished("", spool=spool).returncode == 127
    assert types(spool) == ["START", "FAIL"] * 5
    assert "cannot be started: No such file" in error_of(waiting(spool)[1])


def test_a_script_that_names_no_shell_runs_as_it_does_in_one(spool: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$0 $1"\nexit 4\n')
    script.chmod(0o755)

    job = finished("script", "a b", spool=spool, PATH=f"{tmp_path}:{os.environ['PATH']}")

    assert (job.returncode, job.stdout) == (4, f"{script} a b\n".encode())


def test_input_and_output_are_the_command_s_byte_for_byte(spool: Path) -> None:
    binary = bytes(range(256)) * 1000

    job = finished(*shell("tee /dev/stderr"), spool=spool, given=binary)

    assert (job.returncode, job.stdout, job.stderr) == (0, binary, binary)


def test_ten_megabytes_of_output_and_errors_pass_unchanged(spool: Path) -> None:
    code = "import os, random, sys\nblock = random.Random(7).randbytes(1 << 20)\n"
    code += "for _ in range(10): sys.stdout.buffer.write(block); sys.stderr.buffer.write(block)"
    job = finished(*python(code), spool=spool)

    expected = hashlib.sha256()
    import random

    block = random.Random(7).randbytes(1 << 20)  # noqa: S311 - no secret
    for _ in range(10):
        expected.update(block)
    assert len(job.stderr) == 10 << 20
    assert hashlib.sha256(job.stdout).digest() == hashlib.sha256(job.stderr).digest() == expected.digest()


def test_errors_are_seen_while_the_command_runs(spool: Path) -> None:
    job = started(*shell("echo one >&2; read line; echo two >&2"), spool=spool)
    assert job.stderr is not None

    assert job.stderr.readline() == b"one\n"
    assert job.communicate(b"go\n")[1] == b"two\n"


def test_what_still_writes_after_the_command_has_ended_is_not_waited_for(spool: Path) -> None:
    job = started(*shell("(sleep 3; echo late >&2) >/dev/null & echo early >&2"), spool=spool)

    assert job.wait(60) == 0
    assert types(spool) == ["START", "COMPLETE"]
    assert job.communicate()[1] == b"early\nlate\n"


def test_a_reader_that_goes_away_is_the_command_s_own_affair(spool: Path) -> None:
    job = started(*python("import os\nwhile True: os.write(2, b'x' * 4096)"), spool=spool)
    assert job.stderr is not None
    job.stderr.read(10)
    job.stderr.close()

    job.communicate(timeout=60)
    assert job.returncode == 1  # Python's own code for a pipe that broke
    assert types(spool) == ["START", "FAIL"]


@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_to_the_wrapper_reaches_the_command(name: str, spool: Path) -> None:
    job = started(*python(TELLS), spool=spool)
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"

    job.send_signal(signal.Signals[f"SIG{name}"])

    assert job.communicate(timeout=60)[0] == f"SIG{name}\n".encode()
    assert job.returncode == signal.Signals[f"SIG{name}"].value
    assert types(spool) == ["START", "FAIL"]


def test_a_command_that_is_stopped_stops_the_wrapper_and_both_go_on_together(spool: Path) -> None:
    job = started(*python(TELLS), spool=spool)
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"

    job.send_signal(signal.SIGTSTP)
    wait_for(lambda: state(job.pid) == "T")
    job.send_signal(signal.SIGCONT)
    assert job.stdout.readline() == b"SIGCONT\n"
    job.send_signal(signal.SIGTERM)

    job.communicate(timeout=60)
    assert job.returncode == signal.SIGTERM
    assert types(spool) == ["START", "FAIL"]


def test_a_command_that_is_stopped_and_continued_by_its_own_id_ends_its_wrapper_too(spool: Path) -> None:
    job = finished(*shell("(sleep 0.2; kill -CONT $$) & kill -STOP $$; exit 5"), spool=spool)

    assert job.returncode == 5


def test_ignored_signals_stay_ignored(spool: Path) -> None:
    code = "import signal; print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, signal.pthread_sigmask(0, []))"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        job = finished(*python(code), spool=spool)
    finally:
        signal.signal(signal.SIGHUP, before)

    assert job.stdout == b"True set()\n"


def test_a_heartbeat_is_sent_while_the_command_runs(service: RemoteService, spool: Path) -> None:
    job = started(*shell("read line"), spool=spool, url=service.url, options=("--heartbeat", "0.1"))
    wait_for(lambda: service.types.count("RUNNING") >= 3)
    job.communicate(b"go\n")

    forward(service, spool)
    assert service.types[0] == "START"
    assert service.types[-1] == "COMPLETE"
    assert set(service.types[1:-1]) == {"RUNNING"}


def test_a_late_heartbeat_is_useless_so_none_is_stored(spool: Path) -> None:
    finished("sleep", "0.5", spool=spool, options=("--heartbeat", "0.05"))

    assert types(spool) == ["START", "COMPLETE"]


@pytest.mark.parametrize("answer", [HANG, 503, 401, 500])
def test_a_service_in_trouble_changes_nothing_and_gets_the_events_later(
    answer: int, service: RemoteService, spool: Path
) -> None:
    service.always = answer

    job = finished(*shell("echo out; echo err >&2; exit 9"), spool=spool, url=service.url)

    assert (job.returncode, job.stdout) == (9, b"out\n")
    assert job.stderr.splitlines()[0] == b"err" or answer == 401  # our own line may come before
    assert types(spool) == ["START", "FAIL"]
    service.always = 201
    forward(service, spool)
    forward(service, spool)
    assert service.types == ["START", "FAIL"]


def test_an_unwritable_spool_is_reported_in_one_line_and_changes_nothing(
    service: RemoteService, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")

    job = finished(*shell("echo out; exit 3"), spool=tmp_path / "file" / "spool", url=service.url, options=LONG)

    assert (job.returncode, job.stdout) == (3, b"out\n")
    assert job.stderr.count(b"cannot be written") == 1
    assert service.types == ["START", "FAIL"]


def test_wrong_names_are_reported_and_the_command_runs(spool: Path) -> None:
    job = finished(*shell("echo out"), spool=spool, options=("--output", "orders", "--input", "ds://a/b"))

    assert (job.returncode, job.stdout) == (0, b"out\n")
    assert job.stderr.count(b"\n") == 1
    assert b"one dataset is left out" in job.stderr
    assert [len(waiting(spool)[1][side]) for side in ("inputs", "outputs")] == [1, 0]


def test_without_a_command_nothing_is_done_and_the_use_is_shown(spool: Path) -> None:
    job = finished(spool=spool)

    assert job.returncode == 2
    assert b"expected -- and the command" in job.stderr
    assert not spool.exists()


def test_the_last_lines_of_standard_error_are_reported_without_secrets(spool: Path) -> None:
    script = 'for i in $(seq 100); do echo "line $i" >&2; done; echo "isql -U sa -P Example-Pw1" >&2; exit 1'
    finished(*shell(script), spool=spool)

    first, *lines = error_of(waiting(spool)[1]).splitlines()
    assert first == "exit code 1; the last lines of standard error:"
    assert lines == [*(f"line {number}" for number in range(52, 101)), "isql -U sa -P ***"]


@pytest.mark.parametrize(
    "printed",
    [
        pytest.param(b"x" * REMEMBERED_BYTES + b"Example-Pw1\nlast", id="a line whose beginning is gone"),
        pytest.param(b"Example-Pw1\n-----END RSA PRIVATE KEY-----\nlast", id="a key whose beginning is gone"),
        pytest.param(b"-----BEGIN PRIVATE KEY-----\nExample-Pw1\n-----END PRIVATE KEY-----\nlast", id="a key"),
        pytest.param(b"password=" + b"Example-Pw1" * 2000 + b"\nlast", id="a long secret"),
    ],
)
def test_no_half_of_a_secret_is_kept(printed: bytes) -> None:
    kept = tail_of(printed)

    assert "Example-Pw1" not in kept
    assert kept.endswith("last")


def test_the_tail_is_never_longer_than_it_may_be() -> None:
    kept = tail_of(("é" * 500 + "\n").encode() * 60)

    assert 0 < len(kept.encode()) <= BYTES
    assert set(kept.splitlines()) == {"é" * 500}
    assert tail_of(b"\xff\xfe broken \xc3") == "\ufffd\ufffd broken \ufffd"
    assert tail_of(b"") == ""


def test_a_wrapper_that_is_killed_leaves_its_command_running(service: RemoteService, spool: Path) -> None:
    job = started(*shell("read line; echo $line; echo err >&2; echo more >&2"), spool=spool)
    assert job.stdin is not None
    wait_for(lambda: list((spool / "running").glob("*.json")) and b'"child": null' not in mark(spool))
    job.kill()
    job.wait()

    forward(service, spool)
    assert service.types == ["START"]  # it runs, and so it is said
    out, err = job.communicate(b"go\n", timeout=60)
    assert (out, err) == (b"go\n", b"err\nmore\n")
    wait_for(lambda: (forward(service, spool), "ABORT" in service.types)[1])
    forward(service, spool)
    assert service.types == ["START", "ABORT"]
    assert list((spool / "running").iterdir()) == []


def mark(spool: Path) -> bytes:
    return next((spool / "running").glob("*.json")).read_bytes()


def test_a_killed_wrapper_and_command_are_reported_as_aborted_once(service: RemoteService, spool: Path) -> None:
    job = started(*shell("echo ready; read line"), spool=spool)
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    wait_for(lambda: list((spool / "running").glob("*.json")))
    path = next((spool / "running").glob("*.json"))
    os.killpg(job.pid, signal.SIGKILL)
    job.communicate(timeout=60)
    content, times = path.read_bytes(), path.stat()

    forward(service, spool)
    path.write_bytes(content)  # as for a forwarder that was killed before it took the file away
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    forward(service, spool)

    assert service.types == ["START", "ABORT"]
    assert len({said["run"]["runId"] for said in service.received}) == 1
    assert "nobody saw how the command ended" in error_of(service.received[-1])


def test_another_machine_s_commands_are_left_to_it(service: RemoteService, spool: Path) -> None:
    folder = spool / "running"
    folder.mkdir(parents=True)
    facts = {"process": KEY, "run_id": "x", "started": "2025-01-01T00:00:00+00:00", "machine": "elsewhere 1"}
    (folder / "a.json").write_text(json.dumps(facts))
    (folder / "b.json").write_text("{")

    forward(service, spool)

    assert service.received == []
    assert len(list(folder.iterdir())) == 2


def test_a_job_in_the_wrapper_reports_to_the_wrapper_s_run(spool: Path) -> None:
    code = "from data_platform.legacy.client import *\n"
    code += f"register_dataset('ds://a/b', '7', 'done', rows=3); register_process('{KEY}', 'running')"
    finished(*python(code), spool=spool)

    said = waiting(spool)
    assert [event["eventType"] for event in said] == ["START", "OTHER", "RUNNING", "COMPLETE"]
    assert len({event["run"]["runId"] for event in said}) == 1
    assert said[1]["outputs"][0]["facets"]["version"]["datasetVersion"] == "7"


def test_modules_of_the_job_s_folder_are_not_taken_for_python_s(spool: Path, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(99)")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        job = finished("true", spool=spool)
    finally:
        os.chdir(before)

    assert (job.returncode, job.stderr) == (0, b"")


def test_the_command_line_starts_the_same_wrapper(spool: Path) -> None:
    import subprocess

    from data_platform_tests.legacy.wrapped_job import environment

    code = "import sys; from data_platform.cli.main import app; app()"
    words = ["legacy", "run", "--process", KEY, "--output", "ds://a/b", "--", *shell('echo "$1"; exit 6'), "-", "a  b"]
    job = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code, *words],
        env=environment(spool, AWAY),
        capture_output=True,
        check=False,
        timeout=120,
    )

    assert (job.returncode, job.stdout, job.stderr) == (6, b"a  b\n", b"")
    assert waiting(spool)[1]["outputs"] == [{"namespace": "ds://a", "name": "b"}]


def test_the_code_that_a_command_runs_is_reported_with_each_event(spool: Path) -> None:
    finished("true", spool=spool, DATA_PLATFORM_DEPLOY_REF=" 4f1c9e2 ")

    tags = [said["run"]["facets"]["tags"]["tags"] for said in waiting(spool)]

    assert tags == [[{"key": "deploy_ref", "value": "4f1c9e2"}]] * 2
