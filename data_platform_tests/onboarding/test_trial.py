"""An error of a tried day is its result, and keeps no other day from being tried."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from data_platform.errors import SourceError
from data_platform.model.partition_key import PartitionKey
from data_platform.onboarding import trial


def failing(*_: Any) -> Iterator[Any]:
    raise SourceError("orders.csv cannot be read, ask ann@example.com")
    yield


def test_an_error_is_the_result_of_a_day_without_a_personal_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial.driver, "run", failing)
    platform: Any = SimpleNamespace(now=lambda: datetime(2025, 1, 7, tzinfo=UTC))

    result = trial._tried(platform, SimpleNamespace(), PartitionKey("2025-01-06"))  # type: ignore[arg-type]

    assert (result["day"], result["certified"], result["held_at"]) == ("2025-01-06", False, "an error")
    assert result["error"] == "orders.csv cannot be read, ask [REDACTED:EMAIL]"
