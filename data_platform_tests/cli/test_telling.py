"""``legacy forward`` sends what waits, says what it could not, and its exit code tells whether some still waits."""

from pathlib import Path

import pytest

from data_platform.legacy.client import register_process
from data_platform_tests.cli.shop import Shop
from data_platform_tests.legacy.far_service import far_service


@pytest.fixture(autouse=True)
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "spool"
    monkeypatch.setenv("DATA_PLATFORM_SPOOL", str(folder))
    monkeypatch.delenv("DATA_PLATFORM_URL", raising=False)
    for status in ("started", "completed"):
        register_process("AUTOSYS/BOX/JOB", status)
    return folder


def test_what_waits_is_sent_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with far_service() as service:
        monkeypatch.setenv("DATA_PLATFORM_URL", service.url)
        first, second = shop.run("legacy", "forward"), shop.run("legacy", "forward")

        assert service.types == ["START", "COMPLETE"]
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout.startswith("2 sent, 0 refused, 0 waiting")
    assert second.stdout.startswith("0 sent, 0 refused, 0 waiting")


def test_what_is_refused_for_good_is_named_with_the_reason(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with far_service() as service:
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
