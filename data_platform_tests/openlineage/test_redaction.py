"""No password of an event is stored, wherever it stands; names and owners stay as they are."""

from typing import Any

import pytest

from data_platform.openlineage.redaction import redacted_event


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        pytest.param({"jdbc_password": "Example-Pw1"}, {"jdbc_password": "***"}, id="a key that says so"),
        pytest.param(
            {"name": "DB_PASSWORD", "value": "x"}, {"name": "DB_PASSWORD", "value": "***"}, id="name and value"
        ),
        pytest.param(
            {"namespace": "postgres://app:Example-Pw1@db:5432", "name": "s.t"},
            {"namespace": "postgres://app:***@db:5432", "name": "s.t"},
            id="a URL as a namespace",
        ),
        pytest.param(
            {"stackTrace": "at jdbc:x://db?password=Example-Pw1\nfor ann.case@example.com"},
            {"stackTrace": "at jdbc:x://db?password=***\nfor [REDACTED:EMAIL]"},
            id="a stack trace",
        ),
        pytest.param(
            {"owners": [{"name": "Ann Case <ann.case@example.com>", "type": "data owner"}]},
            {"owners": [{"name": "Ann Case <ann.case@example.com>", "type": "data owner"}]},
            id="owners",
        ),
        pytest.param({"namespace": "abfss://raw@acct.dfs"}, {"namespace": "abfss://raw@acct.dfs"}, id="no password"),
        pytest.param(
            {"failure_signature": "UNKNOWN_ENUM:status"}, {"failure_signature": "UNKNOWN_ENUM:status"}, id="a signature"
        ),
        pytest.param({"fields": [{"name": "token"}]}, {"fields": [{"name": "token"}]}, id="a column's name"),
    ],
)
def test_secrets_are_removed_and_names_are_kept(sent: dict[str, Any], stored: dict[str, Any]) -> None:
    event = redacted_event({"run": {"facets": {"x": sent}}})

    assert event == {"run": {"facets": {"x": stored}}}
    assert redacted_event(event) == event
