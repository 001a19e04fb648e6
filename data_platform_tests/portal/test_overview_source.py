"""Pages say that they are not ready while policies and states are read for the first time, and open by themselves."""

import threading
from pathlib import Path

import pytest

from data_platform.portal.overview_source import OverviewSource
from data_platform.portal.policy_source import PolicySource
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, shop_policies


@pytest.fixture
def slow(portal: PortalClient, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The state of the datasets cannot be read before the event is set, and no page waits for it."""
    is_open, read = threading.Event(), OverviewSource._read

    def late(source: OverviewSource, moment: object) -> object:
        assert is_open.wait(30)
        return read(source, moment)  # type: ignore[arg-type]

    monkeypatch.setattr(OverviewSource, "_read", late)
    source = OverviewSource(portal.catalog, portal.app.state.portal.policies, lambda: NOW, kept_seconds=60)
    source._kept._wait_seconds = 0.01
    object.__setattr__(portal.app.state.portal, "overviews", source)
    return is_open


def test_a_page_that_is_not_ready_opens_by_itself(portal: PortalClient, slow: threading.Event) -> None:
    page = portal.page("/")
    program = portal.get("/datasets", headers={"Accept": "application/json"})

    assert (page.status_code, page.headers["retry-after"]) == (503, "1")
    assert '<meta http-equiv="refresh" content="1">' in page.text
    assert program.json()["type"].endswith(":not-ready")
    assert portal.page("/evidence").status_code == 200, "it needs no state of datasets"

    slow.set()
    portal.app.state.portal.overviews._kept._wait_seconds = 30
    assert portal.page("/").status_code == 200
    assert portal.page("/?at=2026-02-15T05:45:00-05:00").status_code == 200


def test_policies_are_waited_for_only_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from data_platform.api.problem import ProblemError

    monkeypatch.setattr("data_platform.portal.policy_source.WAIT_SECONDS", 0.01)
    source = PolicySource(shop_policies(tmp_path))

    with source._lock, pytest.raises(ProblemError):
        source.current()

    assert len(source.wait().datasets) == len(source.current().datasets) == 3
