"""What Spark's listener wrote reaches the service as the command really ended, in one piece, and once."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.legacy import spark_events
from data_platform.legacy.client import service_of
from data_platform.legacy.forward import forward_within
from data_platform.legacy.running import settle
from data_platform.legacy.spark_listener import DEFAULT, VARIABLE, events_file, jar_of, with_listener
from data_platform.legacy.spool import Spool
from data_platform_tests.legacy.remote_service import RemoteService, remote_service
from data_platform_tests.legacy.wrapped_job import KEY, finished, python, started, wait_for

RUN, APPLICATION, QUERY = (f"01900000-0000-7000-8000-00000000000{number}" for number in (1, 2, 3))
AT = datetime(2026, 2, 1, 6, 0, tzinfo=UTC)
ORDERS = {"namespace": "file", "name": "/lake/orders"}

LISTENS = """
import json, os, shlex, sys
given = dict(option[2:].split("=", 1) for option in shlex.split(os.environ["SPARK_SUBMIT_OPTS"]) if option[:2] == "-D")
parent = {"run": {"runId": given["spark.openlineage.parentRunId"]}, "job": {"namespace": "AUTOSYS", "name": "x"}}
run = {"runId": "01900000-0000-7000-8000-000000000002", "facets": {"parent": parent}}
with open(given["spark.openlineage.transport.location"], "a") as file:
    for kind in ("START", "COMPLETE"):
        event = {"eventType": kind, "eventTime": f"2026-02-01T06:00:0{len(kind)}.5Z", "run": run, "inputs": [],
                 "job": {"namespace": "AUTOSYS", "name": "nightly"}, "outputs": []}
        file.write(json.dumps(event) + chr(10))
