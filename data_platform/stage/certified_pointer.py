"""What the catalog stores when the version of a report is certified: the pointer, and the evidence that it moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.evidence import Evidence
from data_platform.model.publication import PUBLICATION
from data_platform.model.run import ENFORCEMENT
from data_platform.model.verdict import Gate
from data_platform.model.waiver import WAIVERS, numbers_of

if TYPE_CHECKING:
    from data_platform.model.run import StageReport


def pointer_of(report: StageReport) -> Certification:
    assert report.schema is not None, "a certified version has columns"  # noqa: S101
    return Certification(
        dataset_urn=report.dataset.urn,
        status=CertificationStatus.CERTIFIED,
        version=report.version,
        path=report.path,
        certified_at=report.finished_at,
        run_id=report.run_id,
        partition=report.partition,
        schema_fingerprint=report.schema.fingerprint,
        policy_fingerprint=report.policy_fingerprint,
    )


def evidence_of_move(report: StageReport, old: int | None) -> Evidence:
    """``old`` is the version that consumers saw before. The report of a group's member names the publication."""
    publication = report.metadata.get(PUBLICATION, {})
    return Evidence(
        dataset_urn=report.dataset.urn,
        run_id=report.run_id,
        gate=Gate.CERTIFICATION.value,
        result=CertificationStatus.CERTIFIED.value,
        certified_view_status=CertificationStatus.CERTIFIED.value,
        previous_certified_version=None if old is None else f"v{old}",
        timestamp=report.finished_at,
        stage=Stage.CERTIFIED.value,
        partition=report.partition,
        enforcement=report.metadata.get(ENFORCEMENT),
        waivers=numbers_of(report.metadata.get(WAIVERS, ())),
        group_name=publication.get("group"),
        publication_id=publication.get("id"),
    )
