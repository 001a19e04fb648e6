"""Several processes on one PostgreSQL catalog and one lake: the same day, other days and a replay at once."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from deltalake import DeltaTable

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.registration import Actor
from data_platform.model.run import new_run_id
from data_platform.stage import driver
from data_platform_tests.catalog.conftest import POSTGRES_URL
from data_platform_tests.catalog.template import copied_database
from data_platform_tests.flows.command import PATIENCE_SECONDS
from data_platform_tests.flows.estate import ORDERS, Estate, a_day, declare_orders, orders
from data_platform_tests.flows.killed import address

pytestmark = pytest.mark.skipif(POSTGRES_URL is None, reason="no PostgreSQL server is named")
CODES = [
    {"field": "id", "type": "INT", "nullable": False},
    {"field": "amount", "type": "DECIMAL(10,2)"},
    {"field": "note", "type": "STRING", "enum": ["good"]},
]
ROWS = {a_day(5): (50, 51), a_day(6): (60, 61), a_day(7): (70, 71), a_day(8): (80, 81)}
"""Ids by day: that of a good row, and that of a row with an undeclared note, which silver quarantines."""


@pytest.fixture
def platform(estate: Estate) -> Iterator[Platform]:
    """On PostgreSQL: the first day is certified without its second row, whose release is approved."""
    bundle = {
        "schema": {"constraints": CODES},
        "contract_lite": {"min_compliance": 0.5},
        "contract": {"unique": ["id"]},
    }
    declare_orders(estate, bundle)
    for day, (good, other) in ROWS.items():
        orders(estate, f"{good},1.00,good", f"{other},2.00,unheard", day=day)
    with copied_database(POSTGRES_URL or "") as url:
        opened = estate.platform(catalog_url=url)
        list(driver.run(opened, opened.policies.dataset("orders"), a_day(5), new_run_id(estate.now)))
        [entry] = opened.catalog.quarantine.entries(ORDERS)
        people = {"by": Actor(name="ann", role="DATA_OWNER"), "approver": Actor(name="bob", role="DATA_STEWARD")}
        opened.catalog.quarantine.release(entry.name, "agreed", now=estate.now, **people)
        yield opened
        opened.close()


def certified(platform: Platform) -> dict[str, list[int]]:
    """The ids that a consumer sees now, by day."""
    pointer = platform.catalog.certifications.get(ORDERS)
    assert pointer is not None
    rows = DeltaTable(pointer.path, version=pointer.version).to_pyarrow_table(columns=["day", "id"]).to_pylist()
    found: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: row["id"]):
        found.setdefault(str(row["day"]), []).append(row["id"])
    return found


def test_every_row_arrives_once_and_consumers_never_see_a_part_of_a_day(estate: Estate, platform: Platform) -> None:
    [entry] = platform.catalog.quarantine.entries(ORDERS)
    program = [sys.executable, "-m", "data_platform_tests.flows.concurrent_run", str(estate.root)]
    program += [platform.settings.catalog_url, (estate.now + timedelta(minutes=1)).isoformat()]
    work = ([a_day(6), a_day(7)], [a_day(8), a_day(6)], [entry.name])
    environment = {**os.environ, **address(estate.spark)}
    running = [subprocess.Popen([*program, *map(str, one)], env=environment) for one in work]  # noqa: S603
    wholes = {
        str(day): ([good], [good, other]) if day == a_day(5) else ([good],) for day, (good, other) in ROWS.items()
    }
    seen = []
    while any(process.poll() is None for process in running):
        seen.append(certified(platform))
        time.sleep(0.1)

    assert [process.wait(PATIENCE_SECONDS) for process in running] == [0, 0, 0]
    assert [rows for rows in seen for day, ids in rows.items() if ids not in wholes[day]] == []
    assert certified(platform) == {day: whole[-1] for day, whole in wholes.items()}
    for day in ROWS:
        silver = platform.catalog.runs.latest(ORDERS, Stage.SILVER, day)
        assert silver is not None
        assert (silver.rows.read, silver.rows.accepted + silver.rows.quarantined) == (2, 2)
    left = {(one.partition, one.open_rows) for one in platform.catalog.quarantine.entries(ORDERS)}
    assert left == {(str(day), 1) for day in ROWS if day != a_day(5)}
    assert platform.catalog.runs.open_intents() == ()
    assert platform.catalog.leases.owner(ORDERS) is None
