"""One line in a script reports to the catalog; no error affects the job, and no event is lost or stored twice."""

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_platform.errors import EnvironmentProblem, SourceUnavailableError, UsageError
from data_platform.legacy import forward as forward_module
from data_platform.legacy import spool as spool_module
from data_platform.legacy.client import register_dataset, register_process, service_of
from data_platform.legacy.forward import Forwarded, forward_within
from data_platform.model.lineage import EventType
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import dataset_name, event_type, process_name
from data_platform_tests.legacy.remote_service import DROP, HANG, PAGE, RemoteService, remote_service

KEY = "AUTOSYS/NIGHT/LOAD"
ROOT = Path(__file__).parents[2]
AWAY = "http://127.0.0.1:9"
VARIABLES = ("URL", "TOKEN", "SPOOL", "RUN")


@pytest.fixture(autouse=True)
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(f"DATA_PLATFORM_{name}", raising=False)
    for name in ("AUTO_JOB_NAME", "AUTORUN", "AUTOSERV", "AUTO_NTRY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "spool"
    monkeypatch.setenv("DATA_PLATFORM_SPOOL", str(folder))
    return folder


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RemoteService]:
    with remote_service() as far:
        monkeypatch.setenv("DATA_PLATFORM_URL", far.url)
        monkeypatch.setenv("DATA_PLATFORM_TOKEN", "dp_example")
        yield far


def waiting(spool: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(spool.glob("*.json"))]


def keep(count: int) -> None:
    for _ in range(count):
        register_process(KEY, "running", url="none:")


def forwarded(seconds: float = 20) -> Forwarded:
    return forward_within(service_of(), seconds, hurry=False)


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - this file's own code
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_importing_it_brings_the_standard_library_and_little_of_it() -> None:
    found = python("import sys; import data_platform.legacy.client, data_platform.legacy.wrapper; print(*sys.modules)")

    events = {"data_platform.openlineage", "data_platform.openlineage.legacy_event"}
    own = {"data_platform", "data_platform.errors", "data_platform.legacy", *events}
    own |= {f"data_platform.legacy.{path.stem}" for path in (ROOT / "data_platform" / "legacy").glob("*.py")}
    names = set(found.stdout.split())
    there_anyway = set(python("import sys; print(*sys.modules)").stdout.split())
    brought = names - own - there_anyway
    assert {name for name in brought if name.partition(".")[0] not in sys.stdlib_module_names} == set()
    heavy = {"http.client", "ssl", "socket", "email", "asyncio", "dataclasses", "subprocess", "logging", "uuid"}
    assert brought & (heavy | {"data_platform.model.secret", "pydantic"}) == set()


def test_a_process_and_its_datasets_are_reported_at_once(service: RemoteService, spool: Path) -> None:
    run = register_process(KEY, "started", inputs=["ds://sales/orders", "/in/rates.csv"], outputs="s3://lake/a/b")

    [said] = service.received
    event = read_event(said)
    assert (event.type, event.run_uuid, event.warnings) == (EventType.START, run, ())
    assert event.job is not None
    assert (event.job.namespace, event.job.name) == ("AUTOSYS", "NIGHT/LOAD")
    assert [m.name.full for m in event.datasets] == ["ds://sales/orders", "file//in/rates.csv", "s3://lake/a/b"]
    assert "Authorization: Bearer dp_example" in service.heads[0]
    assert service.heads[0].startswith("POST /api/v1/lineage HTTP/1.1")
    assert waiting(spool) == []


def test_a_dataset_of_a_process_is_an_output_of_its_run(service: RemoteService) -> None:
    run = register_process(KEY, "started")
    register_dataset("ds://sales/orders", "2025-01-01", "completed", rows=7, size=90, path="/out/o", process=KEY)

    event = read_event(service.received[1])
    [output] = event.datasets
    assert (event.run_uuid, event.type, event.warnings) == (run, EventType.OTHER, ())
    assert (output.version_tag, output.row_count, output.byte_count) == ("2025-01-01", 7, 90)
    assert output.path == "/out/o"


def test_a_dataset_without_a_process_is_its_own_event_and_a_failed_one_makes_no_version(service: RemoteService) -> None:
    register_dataset("ds://sales/orders", "1", "ready")
    register_dataset("ds://sales/orders", "2", "failed")

    made, failed = (read_event(said) for said in service.received)
    assert (made.type, made.datasets[0].version_tag) == (EventType.DATASET, "1")
    assert (failed.type, failed.datasets[0].version_tag) == (EventType.DATASET, None)
    assert failed.datasets[0].facets["dataPlatform_status"]["status"] == "FAIL"


