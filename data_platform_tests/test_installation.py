"""A run's Spark session may be begun beside the thread that needs it, and is opened once."""

import threading
from pathlib import Path
from typing import Any, cast

import pytest

from data_platform import installation
from data_platform.errors import EnvironmentProblem
from data_platform.installation import Platform
from data_platform.settings import read_settings

PATIENCE_SECONDS = 60


class FakeSession:
    """Stands for Spark's, which takes seconds to open."""


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    (tmp_path / "policies").mkdir()
    variables = {"DATA_PLATFORM_HOME": str(tmp_path), "DATA_PLATFORM_POLICIES": str(tmp_path / "policies")}
    return Platform(read_settings(variables))


def test_who_asks_while_the_session_is_begun_waits_for_it(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[FakeSession] = []
    closed: list[Any] = []
    inside, go_on = threading.Event(), threading.Event()

    def open_slowly(_options: object) -> FakeSession:
        inside.set()
        assert go_on.wait(PATIENCE_SECONDS)
        opened.append(FakeSession())
        return opened[-1]

    monkeypatch.setattr(installation, "open_session", open_slowly)
    monkeypatch.setattr(installation, "close_session", closed.append)
    platform.start_spark()
    assert inside.wait(PATIENCE_SECONDS)
    threading.Timer(0.05, go_on.set).start()

    session = cast("Any", platform.spark)
    platform.close()

    assert [session] == opened == closed


def test_a_session_that_nobody_asked_for_is_closed_too(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Any] = []
    monkeypatch.setattr(installation, "open_session", lambda _: FakeSession())
    monkeypatch.setattr(installation, "close_session", closed.append)

    platform.start_spark()
    platform.close()

    assert len(closed) == 1


def test_a_start_that_fails_is_reported_to_who_needs_the_session(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_options: object) -> None:
        raise EnvironmentProblem("Spark did not start")

    monkeypatch.setattr(installation, "open_session", fail)
    platform.start_spark()

    with pytest.raises(EnvironmentProblem, match="did not start"):
        _ = platform.spark
    platform.close()


def test_no_session_is_opened_by_a_process_that_was_asked_to_end(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    monkeypatch.setattr(installation, "open_session", opened.append)
    platform.stopping.set()

    with pytest.raises(EnvironmentProblem, match="asked to end"):
        _ = platform.spark
    assert not opened
