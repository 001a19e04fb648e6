"""``legacy forward`` sends waiting events; ``legacy process`` and ``legacy dataset`` send theirs, or store them."""

from dataclasses import replace
from pathlib import Path

import pytest

from data_platform.legacy.client import register_process
from data_platform_tests.catalog.arrival.example import WAITING
from data_platform_tests.cli.shop import Shop
from data_platform_tests.legacy.remote_service import remote_service


@pytest.fixture(autouse=True)
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "spool"
    monkeypatch.setenv("DATA_PLATFORM_SPOOL", str(folder))
    monkeypatch.delenv("DATA_PLATFORM_URL", raising=False)
    for status in ("started", "completed"):
        register_process("AUTOSYS/BOX/JOB", status)
    return folder


def test_what_waits_is_sent_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with remote_service() as service:
        monkeypatch.setenv("DATA_PLATFORM_URL", service.url)
        first, second = shop.run("legacy", "forward"), shop.run("legacy", "forward")

        assert service.types == ["START", "COMPLETE"]
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.startswith("2 sent, 0 refused, 0 waiting")
    assert second.stdout.startswith("0 sent, 0 refused, 0 waiting")


def test_what_is_refused_for_good_is_named_with_the_reason(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with remote_service() as service:
        service.answers = [422]
        monkeypatch.setenv("DATA_PLATFORM_URL", service.url)
        document = shop.json("legacy", "forward")

    assert (document["sent"], document["waiting"], document["problem"]) == (1, 0, "")
    assert list(document["refused"].values()) == ["422 said 422"]


def test_without_a_service_everything_waits_on(shop: Shop, spool: Path) -> None:
    result = shop.run("legacy", "forward")

    assert result.exit_code == 1
    assert "error: DATA_PLATFORM_URL is not set" in result.output
    assert len(list(spool.glob("*.json"))) == 2


def test_a_line_of_a_shell_script_reports_a_process_and_its_dataset(
    shop: Shop, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in spool.glob("*.json"):
        path.unlink()
    with remote_service() as service:
        monkeypatch.setenv("DATA_PLATFORM_URL", service.url)
        begun = shop.json("legacy", "process", "AUTOSYS/NIGHT/LOAD", "started")
        positions = ("legacy", "dataset", "ds://legacy/positions", "v7", "--partition", "2025-06-01", "--rows", "20")
        told = shop.json(*positions, "--process", "AUTOSYS/NIGHT/LOAD")
        ended = shop.run("legacy", "process", "AUTOSYS/NIGHT/LOAD", "completed", "--output", "ds://legacy/positions")

        assert service.types == ["START", "OTHER", "COMPLETE"]
    assert begun["sent"] is True
    assert begun["run_id"] == told["run_id"]
    assert (ended.exit_code, f"(run {begun['run_id']}): sent" in ended.stdout) == (0, True)


def test_a_service_that_is_away_loses_nothing_and_is_no_error_of_the_job(shop: Shop, spool: Path) -> None:
    result = shop.run("legacy", "dataset", "ds://legacy/positions", "v7")

    assert result.exit_code == 0
    assert "kept for later: DATA_PLATFORM_URL is not set" in result.output
    assert len(list(spool.glob("*.json"))) == 3


@pytest.mark.parametrize(
    "wrong", [("process", "AUTOSYS/NIGHT/LOAD", "sleeping"), ("dataset", "positions", "v7"), ("process", "", "started")]
)
def test_a_wrong_line_is_an_error(shop: Shop, spool: Path, wrong: tuple[str, ...]) -> None:
    result = shop.run("legacy", *wrong)

    assert result.exit_code == 2
    assert "error: " in result.output
    assert len(list(spool.glob("*.json"))) == 2


def test_markers_show_what_is_waited_for(shop: Shop) -> None:
    whole = replace(WAITING, marker="rates/_SUCCESS", urn="ds://legacy/rates", partition=None, waits_for="")
    with shop.catalog() as catalog:
        catalog.arrivals.take_markers([WAITING, whole], now=WAITING.changed_at)

    shown, only = shop.run("legacy", "markers"), shop.json("legacy", "markers", "--waiting")

    assert "waits for positions.csv (90 of 100 bytes)" in " ".join(shown.stdout.split())
    assert "delivered" in shown.stdout
    assert [(one["urn"], one["partition"]) for one in only] == [("ds://legacy/positions", "2025-06-01")]


def test_an_empty_list_of_markers_is_reported(shop: Shop) -> None:
    assert "no marker was seen so far" in shop.run("legacy", "markers").output
    assert "no delivery is waiting" in shop.run("legacy", "markers", "--waiting").output
