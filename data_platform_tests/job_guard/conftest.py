"""A machine of a job: its policies, its spool, and neither a service nor a catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform_tests.job_guard.orders import declare


@pytest.fixture(autouse=True)
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("URL", "TOKEN", "RUN", "GUARD", "CATALOG_URL"):
        monkeypatch.delenv(f"DATA_PLATFORM_{name}", raising=False)
    monkeypatch.setenv("DATA_PLATFORM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DATA_PLATFORM_POLICIES", str(tmp_path / "policies"))
    monkeypatch.setenv("DATA_PLATFORM_SPOOL", str(tmp_path / "spool"))
    declare(tmp_path)
    return tmp_path