@pytest.mark.parametrize(
    ("word", "kind"),
    [("started", "START"), ("Running", "RUNNING"), ("SUCCESS", "COMPLETE"), ("in progress", "RUNNING"),
     ("failure", "FAIL"), ("terminated", "ABORT"), ("SU", "COMPLETE"), ("aborted", "ABORT")],
)  # fmt: skip
def test_status_words_of_people_and_of_autosys_are_accepted(word: str, kind: str) -> None:
    assert event_type(word) == kind


def test_names_are_split_into_namespace_and_name() -> None:
    assert dataset_name("ds://zone/name") == ("ds://zone", "name")
    assert dataset_name("file:///a/b") == ("file", "/a/b")
    assert process_name("AUTOSYS/BOX/JOB") == ("AUTOSYS", "BOX/JOB")
    assert process_name("nightly") == ("LEGACY", "nightly")


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"name": KEY, "status": "perhaps"}, id="a status that is none"),
        pytest.param({"name": " ", "status": "started"}, id="no name"),
        pytest.param({"name": "A//B", "status": "started"}, id="an empty part"),
        pytest.param({"name": "A\nB", "status": "started"}, id="a line break"),
        pytest.param({"name": None, "status": "started"}, id="None"),
        pytest.param({"name": KEY, "status": 3}, id="a number"),
        pytest.param({"name": KEY, "status": "started", "inputs": ["orders"]}, id="a dataset without a zone"),
        pytest.param({"name": KEY, "status": "started", "inputs": 5}, id="inputs that are no list"),
    ],
)
def test_a_wrong_call_is_reported_in_one_line_and_never_raised(
    wrong: Any, service: RemoteService, capsys: pytest.CaptureFixture[str]
) -> None:
    assert register_process(**wrong) is None

    told = capsys.readouterr().err
    assert told.startswith("data-platform: nothing was reported to the catalog: ")
    assert told.count("\n") == 1
    assert service.received == []
    with pytest.raises((UsageError, TypeError)):
        register_process(**wrong, strict=True)


@pytest.mark.parametrize(
    "answer",
    [pytest.param(status, id=str(status)) for status in (503, 500, 429, 408, 401, 403, 404, 302)]
    + [pytest.param(DROP, id="cut"), pytest.param(PAGE, id="a login page"), pytest.param(HANG, id="hangs")],
)
def test_what_the_service_does_not_take_waits_and_goes_first_next_time(
    answer: int, service: RemoteService, spool: Path
) -> None:
    service.answers = [answer]
    register_process(KEY, "started", seconds=0.5 if answer == HANG else 5)
    assert [said["eventType"] for said in waiting(spool)] == ["START"]

    register_process(KEY, "completed")
    forwarded()  # what a busy machine had no time for

    assert service.types == ["START", "COMPLETE"]
    assert waiting(spool) == []
    assert len({said["run"]["runId"] for said in service.received}) == 1


def test_a_service_that_is_down_gets_everything_in_order_once_it_is_there(spool: Path) -> None:
    for status in ("started", "running", "completed"):
        register_process(KEY, status, url=AWAY)
    with remote_service() as service:
        result = forward_within(service_of(service.url), 20)

        assert service.types == ["START", "RUNNING", "COMPLETE"]
    assert (result.sent, result.problem, waiting(spool)) == (3, "", [])


