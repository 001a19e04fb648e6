"""Check results and observations that legacy jobs report, each stored once, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.arrival_table import ASSET_REPORT
from data_platform.catalog.upsert import insert_into
from data_platform.model.arrival import AssetReport, ReportKind
from data_platform.model.personal import redacted
from data_platform.model.secret import redact
from data_platform.openlineage.redaction import redacted_metadata

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def add_report(connection: Connection, report: AssetReport) -> bool:
    """Stores a report; False if it is already stored, or equals the last one of its check and day."""
    report = replace(
        report, description=redact(redacted(report.description)), metadata=redacted_metadata(report.metadata)
    )
    last = _last(connection, report) if report.kind is ReportKind.CHECK else None
    if last is not None and _content(last) == _content(report):
        return False
    statement = insert_into(connection, ASSET_REPORT).on_conflict_do_nothing(index_elements=["digest"])
    values = {
        "kind": report.kind,
        "dataset_urn": report.urn,
        "partition": report.partition,
        "check_name": report.check,
        "passed": report.passed,
        "severity": report.severity,
        "description": report.description,
        "metadata_json": report.metadata,
        "digest": report.digest,
        "reported_by": report.reported_by,
        "reported_at": report.reported_at,
    }
    return bool(connection.execute(statement.values(**values)).rowcount)


def find_last_checks(
    connection: Connection, urn: str, partition: PartitionKey | None, until: int
) -> tuple[AssetReport, ...]:
    """The last result of each check, up to report ``until``."""
    newest = (
        select(func.max(ASSET_REPORT.c.report_id))
        .where(
            ASSET_REPORT.c.dataset_urn == urn,
            ASSET_REPORT.c.check_name.is_not(None),
            ASSET_REPORT.c.partition.is_not_distinct_from(partition),
            ASSET_REPORT.c.report_id <= until,
        )
        .group_by(ASSET_REPORT.c.check_name)
    )
    query = select(ASSET_REPORT).where(ASSET_REPORT.c.report_id.in_(newest)).order_by(ASSET_REPORT.c.report_id)
    return tuple(_report(row) for row in connection.execute(query))


def _last(connection: Connection, report: AssetReport) -> AssetReport | None:
    query = (
        select(ASSET_REPORT)
        .where(
            ASSET_REPORT.c.dataset_urn == report.urn,
            ASSET_REPORT.c.check_name == report.check,
            ASSET_REPORT.c.partition.is_not_distinct_from(report.partition),
        )
        .order_by(ASSET_REPORT.c.report_id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else _report(row)


def _content(report: AssetReport) -> tuple[object, ...]:
    return report.passed, report.severity, report.description, report.metadata


def find_after(connection: Connection, after: int, limit: int) -> tuple[AssetReport, ...]:
    query = select(ASSET_REPORT).where(ASSET_REPORT.c.report_id > after).order_by(ASSET_REPORT.c.report_id).limit(limit)
    return tuple(_report(row) for row in connection.execute(query))


def _report(row: Any) -> AssetReport:
    return AssetReport(
        kind=ReportKind(row.kind),
        urn=row.dataset_urn,
        partition=row.partition,
        digest=row.digest,
        reported_by=row.reported_by,
        reported_at=row.reported_at,
        check=row.check_name,
        passed=row.passed,
        severity=row.severity,
        description=row.description,
        metadata=row.metadata_json,
        number=row.report_id,
    )
