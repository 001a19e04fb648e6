"""A table is onboarded by its URL or path, and nothing that was typed wrong is shown if it may be a password."""

from pathlib import Path

import pytest

from data_platform.errors import UsageError
from data_platform.model.dataset import DatasetId
from data_platform.model.jdbc_source import JdbcSource
from data_platform.onboarding.proposal.proposed_policy import Owner
from data_platform.onboarding.request import Request
from data_platform.onboarding.table_place import TableRequest

URL = "jdbc:postgresql://db.example/core"
OWNER = Owner(dataset=DatasetId("core", "trades"), team="treasury")


def request(path: str, **table: str) -> Request:
    return Request(path=path, owner=OWNER, table=TableRequest(**table))


def test_a_table_of_a_database_is_named_with_where_its_password_is(tmp_path: Path) -> None:
    asked = request(URL, table="ledger.trades", user="reader", password_from="CORE_PASSWORD")  # noqa: S106

    place = asked.place(tmp_path)

    assert isinstance(place.policy, JdbcSource)
    assert place.source == {
        "format": "jdbc", "url": URL, "user": "reader", "password": {"env": "CORE_PASSWORD"}, "table": "ledger.trades",
    }  # fmt: skip
    assert asked.source == f"{URL} --table ledger.trades --user reader --password-from CORE_PASSWORD"


@pytest.mark.parametrize(
    ("path", "table", "reason"),
    [
        (URL, {}, "which table of the database"),
        (URL, {"table": "a, b"}, "is not the name of one table"),
        (f"{URL}?user=x&password=s3cret", {"table": "a"}, "url: it seems to hold a password"),
        (URL, {"table": "a", "password_from": "s3cret!"}, "password.env"),
        ("orders", {"table": "a"}, "only for a table, which a URL names"),
    ],
    ids=["no table", "two tables", "a password in the URL", "a password for a name", "a path"],
)
def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path, path: str, table: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as raised:
        request(path, **table).place(tmp_path)

    assert "s3cret" not in str(raised.value)


def test_a_delta_table_is_named_within_the_landing_folder_or_by_its_whole_path(tmp_path: Path) -> None:
    inside, outside = tmp_path / "landing" / "trades", tmp_path / "elsewhere" / "trades"
    for table in (inside, outside):
        (table / "_delta_log").mkdir(parents=True)

    found = [request(str(table)).place(tmp_path / "landing").source for table in (inside, outside)]

    assert found == [{"format": "delta", "path": "trades"}, {"format": "delta", "path": str(outside)}]
    assert request("s3a://bank/trades").place(tmp_path).source == {"format": "delta", "path": "s3a://bank/trades"}
