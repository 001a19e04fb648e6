"""A catalog in which a test writes what runs would have left there: versions that passed, were held, were certified."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome
from data_platform.policies import Dataset, Policies
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.verdicts import all_gates

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)


@dataclass
class Ledger:
    """Each entry is of a run of its own, ``run_20250107_1`` and on, a minute after the last."""

    catalog: Catalog
    policies: Policies
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def certify(self, name: str, version: int, *, day: PartitionKey | None = DAY) -> str:
        """The run that moved the pointer of ``name`` to ``version``."""
        dataset = self.policies.dataset(name)
        before = self.catalog.certifications.get(dataset.urn)
        report = self._report(dataset, Stage.CERTIFIED, day, version=version, read={f"{dataset.urn}@gold": version})
        pointer = Certification(
            dataset_urn=dataset.urn,
            status=CertificationStatus.CERTIFIED,
            version=version,
            path=report.path,
            certified_at=report.finished_at,
            run_id=report.run_id,
            partition=report.partition,
        )
        self.catalog.certifications.certify(
            pointer, expected=before.version if before else None, evidence=[_evidence(report)], report=report
        )
        return report.run_id

    def record(
        self,
        name: str,
        stage: Stage,
        version: int | None,
        *,
        read: Mapping[str, int],
        day: PartitionKey | None = DAY,
        outcome: Outcome = Outcome.PASSED,
        **changes: Any,
    ) -> str:
        """The run that did ``stage`` of ``name``; ``read`` are the versions it was made of."""
        report = self._report(
            self.policies.dataset(name), stage, day, version=version, read=read, outcome=outcome, **changes
        )
        self.catalog.runs.record(report, [_evidence(report)], held_reason=None if report.passed else "as planned")
        return report.run_id

    def make(self, name: str, version: int, *, read: Mapping[str, int], day: PartitionKey | None = DAY) -> str:
        """Every stage of a derived dataset, each at ``version``; the run that certified it."""
        urn = self.policies.dataset(name).urn
        self.record(name, Stage.SILVER, version, read=read, day=day)
        self.record(name, Stage.GOLD, version, read={f"{urn}@silver": version}, day=day)
        return self.certify(name, version, day=day)

    def _report(
        self,
        dataset: Dataset,
        stage: Stage,
        day: PartitionKey | None,
        *,
        version: int | None,
        read: Mapping[str, int],
        outcome: Outcome = Outcome.PASSED,
        **changes: Any,
    ) -> StageReport:
        number = next(self.numbers)
        values: dict[str, Any] = {
            "dataset": dataset.id,
            "stage": stage,
            "partition": day,
            "run_id": f"run_20250107_{number}",
            "path": f"lake/{stage}/{dataset.table}",
            "version": version,
            "rows": RowCounts(),
            "verdicts": all_gates(stage, outcome, derived=dataset.derived),
            "derived": dataset.derived,
            "started_at": NOW + timedelta(minutes=number),
            "finished_at": NOW + timedelta(minutes=number),
            "policy_fingerprint": dataset.fingerprint,
            "input_versions": dict(read),
        }
        return StageReport(**{**values, **changes})


def _evidence(report: StageReport) -> Evidence:
    return Evidence(
        dataset_urn=report.dataset.urn,
        run_id=report.run_id,
        gate=Gate.DQ.value,
        result="PASS" if report.passed else "FAIL",
        timestamp=report.finished_at,
        stage=report.stage,
        partition=report.partition,
    )


@contextmanager
def opened(estate: Estate, policies: Policies) -> Iterator[Ledger]:
    with open_catalog(estate.settings.catalog_url, EvidenceKeys(estate.settings.evidence_key)) as catalog:
        yield Ledger(catalog, policies)