"""
"""A program that does what Spark does with the listener: it reads the options, and writes two events."""


def event(
    kind: str, run: str = APPLICATION, parent: str | None = RUN, *, second: int = 0, **more: Any
) -> dict[str, Any]:
    facets = {"parent": {"run": {"runId": parent}}} if parent else {}
    return {
        "eventType": kind, "eventTime": (AT + timedelta(seconds=second)).isoformat(),
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": "AUTOSYS", "name": f"job_{run[-1]}"}, "inputs": [], "outputs": [], **more,
    }  # fmt: skip


def ends(events: list[dict[str, Any]], *, failure: str) -> dict[str, str]:
    found = spark_events.corrections(events, RUN, failure=failure, at=AT + timedelta(seconds=9))
    return {one["run"]["runId"]: one["eventType"] for one in found}


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    file = tmp_path / "listener 1.jar"
    file.touch()
    return file


@pytest.fixture
def service() -> Iterator[RemoteService]:
    with remote_service() as opened:
        yield opened


def waiting(spool: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(spool.glob("*.json"))]


def write(spool: Path, *events: dict[str, Any], rest: bytes = b"") -> None:
    Path(events_file(str(spool), RUN)).write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in events) + rest)


@pytest.mark.parametrize(
    ("events", "failure", "expected"),
    [
        pytest.param([event("START"), event("COMPLETE")], "", {}, id="all went well"),
        pytest.param([event("START"), event("COMPLETE")], "exit code 3", {APPLICATION: "FAIL"}, id="a wrong COMPLETE"),
        pytest.param([event("START"), event("FAIL")], "exit code 3", {}, id="it knows of its failure"),
        pytest.param([event("START")], "killed by signal 9", {APPLICATION: "FAIL"}, id="a JVM that was killed"),
        pytest.param([event("START")], "", {APPLICATION: "COMPLETE"}, id="an end that was lost"),
        pytest.param(
            [event("START", QUERY, APPLICATION), event("COMPLETE", QUERY, APPLICATION)], "exit code 3", {},
            id="a query that was complete stays so",
        ),
        pytest.param(
            [event("START", QUERY, APPLICATION), event("RUNNING", QUERY, APPLICATION)], "exit code 3", {QUERY: "FAIL"},
            id="a query that had not ended",
        ),
        pytest.param([], "exit code 3", {}, id="no Spark at all"),
    ],
)  # fmt: skip
def test_the_exit_code_corrects_what_the_listener_saw(
    events: list[dict[str, Any]], failure: str, expected: dict[str, str]
) -> None:
    assert ends(events, failure=failure) == expected


def test_a_correction_is_later_than_every_event_of_its_run_and_has_its_reason() -> None:
    late = event("COMPLETE", second=3600)

    [found] = spark_events.corrections([event("START"), late], RUN, failure="exit code 3", at=AT)

    assert datetime.fromisoformat(found["eventTime"]) > datetime.fromisoformat(late["eventTime"])
    assert found["run"]["facets"]["errorMessage"]["message"] == "exit code 3"
    assert found["run"]["facets"]["parent"] == late["run"]["facets"]["parent"]
    assert found["job"] == late["job"]


@given(order=st.permutations([event("START"), event("RUNNING", second=1), event("COMPLETE", second=2)]))
def test_the_order_of_the_lines_changes_no_end(order: list[dict[str, Any]]) -> None:
    [found] = spark_events.corrections(order, RUN, failure="exit code 3", at=AT)

    assert (found["eventType"], found["eventTime"]) == ("FAIL", (AT + timedelta(seconds=2.001)).isoformat())


def test_progress_is_left_out_unless_it_names_a_dataset_that_nothing_else_names(spool: Path) -> None:
    write(spool, event("START"), event("RUNNING"), event("RUNNING", outputs=[ORDERS]), event("COMPLETE"))
    spark_events.end(str(spool), RUN, failure="", at=AT)

    spark_events.release(Spool(str(spool)))

    assert [one["eventType"] for one in waiting(spool)] == ["START", "RUNNING", "COMPLETE"]
    assert waiting(spool)[1]["outputs"] == [ORDERS]
    assert list((spool / "spark").iterdir()) == []


def test_lines_that_are_no_events_are_left_out(spool: Path) -> None:
    junk = [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"run": {"runId": 3}, "eventType": "START", "job": {}}',
        b'{"eventType": "STA',
    ]
    write(spool, event("START"), event("COMPLETE"), rest=b"\n".join(junk))
    spark_events.end(str(spool), RUN, failure="", at=AT)

    spark_events.release(Spool(str(spool)))

    assert [one["eventType"] for one in waiting(spool)] == ["START", "COMPLETE"]


def test_the_file_of_a_command_that_still_runs_is_left_alone(spool: Path) -> None:
    write(spool, event("START"))

    settle(Spool(str(spool)))

    assert waiting(spool) == []
    assert [path.name for path in (spool / "spark").iterdir()] == [f"{RUN}.jsonl"]


def test_nobody_but_the_owner_reads_the_events(spool: Path) -> None:
    file = Path(events_file(str(spool), RUN))

    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_what_the_job_sets_for_spark_itself_stays() -> None:
    own = {"SPARK_SUBMIT_OPTS": "-Dspark.extraListeners=own.Listener", "SPARK_DIST_CLASSPATH": "/own.jar", "A": "1"}

    found = with_listener(own, jar="/ol.jar", file="/spool/x y.jsonl", process=KEY, run_id=RUN)

    assert found["SPARK_DIST_CLASSPATH"] == "/own.jar:/ol.jar"
    assert found["SPARK_SUBMIT_OPTS"].endswith(" -Dspark.extraListeners=own.Listener")  # the last one counts
    assert '"-Dspark.openlineage.transport.location=/spool/x y.jsonl"' in found["SPARK_SUBMIT_OPTS"]
    assert '"-Dspark.openlineage.parentJobName=NIGHT/LOAD"' in found["SPARK_SUBMIT_OPTS"]
    assert found["A"] == "1"


@pytest.mark.parametrize("named", ["off", "OFF", " off "])
def test_it_can_be_switched_off(named: str, jar: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert jar_of({VARIABLE: named}) == ""
    assert jar_of({VARIABLE: str(jar)}) == str(jar)
    assert capfd.readouterr().err == ""


def test_a_jar_that_is_not_there_is_reported_with_the_command_that_downloads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert jar_of({}) == ""
    assert "data-platform legacy spark-listener" in capfd.readouterr().err
    default = Path(os.path.expanduser(DEFAULT))
    default.parent.mkdir(parents=True)
    default.touch()
    assert jar_of({}) == str(default)


def test_a_wrapped_command_that_fails_after_spark_ends_its_application_as_failed(
    spool: Path, jar: Path, service: RemoteService
) -> None:
    job = finished(*python(f"{LISTENS}\nsys.exit(3)"), spool=spool, options=("--spark",), **{VARIABLE: str(jar)})

    assert (job.returncode, job.stdout, job.stderr) == (3, b"", b"")
    result = forward_within(service_of(service.url, spool=str(spool)), 30, hurry=False)
    assert result.problem == ""
    of_spark = [one for one in service.kept.values() if one["run"]["runId"] == APPLICATION]
    assert [one["eventType"] for one in of_spark] == ["START", "COMPLETE", "FAIL"]
    assert of_spark[-1]["eventTime"] > of_spark[1]["eventTime"]
    assert of_spark[-1]["run"]["facets"]["errorMessage"]["message"] == "exit code 3"
    assert list((spool / "spark").iterdir()) == []


def test_without_the_option_nothing_is_set(spool: Path, jar: Path) -> None:
    job = finished(*python("import os; print(os.environ.get('SPARK_SUBMIT_OPTS'))"), spool=spool,
                   **{VARIABLE: str(jar)}, SPARK_SUBMIT_OPTS="-Down=1")  # fmt: skip

    assert job.stdout == b"-Down=1\n"


def test_a_spool_that_cannot_be_written_costs_the_lineage_and_not_the_job(tmp_path: Path, jar: Path) -> None:
    spool = tmp_path / "file"
    spool.touch()

    job = finished(*python("print(1)"), spool=spool, options=("--spark",), **{VARIABLE: str(jar)})

    assert (job.returncode, job.stdout) == (0, b"1\n")
    assert b"runs without Spark's listener" in job.stderr


def test_the_events_of_a_killed_wrapper_are_sent_as_they_are(spool: Path, jar: Path) -> None:
    code = f"{LISTENS}\nimport time; print('written', flush=True); time.sleep(60)"
    job = started(*python(code), spool=spool, options=("--spark",), **{VARIABLE: str(jar)})
    assert job.stdout is not None
    job.stdout.readline()
    os.killpg(job.pid, 9)
    job.communicate()

    wait_for(lambda: settle(Spool(str(spool))) or len(waiting(spool)) >= 4)  # type: ignore[func-returns-value]

    kinds = {one["run"]["runId"]: one["eventType"] for one in waiting(spool)}
    assert kinds[APPLICATION] == "COMPLETE"
    assert "ABORT" in kinds.values()