def test_nothing_is_lost_without_the_address_of_the_service(spool: Path) -> None:
    assert register_process(KEY, "started") is not None

    assert len(waiting(spool)) == 1
    assert forwarded().problem == "DATA_PLATFORM_URL is not set"


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_a_permanently_rejected_event_is_moved_with_its_response_and_reported_once(
    status: int, service: RemoteService, spool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers = [status]
    register_process(KEY, "started")
    told = capsys.readouterr().err
    register_process(KEY, "completed")

    assert told.count("\n") == 1
    assert f"refused an event for good ({status} said {status})" in told
    assert capsys.readouterr().err == ""
    assert service.types == ["COMPLETE"]
    [kept] = (spool / "refused").glob("*.json")
    assert json.loads(kept.read_bytes())["eventType"] == "START"
    assert f"said {status}" in kept.with_name(f"{kept.name}.answer").read_text()


def test_a_wrong_token_is_reported_since_waiting_does_not_help(
    service: RemoteService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.answers = [401]

    register_process(KEY, "started")

    assert "check DATA_PLATFORM_TOKEN" in capsys.readouterr().err


def test_strict_raises_what_went_wrong(service: RemoteService) -> None:
    service.answers = [503, 201, 422]
    with pytest.raises(SourceUnavailableError, match="answered 503"):
        register_process(KEY, "started", strict=True)
    with pytest.raises(UsageError, match="422"):
        register_process(KEY, "completed", strict=True)


@pytest.mark.parametrize("url", ["catalog:8080", "ftp://a", "http://", "http://a:x", "http://a:99999", "http://a b"])
def test_an_address_that_is_none_keeps_the_event(url: str, spool: Path) -> None:
    with pytest.raises(SourceUnavailableError, match="not an address"):
        register_process(KEY, "started", url=url, strict=True)

    assert len(waiting(spool)) == 1


def test_a_forwarder_that_died_between_answer_and_removal_doubles_nothing(service: RemoteService, spool: Path) -> None:
    register_process(KEY, "started", url=AWAY)
    [path] = spool.glob("*.json")
    body = path.read_bytes()
    for _ in range(3):
        path.write_bytes(body)  # as it was before the removal
        forwarded()

    assert len(service.received) == 3
    assert len(service.kept) == 1
    assert waiting(spool) == []


def test_a_forwarder_that_is_killed_in_the_middle_loses_nothing(service: RemoteService, spool: Path) -> None:
    for _ in range(20):
        register_process(KEY, "running", url=AWAY)
    service.answers = [201] * 7 + [HANG]
    code = "from data_platform.legacy.client import *; import data_platform.legacy.forward as f\n"
    code += "f.forward_within(service_of(), 60)"
    killed = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    while len(service.received) < 8:
        threading.Event().wait(0.01)
    killed.kill()
    killed.wait()

    forwarded()

    assert len(service.kept) == 20
    times = [said["eventTime"] for said in service.kept.values()]
    assert times == sorted(times)
    assert waiting(spool) == []


def test_what_waits_goes_in_batches_and_in_order(service: RemoteService, spool: Path) -> None:
    keep(120)

    forwarded()

    assert [head.partition(" HTTP")[0] for head in service.heads] == ["POST /api/v1/lineage/batch"] * 3
    times = [said["eventTime"] for said in service.received]
    assert times == sorted(times)
    assert len(set(times)) == len(service.kept) == 120
    assert waiting(spool) == []


def test_a_batch_is_no_larger_than_its_bound(
    service: RemoteService, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(10)
    size = max(path.stat().st_size for path in spool.glob("*.json"))
    monkeypatch.setattr(forward_module, "MOST_BYTES", 2 * size)

    forwarded()

    assert len(service.kept) == 10
    # fewer than five go one by one
    assert [int(head.partition("Content-Length: ")[2]) > size for head in service.heads] == [True] * 3 + [False] * 4


def test_each_event_of_a_batch_has_its_own_fate(service: RemoteService, spool: Path) -> None:
    keep(8)
    names = sorted(path.name for path in spool.glob("*.json"))
    service.answers = [201, 422, 201, 503, 201, 201, 422, 201]

    result = forwarded()

    assert (result.sent, list(result.refused)) == (5, [names[1], names[6]])
    assert result.problem == "the service answered 503"
    assert [path.name for path in spool.glob("*.json")] == [names[3]]
    forwarded()
    assert len(service.kept) == 6


@pytest.mark.parametrize("broken", [404, PAGE])
def test_a_service_that_takes_no_batches_gets_one_event_after_the_other(
    broken: int, service: RemoteService, spool: Path
) -> None:
    keep(8)
    service.takes_batches = broken != 404
    service.answers = [] if broken == 404 else [broken]

    forwarded()

    assert [head.partition(" HTTP")[0].rpartition("/")[2] for head in service.heads] == ["batch"] + ["lineage"] * 8
    assert len(service.kept) == 8
    assert waiting(spool) == []


def test_many_forwarders_at_once_send_each_event_once(service: RemoteService, spool: Path) -> None:
    for _ in range(30):
        register_process(KEY, "running", url=AWAY)
    threads = [threading.Thread(target=forwarded) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(service.received) == len(service.kept) == 30
    assert waiting(spool) == []


def test_a_full_disk_is_reported_and_the_event_is_sent_without_it(
    service: RemoteService, spool: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spool_module.os, "write", full)
    run = register_process(KEY, "started", outputs=["ds://a/b"])
    monkeypatch.undo()

    told = capsys.readouterr().err
    assert run is not None
    assert service.types == ["START"]
    assert told.count("\n") == 1
    assert "No space left on device" in told
    assert "the event was sent without it" in told
    assert list(spool.glob("*.json")) == list(spool.glob(".*.draft")) == []


def test_without_disk_and_service_the_event_is_lost_and_that_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    register_process(KEY, "started", spool=f"{tmp_path}/file/spool", url=AWAY)

    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "the event is lost" in told
    with pytest.raises(EnvironmentProblem, match="is lost"):
        register_process(KEY, "started", spool=f"{tmp_path}/file/spool", url=AWAY, strict=True)


def test_a_real_disk_that_is_full_changes_nothing_for_the_job(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(  # noqa: S603
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],  # noqa: S607
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk here")
    try:
        code = f"from data_platform.legacy.client import *\nfor _ in range(60): register_process({KEY!r}, 'running')"
        found = python(code + "\nprint('job done')", DATA_PLATFORM_SPOOL=str(disk), DATA_PLATFORM_URL=AWAY)

        assert found.stdout == "job done\n"
        assert {line.partition("(")[2].partition(")")[0] for line in found.stderr.splitlines()} == {
            "No space left on device"
        }
        whole = [json.loads(path.read_bytes())["eventType"] for path in disk.glob("*.json")]
        assert whole == ["RUNNING"] * (60 - len(found.stderr.splitlines()))
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S603, S607


def test_secrets_in_an_error_are_removed(service: RemoteService) -> None:
    register_process(KEY, "failed", error="login failed: --password=Example-Pw1 at jdbc:x://u:Example-Pw2@h/db")

    [said] = service.received
    assert "Example-Pw" not in json.dumps(said)
    assert "login failed" in said["run"]["facets"]["errorMessage"]["message"]


def test_autosys_own_run_number_makes_the_run_and_a_new_number_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AUTO_JOB_NAME", "LOAD")
    monkeypatch.setenv("AUTORUN", "4711")
    first = [register_process(KEY, status) for status in ("started", "completed")]
    monkeypatch.setenv("AUTORUN", "4712")

    assert len({*first, register_process(KEY, "started")}) == 2
    assert first[0] == first[1]


def test_a_run_id_that_is_no_uuid_becomes_the_same_one_each_time(service: RemoteService) -> None:
    ids = [register_process(KEY, "started", run_id="2025-01-01#3") for _ in range(2)]

    assert ids[0] == ids[1] == service.received[0]["run"]["runId"]


def test_lines_of_one_shell_script_report_one_run_and_the_next_start_another(spool: Path) -> None:
    line = f"{sys.executable} -c \"from data_platform.legacy.client import *; register_process('{KEY}', '%s')\""
    start, middle, end = (line % status for status in ("started", "running", "completed"))
    script = f"{start}\n({middle}; true)\n{end}\n{start}\n{end}\n"

    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["/bin/sh", "-c", script], env=environment, check=True, timeout=120)  # noqa: S603

    runs = [said["run"]["runId"] for said in waiting(spool)]
    assert runs[0] == runs[1] == runs[2]
    assert runs[3] == runs[4] != runs[0]
    assert list((spool / "shell").iterdir()) == []


def test_a_service_that_sends_a_byte_now_and_then_does_not_hold_the_job(spool: Path) -> None:
    code = "import socket, time\ns = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)\n"
    code += "line, _ = s.accept()\nwhile True: line.send(b'x'); time.sleep(0.1)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as slow:  # noqa: S603
        assert slow.stdout is not None
        url = f"http://127.0.0.1:{slow.stdout.readline().strip()}"
        with pytest.raises(SourceUnavailableError, match="did not answer within"):
            register_process(KEY, "started", url=url, seconds=1, strict=True)
        slow.kill()

    assert len(waiting(spool)) == 1


@pytest.mark.parametrize(
    ("version", "partition", "tag"),
    [("v7", "2025-06-01", "2025-06-01/v7"), ("2025-06-01", None, "2025-06-01"), (None, "2025-06-01", "2025-06-01")],
)
def test_a_version_is_of_a_day(service: RemoteService, version: str | None, partition: str | None, tag: str) -> None:
    register_dataset("ds://legacy/positions", version, "completed", partition=partition, strict=True)

    (document,) = service.received
    assert read_event(document).datasets[0].version_tag == tag
