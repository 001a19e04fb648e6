"""C03: vendors send a corrected file under the same name, and the same file once more."""

from datetime import date, timedelta

import pytest

from data_platform.arrival.redelivery import AGAIN_AFTER
from data_platform.arrival.watcher import Delivered, Watcher
from data_platform.model.lineage import DatasetRole
from data_platform.model.partition_key import PartitionKey
from data_platform.policies.external import ExternalAssets
from data_platform.stage import landed_delivery
from data_platform_tests.case import case_file, expected
from data_platform_tests.flows.estate import Estate

BUNDLE = {
    "schema": {"constraints": [{"field": "order_id", "type": "STRING"}, {"field": "amount", "type": "DECIMAL(10,2)"}]},
    "contract_lite": {"invariants": ["amount > 0"], "min_compliance": 1.0},
}
SOURCE = {
    "format": "csv",
    "producer": "vendor",
    "path": "orders",
    "files": "orders_{partition:%Y%m%d}.csv",
    "marker": "orders_{partition:%Y%m%d}.done",
}
FIRST, NEXT = PartitionKey("2025-06-01"), PartitionKey("2025-06-02")


class Vendor:
    """Drops files with their markers, and looks at what the platform makes of that."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate
        estate.declare("ds://shop/orders", BUNDLE, source=SOURCE, partition={"key": "day", "start": date(2025, 1, 1)})
        self.platform = estate.platform()
        assets = ExternalAssets(self.platform.policies).by_urn.values()
        landing = self.platform.settings.landing
        self.watcher = Watcher(landing, assets, self.platform.catalog, now=lambda: estate.now)

    def drop(self, number: int) -> None:
        for file in case_file("C03", f"deliveries/{number}").iterdir():
            self.put(file.name, file.read_text())

    def put(self, name: str, content: str) -> None:
        folder = self.platform.settings.landing / "orders"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
        self.mark(name)

    def mark(self, name: str) -> None:
        marker = (self.platform.settings.landing / "orders" / name).with_suffix(".done")
        marker.unlink(missing_ok=True)
        marker.touch()

    def look(self) -> Delivered:
        self.estate.now += timedelta(minutes=1)
        (found,) = self.watcher.look(30).delivered
        return found

    def run(self, day: PartitionKey) -> bool:
        """Every stage of the day; whether it was certified."""
        return self.estate.run("orders", day, self.platform)[-1].passed

    def total(self) -> str:
        rows = self.estate.certified_rows("orders")
        return str(sum(row["amount"] for row in rows))


@pytest.fixture
def vendor(estate: Estate) -> Vendor:
    return Vendor(estate)


def test_a_corrected_file_replaces_the_rows_of_the_one_before(vendor: Vendor) -> None:
    right = expected("C03")["sequence"][1]
    seen = []
    for number in (1, 2, 3):
        vendor.drop(number)
        found = vendor.look()
        seen.append((found.number, found.duplicate))
        if not found.duplicate:
            assert vendor.run(FIRST)

    assert seen == [(1, False), (2, False), (2, True)]
    assert vendor.total() == right["final_total_amount"]
    assert len(vendor.estate.certified_rows("orders")) == right["final_rows"]


def test_the_same_file_may_be_tried_again_after_a_run_that_failed(
    vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    vendor.drop(4)
    first = vendor.look()
    with monkeypatch.context() as patch:
        patch.setattr(landed_delivery, "find_delivery", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            vendor.run(NEXT)

    vendor.mark("orders_20250602.csv")
    soon = vendor.look()
    vendor.estate.now += AGAIN_AFTER
    vendor.mark("orders_20250602.csv")
    later = vendor.look()

    assert expected("C03")["sequence"][3]["expected"] == "retry_allowed"
    assert [(one.number, one.duplicate) for one in (first, soon, later)] == [(1, False), (1, True), (2, False)]
    assert vendor.run(NEXT)
    assert vendor.total() == "5.00"


def test_the_same_file_may_be_tried_again_after_its_batch_was_held(vendor: Vendor) -> None:
    vendor.put("orders_20250602.csv", "order_id,amount\nO-1,-1\n")
    first = vendor.look()
    assert not vendor.run(NEXT)

    vendor.mark("orders_20250602.csv")
    again = vendor.look()

    assert [(one.number, one.duplicate) for one in (first, again)] == [(1, False), (2, False)]


def test_a_delivery_that_was_certified_before_the_watcher_started_is_not_started_again(vendor: Vendor) -> None:
    vendor.drop(1)
    assert vendor.run(FIRST)

    first = vendor.look()
    vendor.drop(2)
    second = vendor.look()

    assert [(one.number, one.duplicate) for one in (first, second)] == [(1, True), (2, False)]


def test_the_delivery_that_bronze_read_is_the_version_that_arrived(vendor: Vendor) -> None:
    vendor.drop(1)
    vendor.look()
    vendor.run(FIRST)

    catalog = vendor.platform.catalog
    (number,) = (number for number, name in catalog.arrivals.names(0) if name == "ds://shop/orders/landing")
    (version,) = catalog.arrivals.versions([number])
    told = catalog.lineage.process_runs("DATA_PLATFORM/shop/orders/bronze").items[0]
    read = [(use.full_name, use.version) for use in told.datasets if use.role == DatasetRole.INPUT]
    assert read == [("ds://shop/orders/landing", version.tag)]
