"""A shop with two datasets and a catalog that is filled by hand: what commands show, without Spark and without runs."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake
from typer.testing import CliRunner, Result

from data_platform.catalog import Catalog, open_catalog
from data_platform.cli.main import app
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.quarantine import QuarantineEntry
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform_tests.catalog.template import copy_template

ORDERS = "ds://sales/orders"
CUSTOMERS = "ds://sales/customers"
NOW = datetime(2025, 1, 7, 3, 0, 5, tzinfo=UTC)
DAY = "2025-01-06"
RUN = "run_20250107_aaaaaaaaaaaa"
HELD_RUN = "run_20250107_bbbbbbbbbbbb"
QUARANTINE = "orders_20250107_run_bbbbbbbbbbbb"
SIGNATURE = "PII:EMAIL:note"

DATASET = """\
urn: {urn}
owner_team: sales
tier: TIER_3
source: {{format: csv, path: "{path}", producer: shop}}
"""
BUNDLE = """\
schema:
  constraints:
    - {field: id, type: INT, nullable: false}
    - {field: note, type: STRING}
"""


@dataclass
class Shop:
    """``run`` is a command in a pipe, as a job scheduler would start it."""

    root: Path

    def __post_init__(self) -> None:
        self.declare(ORDERS, "orders/{partition}", "partition: {key: day, start: 2025-01-01}\n")
        self.declare(CUSTOMERS, "customers")

    def declare(self, urn: str, path: str, more: str = "") -> None:
        folder = self.root / "policies" / "datasets" / urn.removeprefix("ds://")
        folder.mkdir(parents=True)
        (folder / "dataset.yaml").write_text(DATASET.format(urn=urn, path=path) + more)
        (folder / "policy_bundle.yaml").write_text(BUNDLE)

    @property
    def environment(self) -> dict[str, str | None]:
        keys = ("PII_KEY_FILE", "EVIDENCE_KEY_FILE")
        cleared = ("LAKE", "LANDING", "CATALOG_URL", "SPARK_MASTER", "SPARK_MEMORY", *keys)
        return {
            **{f"DATA_PLATFORM_{name}": None for name in cleared},
            "DATA_PLATFORM_HOME": str(self.root / "home"),
            "DATA_PLATFORM_POLICIES": str(self.root / "policies"),
            "DAGSTER_HOME": str(self.root / "dagster"),
        }

    def run(self, *arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(app, arguments, env={**self.environment, **environment}, prog_name="data-platform")

    def json(self, *arguments: str, exit_code: int = 0) -> Any:
        """The one document on standard output; nothing else may be there."""
        result = self.run(*arguments, "--json")
        assert result.exit_code == exit_code, result.output
        assert result.stderr == ""
        return json.loads(result.stdout)

    @contextmanager
    def catalog(self) -> Iterator[Catalog]:
        file = self.catalog_file
        copy_template(file)
        with open_catalog(f"sqlite:///{file}", EvidenceKeys(file.with_name("evidence.key"))) as opened:
            yield opened

    @property
    def catalog_file(self) -> Path:
        return self.root / "home" / "catalog.db"


def gold(shop: Shop) -> Path:
    """The gold table of orders, of which version 4 is the latest."""
    place = shop.root / "home" / "lake" / "gold" / "orders"
    if not (place / "_delta_log").exists():
        shutil.copytree(_gold_template(), place, dirs_exist_ok=True)
    return place


@cache
def _gold_template() -> Path:
    place = Path(tempfile.mkdtemp(prefix="gold-template-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    for number in range(5):
        write_deltalake(place, pa.table({"id": [number]}), mode="overwrite")
    return place


def certify(shop: Shop) -> None:
    """Version 4 of orders passed every gate."""
    pointer = Certification(
        dataset_urn=ORDERS,
        status=CertificationStatus.CERTIFIED,
        version=4,
        path=str(gold(shop)),
        certified_at=NOW,
        run_id=RUN,
        partition=DAY,
    )
    said = Evidence(
        dataset_urn=ORDERS, run_id=RUN, gate="CERTIFICATION", result="CERTIFIED", certified_view_status="CERTIFIED",
        timestamp=NOW, stage=Stage.CERTIFIED, partition=DAY,
    )  # fmt: skip
    passed = Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.PASSED)
    with shop.catalog() as catalog:
        catalog.certifications.certify(
            pointer, expected=None, evidence=[said], report=report(RUN, Stage.CERTIFIED, passed, version=4)
        )


def hold(shop: Shop, partition: str = DAY, signature: str = SIGNATURE) -> QuarantineEntry:
    """The next run of orders is held at silver, and two of its three rows are quarantined."""
    broken = RuleResult(rule="email", signature=SIGNATURE, outcome=Outcome.FAILED, rows=2)
    failed = Verdict(gate=Gate.G5_PII, outcome=Outcome.FAILED, results=(broken,), compliance=1 / 3)
    aside = QuarantineEntry(
        name=QUARANTINE,
        path=str(shop.root / "home" / "lake" / "quarantine" / QUARANTINE),
        dataset_urn=ORDERS,
        stage=Stage.SILVER,
        partition=partition,
        run_id=HELD_RUN,
        level="row",
        rows=2,
        resolved_rows=0,
        signatures={signature: 2},
        delivery_id="delivery_1",
        created_at=NOW,
    )
    said = Evidence(
        dataset_urn=ORDERS, run_id=HELD_RUN, gate="G5_PII", result="FAIL", failure_signature=SIGNATURE,
        quarantine_table=aside.full_name, certified_view_status="HELD_AT_PREVIOUS", previous_certified_version="v4",
        timestamp=NOW, stage=Stage.SILVER, partition=partition,
    )  # fmt: skip
    told = report(
        HELD_RUN,
        Stage.SILVER,
        failed,
        quarantine_table=aside.full_name,
        quarantine_path=aside.path,
        partition=partition,
    )
    with shop.catalog() as catalog:
        catalog.runs.record(told, [said], quarantine=aside, held_reason=SIGNATURE)
    return aside


def set_aside(entry: QuarantineEntry, **columns: list[object]) -> None:
    """The two rows of ``entry``, read from the path in the catalog."""
    Path(entry.path).mkdir(parents=True)
    write_deltalake(entry.path, pa.table({"id": ["1", "2"], **columns}))


def report(run_id: str, stage: Stage, *verdicts: Verdict, **changes: Any) -> StageReport:
    values: dict[str, Any] = {
        "dataset": DatasetId.parse(ORDERS),
        "stage": stage,
        "partition": DAY,
        "run_id": run_id,
        "path": "lake/gold/orders",
        "version": None,
        "rows": RowCounts(read=3, accepted=1, quarantined=2),
        "verdicts": verdicts,
        "started_at": NOW,
        "finished_at": NOW,
    }
    return StageReport(**{**values, **changes})
