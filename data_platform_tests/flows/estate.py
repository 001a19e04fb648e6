"""A small installation in a temporary folder: policies from dicts, deliveries from text, the shared Spark session."""

import json
import shutil
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from pyspark.sql import SparkSession

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport, new_run_id
from data_platform.settings import Settings, read_settings
from data_platform.stage import driver
from data_platform_tests.catalog.template import copy_template

DAY = PartitionKey("2025-01-06")
KEY = b"a key for tests, of 32 bytes or so"


@dataclass
class Estate:
    """``platform`` opens it; times come from ``now``, which a test may set."""

    root: Path
    spark: SparkSession
    now: datetime = field(default=datetime(2025, 1, 7, 3, 0, tzinfo=UTC))

    def __post_init__(self) -> None:
        (self.root / "policies").mkdir(parents=True, exist_ok=True)
        (self.root / "pii.key").write_bytes(KEY)
        copy_template(self.root / "catalog.db")

    @property
    def settings(self) -> Settings:
        return read_settings(
            {"DATA_PLATFORM_HOME": str(self.root), "DATA_PLATFORM_POLICIES": str(self.root / "policies")}
        )

    def platform(self, **settings: Any) -> Platform:
        """``settings`` are those that are to be others than the environment's."""
        return Platform(replace(self.settings, **settings), now=lambda: self.now, session=self.spark)

    def declare(self, urn: str, bundle: dict[str, Any], **policy: Any) -> None:
        """Write ``dataset.yaml`` and ``policy_bundle.yaml``; what is not named has the shortest valid value."""
        zone, name = urn.removeprefix("ds://").split("/")
        folder = self.root / "policies" / "datasets" / zone / name
        folder.mkdir(parents=True, exist_ok=True)
        dataset = {"urn": urn, "owner_team": "tests", "tier": "TIER_3", **policy}
        (folder / "dataset.yaml").write_text(yaml.safe_dump(dataset))
        (folder / "policy_bundle.yaml").write_text(yaml.safe_dump(bundle))

    def process(self, name: str, **content: Any) -> None:
        folder = self.root / "policies" / "processes"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({"name": name, "owner_team": "tests", **content}))

    def deliver(self, path: str, contents: dict[str, str | bytes], **manifest: Any) -> None:
        """Put files into a landing folder; with ``manifest`` fields, one beside them."""
        folder = self.root / "landing" / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        if manifest:
            (folder / "manifest.json").write_text(json.dumps(manifest))

    def run(self, name: str, day: PartitionKey | None = DAY, platform: Platform | None = None) -> list[StageReport]:
        """Every stage, until one is held. Each call is a run of its own, a minute after the last."""
        self.now += timedelta(minutes=1)
        opened = platform or self.platform()
        try:
            return list(driver.run(opened, opened.policies.dataset(name), day, new_run_id(self.now)))
        finally:
            if platform is None:
                opened.close()

    def certified_rows(self, name: str) -> list[dict[str, Any]]:
        """What a consumer sees, in order of the first column."""
        opened = self.platform()
        try:
            dataset = opened.policies.dataset(name)
            pointer = opened.catalog.certifications.get(dataset.urn)
            if pointer is None or pointer.version is None:
                return []
            rows = opened.table(dataset, Stage.CERTIFIED).at(pointer.version)
            return [row.asDict() for row in rows.orderBy(rows.columns[0]).collect()]
        finally:
            opened.close()


class Saved:
    """An estate as it is now, for tests that each change it: to copy its files back is faster than to run it again.

    It comes back at its own path, since the catalog and Delta's log contain paths.
    """

    def __init__(self, estate: Estate) -> None:
        self._estate, self._now = estate, estate.now
        self._copy = estate.root.with_name(f"{estate.root.name}-saved")
        shutil.copytree(estate.root, self._copy)

    def restored(self) -> Estate:
        estate = self._estate
        shutil.rmtree(estate.root)
        shutil.copytree(self._copy, estate.root)
        jvm = estate.spark._jvm
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        return Estate(estate.root, estate.spark, self._now)


ORDERS = "ds://sales/orders"
ORDERS_SOURCE = {"format": "csv", "path": "orders/{partition}", "producer": "shop"}
ORDERS_PARTITION = {"key": "day", "start": date(2025, 1, 1)}
ORDERS_BUNDLE: dict[str, Any] = {
    "schema": {
        "constraints": [
            {"field": "id", "type": "INT", "nullable": False},
            {"field": "amount", "type": "DECIMAL(10,2)"},
            {"field": "note", "type": "STRING"},
        ]
    },
    "contract_lite": {"invariants": [{"id": "positive", "rule": "amount > 0"}], "min_compliance": 0.5},
    "contract": {"unique": ["id"]},
}


def orders(estate: Estate, *lines: str, day: PartitionKey = DAY, **manifest: Any) -> None:
    """Deliver orders of a day, a CSV line each."""
    estate.deliver(f"orders/{day}", {"orders.csv": "\n".join(("id,amount,note", *lines)) + "\n"}, **manifest)


def declare_orders(estate: Estate, bundle: dict[str, Any] | None = None, **policy: Any) -> None:
    estate.declare(
        ORDERS,
        {**ORDERS_BUNDLE, **(bundle or {})},
        **{"source": ORDERS_SOURCE, "partition": ORDERS_PARTITION, **policy},
    )


def a_day(number: int) -> PartitionKey:
    """Of January 2025."""
    return PartitionKey(f"2025-01-{number:02}")


def ids_at(estate: Estate, stage: Stage, day: PartitionKey) -> list[int]:
    """Ids of orders in the stage's table itself, whether certified or not."""
    platform = estate.platform()
    found = platform.table(platform.policies.dataset("orders"), stage).rows().where(f"day = DATE'{day}'").collect()
    platform.close()
    return sorted(row["id"] for row in found)


def set_aside(estate: Estate, report: StageReport) -> list[Any]:
    """The rows of the quarantine table that ``report`` names."""
    return estate.spark.read.format("delta").load(report.quarantine_path).collect()
