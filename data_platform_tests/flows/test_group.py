"""Orders and their lines are published together: a reader never sees a day of one without that of the other."""

from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.run import StageReport, new_run_id
from data_platform.model.verdict import Gate
from data_platform.stage.group_publication import publish_waiting
from data_platform_tests.flows.estate import (
    DAY,
    ORDERS,
    ORDERS_PARTITION,
    Estate,
    declare_orders,
    orders,
)

LINES = "ds://sales/lines"
NEXT = DAY.next


def declare_group(estate: Estate, *members: str) -> None:
    folder = estate.root / "policies" / "groups"
    folder.mkdir(exist_ok=True)
    content = {"name": "order_day", "owner_team": "tests", "members": list(members)}
    (folder / "order_day.yaml").write_text(yaml.safe_dump(content))


def lines(estate: Estate, *rows: str, day: Any = DAY) -> None:
    """Deliver lines of a day: their id, and the order that they belong to."""
    estate.deliver(f"lines/{day}", {"lines.csv": "\n".join(("line,order_id", *rows)) + "\n"})


def ids(estate: Estate) -> tuple[list[int], list[int]]:
    """What readers see: ids of orders, and of lines."""
    return [row["id"] for row in estate.certified_rows("orders")], [
        row["line"] for row in estate.certified_rows("lines")
    ]


def missing(report: StageReport) -> list[str]:
    return [f"{one['dataset_urn']} {one['reason']}" for one in report.metadata[WAITING_FOR_GROUP]["missing"]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    """Nothing has run yet. Each line refers to an order."""
    estate = Estate(tmp_path_factory.mktemp("group"), spark)
    declare_orders(estate)
    fields = [{"field": "line", "type": "INT", "nullable": False}, {"field": "order_id", "type": "INT"}]
    contract = {"references": [{"fields": ["order_id"], "dataset": ORDERS, "key": ["id"]}]}
    source = {"format": "csv", "path": "lines/{partition}", "producer": "shop"}
    bundle = {"schema": {"constraints": fields}, "contract": contract}
    estate.declare(LINES, bundle, source=source, partition=ORDERS_PARTITION)
    declare_group(estate, "orders", "lines")
    return estate


def test_two_datasets_are_published_together(shop: Estate) -> None:
    orders(shop, "1,10.50,first", "2,3.00,second")
    lines(shop, "10,1", "11,2")
    orders(shop, "3,1.00,third", day=NEXT)
    lines(shop, "12,9", day=NEXT)  # of an order that does not exist

    waits = shop.run("orders")[-1]
    nothing = ids(shop)
    done = shop.run("lines")[-1]
    both = ids(shop)
    shop.run("orders", NEXT)
    held = shop.run("lines", NEXT)[-1]
    still = ids(shop)

    assert (waits.stage, waits.waits, waits.proceeds, waits.version) == (Stage.CERTIFIED, True, False, None)
    assert missing(waits) == [f"{LINES} has not passed yet"]
    assert (nothing, both, still) == (([], []), ([1, 2], [10, 11]), ([1, 2], [10, 11]))
    assert (done.passed, held.stage, held.proceeds) == (True, Stage.GOLD, False)
    platform = shop.platform()
    group = platform.catalog.publications.published("order_day")
    waiting = platform.catalog.publications.waiting_in("order_day", now=shop.now)
    assert [(one.dataset_urn, one.partition) for one in waiting] == [(ORDERS, NEXT)]
    assert [m.reason for m in waiting[0].missing] == [f"was held in {held.run_id}"]
    records = [
        r for urn in (ORDERS, LINES) for r in platform.catalog.evidence.find(urn) if r.gate == Gate.CERTIFICATION
    ]
    assert {r.publication_id for r in records if r.result == "CERTIFIED"} == {group.publication}
    assert platform.catalog.evidence.verify().is_whole
    lines(shop, "12,3", day=NEXT)
    assert shop.run("lines", NEXT)[-1].passed
    assert ids(shop) == ([1, 2, 3], [10, 11, 12])
    _a_member_that_left_is_published_alone(shop, platform)
    platform.close()


def _a_member_that_left_is_published_alone(shop: Estate, platform: Platform) -> None:
    day = NEXT.next
    orders(shop, "4,1.00,fourth", day=day)
    assert shop.run("orders", day)[-1].waits
    (shop.root / "policies" / "groups" / "order_day.yaml").unlink()

    messages = publish_waiting(shop.platform(), new_run_id(shop.now))

    assert messages == [f"{ORDERS} {day} was published as v{platform.catalog.certifications.get(ORDERS).version}"]
    assert ids(shop) == ([1, 2, 3, 4], [10, 11, 12])
