"""Certification of a member of a publish group: its version passed, and waits until the group may show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.evidence import Evidence
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.partition_key import PartitionKey
from data_platform.model.plain_json import plain
from data_platform.model.publication import Candidate
from data_platform.model.run import ENFORCEMENT
from data_platform.model.verdict import Gate
from data_platform.model.waiver import WAIVERS, numbers_of
from data_platform.stage.gold_history import discarded, floor_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.lake.table import LakeTable
    from data_platform.model.certification import Certification
    from data_platform.model.publication import GroupRule
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset
    from data_platform.stage.gold_history import Write


def add_candidate(
    platform: Platform,
    rule: GroupRule,
    dataset: Dataset,
    report: StageReport,
    previous: Certification | None,
    writes: Sequence[Write],
    evidence: Sequence[Evidence],
) -> None:
    """Records that the version of ``report`` passed. Call it under the dataset's lease.

    ``writes`` are those since the certified version; ``evidence`` is of the gates that judged gold again.
    """
    open_ones = platform.catalog.publications.open_candidates(dataset.urn)
    gone = _rolled_back(platform.table(dataset, Stage.GOLD), open_ones, previous)
    after = max((one.version for one in open_ones if one.number not in gone), default=-1)
    new = [write.partition for write in writes if write.commit.version > after]
    slices = [PartitionKey(text) if text else None for text in new]
    assert report.schema is not None, "a version that passed has columns"  # noqa: S101
    candidate = _candidate(rule, dataset, report, previous, tuple(dict.fromkeys([*slices, report.partition])))
    platform.catalog.publications.add(
        candidate, rule, report.schema, [*evidence, _evidence(candidate, previous)], discarded=gone
    )
    platform.on_step("ready", {"dataset": dataset.urn, "stage": Stage.CERTIFIED.value, "partition": report.partition})


def _candidate(
    rule: GroupRule,
    dataset: Dataset,
    report: StageReport,
    previous: Certification | None,
    slices: tuple[PartitionKey | None, ...],
) -> Candidate:
    [verdict] = report.verdicts
    assert report.version is not None, "it passed"  # noqa: S101
    assert report.schema is not None  # noqa: S101
    return Candidate(
        dataset_urn=dataset.urn,
        group=rule.name,
        partition=report.partition,
        run_id=report.run_id,
        path=report.path,
        version=report.version,
        base=previous.version if previous else None,
        slices=slices,
        rows=report.rows.accepted,
        schema_fingerprint=report.schema.fingerprint,
        policy_fingerprint=report.policy_fingerprint,
        judged_under=dataset.judged_under,
        delivery_id=report.delivery_id,
        started_at=report.started_at,
        ready_at=report.finished_at,
        verdict=plain(verdict.metadata),
        metadata=plain(report.metadata),
    )


def _rolled_back(table: LakeTable, candidates: Sequence[Candidate], previous: Certification | None) -> list[int]:
    """Numbers of candidates that are no part of gold any more, or that the pointer has passed."""
    floor = floor_of(previous)
    gone = discarded(table.history_since(floor)) if candidates else set()
    return [one.number for one in candidates if one.version in gone or (one.adds_rows and one.version <= floor)]


def _evidence(candidate: Candidate, previous: Certification | None) -> Evidence:
    version = previous.version if previous else None
    status = CertificationStatus.UNCERTIFIED if version is None else CertificationStatus.HELD_AT_PREVIOUS
    return Evidence(
        dataset_urn=candidate.dataset_urn,
        run_id=candidate.run_id,
        gate=Gate.CERTIFICATION.value,
        result=CertificationStatus.HELD_AT_PREVIOUS.value,
        failure_signature=f"{WAITING_FOR_GROUP}:{candidate.group}",
        certified_view_status=status.value,
        previous_certified_version=None if version is None else f"v{version}",
        timestamp=candidate.ready_at,
        stage=Stage.CERTIFIED.value,
        partition=candidate.partition,
        enforcement=candidate.metadata.get(ENFORCEMENT),
        waivers=numbers_of(candidate.metadata.get(WAIVERS, ())),
        group_name=candidate.group,
    )
