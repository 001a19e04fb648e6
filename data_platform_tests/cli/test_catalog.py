"""``catalog …`` finds, registers, decides and archives, for people and as JSON."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data_platform.cli.catalog import read_age
from data_platform.errors import InputError
from data_platform.openlineage.event import read_event
from data_platform_tests.cli.shop import Shop

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def fill(shop: Shop, count: int = 1) -> None:
    """Runs of long ago, each of which wrote a dataset of its own."""
    fields = {"schema": {"fields": [{"name": "customer_id", "type": "int"}]}}
    with shop.catalog() as catalog:
        for n in range(count):
            document = {
                "eventType": "COMPLETE",
                "eventTime": LONG_AGO.isoformat(),
                "producer": "p",
                "run": {"runId": f"00000000-0000-0000-0000-{n:012}"},
                "job": {"namespace": "AUTOSYS", "name": "LOAD"},
                "outputs": [{"namespace": "ds://sales", "name": f"flights_{n}", "facets": fields}],
            }
            catalog.events.ingest([read_event(document)], now=LONG_AGO)


def register(shop: Shop, *more: str) -> Any:
    return shop.json("catalog", "register", "ds://sales/returns", "--by", "ann", *more)


def test_a_search_shows_what_it_found_and_where(shop: Shop) -> None:
    fill(shop)

    result = shop.run("catalog", "search", "fligths")

    assert result.stdout.splitlines()[1].split() == ["DATASET", "ds://sales/flights_0", "DRAFT", "similar"]
    assert result.stderr == "fligths was also read as flights\n"


def test_a_search_is_filtered_and_paged_as_json(shop: Shop) -> None:
    fill(shop, count=3)
    asked = ("catalog", "search", "customer", "id", "--kind", "dataset", "--column", "CUSTOMER_ID", "--limit", "2")

    page = shop.json(*asked)
    rest = shop.json(*asked, "--cursor", page["cursor"])

    found = [hit["full_name"] for hit in (*page["hits"], *rest["hits"])]
    assert found == [f"ds://sales/flights_{n}" for n in range(3)]
    assert rest["cursor"] is None
    assert {hit["found_in"] for hit in page["hits"]} == {"column"}
    assert page["cursor"] in shop.run(*asked).stderr


def test_a_search_without_hits_is_reported(shop: Shop) -> None:
    assert shop.run("catalog", "search", "qqq").stdout == "nothing found\n"
    assert shop.json("catalog", "search", "qqq") == {"hits": [], "cursor": None, "read_as": {}}


@pytest.mark.parametrize("words", [[], ["🦊"], ["a", "--status", "GONE"], ["a", "--cursor", "x"]])
def test_a_search_that_asks_nothing_is_wrong_use(shop: Shop, words: list[str]) -> None:
    result = shop.run("catalog", "search", *words)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")


def test_a_dataset_is_registered_by_one_and_approved_by_another(shop: Shop) -> None:
    fields = ("--description", "What came back", "--tag", "daily", "--team", "sales", "--sla-minutes", "90")
    entry = register(shop, *fields)
    assert (entry["full_name"], entry["submitted_by"], entry["status"]) == ("ds://sales/returns", "ann", "PENDING")
    assert entry["requested"]["sla_window_seconds"] == 5400
    line = shop.run("catalog", "registrations").stdout.splitlines()[1]
    assert line.split()[:3] == ["1", "ds://sales/returns", "ann"]

    own = shop.run("catalog", "approve", "1", "--by", "ann")
    assert (own.exit_code, "somebody else has to approve it" in own.stderr) == (2, True)
    done = shop.run("catalog", "approve", "1", "--by", "bob", "--comment", "fine")

    assert done.stdout == "registration 1 of ds://sales/returns is APPROVED\n"
    assert shop.run("catalog", "registrations").stdout == "no registration is PENDING\n"
    (kept,) = shop.json("catalog", "registrations", "--status", "approved")["entries"]
    assert (kept["reviewer"], kept["comment"]) == ("bob", "fine")
    (hit,) = shop.json("catalog", "search", "returns")["hits"]
    assert (hit["status"], hit["team"], hit["tags"]) == ("ACTIVE", "sales", ["daily"])
    assert shop.run("catalog", "reject", "1", "--by", "bob").exit_code == 1


def test_a_rejected_request_leaves_a_draft(shop: Shop) -> None:
    register(shop)

    assert shop.json("catalog", "reject", "1", "--by", "bob")["status"] == "REJECTED"
    (hit,) = shop.json("catalog", "search", "returns")["hits"]
    assert hit["status"] == "DRAFT"


def test_a_name_that_is_none_is_wrong_use(shop: Shop) -> None:
    result = shop.run("catalog", "register", "returns")

    assert result.exit_code == 2
    assert "expected one such as ds://zone/name" in result.stderr


def test_old_runs_are_archived_in_the_given_folder(shop: Shop, tmp_path: Path) -> None:
    fill(shop, count=2)

    first = shop.run("catalog", "archive", "--older-than", "90d", "--folder", str(tmp_path / "cold"))
    again = shop.json("catalog", "archive", "--older-than", "13w")

    assert first.exit_code == 0
    assert first.stdout.startswith("2 runs and 2 events from before ")
    assert first.stderr == "2020-01-01: 2 runs and 2 events so far\n"
    assert len(list((tmp_path / "cold").rglob("*.parquet"))) == 3
    assert (again["runs"], again["files"]) == (0, [])
    assert (shop.root / "home" / "archive").is_dir()


@pytest.mark.parametrize("age", ["", "90", "0d", "d", "-1d", "1h", "90 d", "999999d"])
def test_an_age_that_is_none_is_wrong_use(shop: Shop, age: str) -> None:
    result = shop.run("catalog", "archive", f"--older-than={age}")

    assert result.exit_code == 2
    assert "expected days or weeks, such as 90d" in result.stderr


def test_an_age_is_days_or_weeks() -> None:
    assert read_age("90d") == timedelta(days=90)
    assert read_age("2w") == timedelta(days=14)
    with pytest.raises(InputError):
        read_age("٣d")


@pytest.mark.parametrize("dialect", ["db2", "postgresql", "sqlite"])
def test_the_tables_are_printed_without_a_catalog(new_shop: Shop, dialect: str) -> None:
    result = new_shop.run("catalog", "ddl", "--dialect", dialect)

    assert result.exit_code == 0
    assert "CREATE TABLE lineage_edge (" in result.stdout
    assert result.stdout.count(";\n") >= 60
    assert not (new_shop.root / "home").exists()


@pytest.mark.slow
def test_the_commands_start_without_what_they_do_not_need() -> None:
    code = "import sys, json, data_platform.cli.main; print(json.dumps(sorted(sys.modules)))"

    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603 - this Python

    assert not {"sqlalchemy", "pyarrow", "rapidfuzz", "ibm_db_sa", "pyspark", "pydantic", "yaml", "apprise"} & set(
        json.loads(said)
    )
