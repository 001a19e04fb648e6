"""The difference of an entry is that of the command, which the service starts once at a time."""

import sys
import threading
from pathlib import Path

import pytest

from data_platform.api.problem import ProblemError
from data_platform.api.quarantine_command import QuarantineCommand
from data_platform.errors import UsageError
from data_platform.model.access import Role
from data_platform.model.plain_json import plain
from data_platform.stage.replay_preview import Preview
from data_platform_tests.api.service_client import ServiceClient
from data_platform_tests.api.test_quarantine import NAME, ONE, QUARANTINE, declare, set_aside
from data_platform_tests.catalog.example import entry


def program(source: str, seconds: float = 60) -> QuarantineCommand:
    """A command that runs ``source`` with the name in ``sys.argv``."""
    return QuarantineCommand("diff", (sys.executable, "-c", f"import json, sys, time\n{source}"), seconds)


def test_the_route_returns_what_the_command_prints(tmp_path: Path) -> None:
    preview = plain(Preview(entry=entry(), would_pass=2, would_not=3, still_broken={"MISSING_FIELD:id": 3}))
    found = program(f"print(json.dumps({preview!r} | {{'reason': sys.argv[1]}}))")

    with ServiceClient(f"sqlite:///{tmp_path}/catalog.db", diff=found) as service:
        declare(service, "sales")
        set_aside(service, "run_1")
        answers = [service.get(f"{ONE}/diff", as_=role) for role in (Role.PLATFORM_ADMIN, Role.DATA_CONSUMER)]
        unknown = service.get(f"{QUARANTINE}/none/diff")

    assert [one.status_code for one in answers] == [200, 403]
    assert answers[0].json() == preview | {"reason": NAME}
    assert unknown.status_code == 404


def test_a_refusal_of_the_command_is_one_of_the_request() -> None:
    with pytest.raises(UsageError, match="no policy declares ds://a/b"):
        program("sys.exit(print('no policy declares ds://a/b', file=sys.stderr) or 2)").run(NAME)


def test_the_command_is_that_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_PLATFORM_HOME", str(tmp_path))

    with pytest.raises(UsageError, match=f"there is no quarantine table {NAME}"):
        QuarantineCommand("show").run(NAME)


@pytest.mark.parametrize(
    ("source", "seconds", "message"),
    [
        pytest.param("sys.exit('no Java')", 60, f"run `data-platform quarantine diff {NAME}` .*: no Java", id="fails"),
        pytest.param("time.sleep(60)", 0.2, "it took more than 0 seconds", id="takes too long"),
    ],
)
def test_a_machine_that_cannot_compute_it_is_503_with_the_command(source: str, seconds: float, message: str) -> None:
    with pytest.raises(ProblemError, match=message) as refused:
        program(source, seconds).run(NAME)

    assert refused.value.status == 503


def test_a_second_one_is_refused_while_the_first_is_under_way(tmp_path: Path) -> None:
    began, end = tmp_path / "began", tmp_path / "end"
    wait = f"while not pathlib.Path({str(end)!r}).exists(): time.sleep(0.01)"
    diff = program(f"import pathlib\npathlib.Path({str(began)!r}).touch()\n{wait}\nprint('{{}}')")
    first = threading.Thread(target=diff.run, args=(NAME,))
    first.start()
    while not began.exists():
        pass

    with pytest.raises(ProblemError, match="another difference is being computed"):
        diff.run(NAME)
    end.touch()
    first.join()

    assert diff.run(NAME) == {}
