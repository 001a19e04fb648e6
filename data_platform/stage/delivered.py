"""Finds the delivery of a dataset's partition, wherever its rows come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.jdbc.databases import database_of
from data_platform.ingestion.jdbc.table_delivery import find_table
from data_platform.ingestion.jdbc.watermark import Moment
from data_platform.lake.driver_jar import add_jar, add_package
from data_platform.lake.table import LakeTable
from data_platform.model.delta_source import DeltaSource
from data_platform.model.source import Source
from data_platform.stage.delta_delivery import find_delta
from data_platform.stage.landed_delivery import as_delivered, landed_delivery
from data_platform.stage.source_interval import StoredIntervals

if TYPE_CHECKING:
    from data_platform.ingestion.delivered import Delivered
    from data_platform.ingestion.examined_file import ExaminedFiles
    from data_platform.installation import Platform
    from data_platform.model.jdbc_source import JdbcSource
    from data_platform.stage.candidate import Attempt


def find_delivered(platform: Platform, attempt: Attempt, examined: ExaminedFiles | None) -> Delivered:
    """The delivery that ``attempt`` reads. Close it in the end.

    Files in ``examined`` that have not changed since are not read again.

    Raises:
        UsageError: The source needs a partition, and there is none.
        SourceUnavailableError: A file changed or could not be opened, or the database did not answer.
        SourceError: A table cannot be read as the policy says.
        EnvironmentProblem: The driver or the password of a database is missing.
    """
    source = attempt.dataset.policy.source
    assert source is not None, "only a dataset with a source has deliveries"  # noqa: S101
    if isinstance(source, Source):
        return landed_delivery(platform, attempt.dataset, attempt.partition, examined)
    moment, intervals = _partition(platform, attempt, source)
    if isinstance(source, DeltaSource):
        return find_delta(delta_table(platform, source), source, attempt.run_id, moment, intervals)
    add_driver(platform, source)
    return find_table(platform.spark, source, as_delivered(attempt.dataset), attempt.run_id, moment, intervals)


def delta_table(platform: Platform, source: DeltaSource) -> LakeTable:
    """The table of ``source``.

    Raises:
        SourceError: It is in the platform's own lake, where it is the table of another dataset.
    """
    path = delta_path(platform, source)
    own = str(platform.settings.lake).rstrip("/")
    if path == own or path.removeprefix("file://").startswith(f"{own}/"):
        raise SourceError(
            f"{source.path} is in the platform's own lake: read the certified rows of that dataset with a process"
        )
    return LakeTable(platform.spark, path)


def delta_path(platform: Platform, source: DeltaSource) -> str:
    """Where the table is: a URI or an absolute path."""
    is_whole = "://" in source.path or source.path.startswith("/")
    return source.path if is_whole else str(platform.settings.landing / source.path)


def _partition(
    platform: Platform, attempt: Attempt, source: JdbcSource | DeltaSource
) -> tuple[Moment | None, StoredIntervals | None]:
    if attempt.partition is None:
        return None, None
    now, urn = platform.now(), attempt.dataset.urn
    moment = Moment(partition=attempt.partition, zone=attempt.dataset.policy.zone, now=now)
    intervals = StoredIntervals(
        catalog=platform.catalog,
        urn=urn,
        partition=attempt.partition,
        watermark=source.watermark or "",
        run_id=attempt.run_id,
        now=now,
    )
    return moment, intervals


def add_driver(platform: Platform, source: JdbcSource) -> None:
    """Adds the driver's jar to the session; without a jar or a package it has to be on Spark's class path.

    Raises:
        EnvironmentProblem: The jar does not exist, or the package cannot be downloaded.
    """
    if source.driver.jar:
        add_jar(platform.spark, source.driver.jar)
    elif package := source.driver.package or (not source.driver.class_ and database_of(source).driver_package):
        add_package(platform.spark, package)
