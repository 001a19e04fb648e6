"""An opened installation: its settings, policies, catalog, and the one Spark session of this process."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import DataPlatformError, NotCertifiedError, UsageError
from data_platform.evidence_bus.relay import open_relay
from data_platform.gates.expression.token import PLAN_REDACTION
from data_platform.home import keep_private
from data_platform.lake import certified_view
from data_platform.lake.session import SparkOptions, begin_session, close_session, forget_session, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.dataset import Stage
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.policies import Policies, load_policies, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import SparkSession

    from data_platform.evidence_bus.relay import Relay
    from data_platform.model.certification import Certification
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset
    from data_platform.settings import Settings

LOG = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


def _ignore(step: str, details: dict[str, Any]) -> None:
    """The default listener."""


def _with_version(urn: str, found: Certification | None) -> Certification:
    if found is None or found.version is None:
        raise NotCertifiedError(f"{urn} has no certified version yet: run it until its gates pass")
    return found


def spark_options(settings: Settings, *, brief: bool = False) -> SparkOptions:
    """The options of every session that runs stages; ``brief`` is one that reads little."""
    return SparkOptions(
        master=settings.spark_master,
        driver_memory=settings.spark_memory,
        warehouse=str(settings.home / "warehouse"),
        log=str(settings.home / "spark.log"),
        extra={"spark.sql.redaction.string.regex": PLAN_REDACTION},
        brief=brief,
    )


@dataclass
class Platform:
    """Everything is opened at its first use. ``on_step`` is called with each finished step of a write."""

    settings: Settings
    now: Callable[[], datetime] = _now
    on_step: Callable[[str, dict[str, Any]], None] = _ignore
    session: SparkSession | None = field(default=None, repr=False)
    """An open session, which stays open."""
    session_source: Callable[[], SparkSession] | None = field(default=None, repr=False)
    """Opens the session at its first use; whoever gave it ends the session."""
    reads_little: bool = False
    """Whether a session that is opened here will read little (``stage.input_size``)."""
    runs: dict[str, dict[str, bool]] = field(default_factory=dict, repr=False)
    """Runs whose stages were reported here, and whether each passed (``stage.event_emitter``)."""
    began: datetime | None = None
    """When the run began that this platform serves; what another run has finished since is not done again."""
    dagster_run: str | None = None
    """The id of the Dagster run that this platform serves."""
    stopping: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when the process receives a signal to end."""
    last_job: tuple[Policies, Any] | None = field(default=None, repr=False)
    """The job that was last made of these policies, for the next run (``orchestration.launch``)."""
    passing_on_rests_until: float = field(default=0, repr=False)
    has_views: bool = field(default=False, repr=False)
    """Whether the session's certified views were asked for, and follow their pointers."""
    policies_read: str | None = field(default=None, repr=False)
    """The stamp of the policy files when they were read; None if they were not read from disk."""

    @cached_property
    def policies(self) -> Policies:
        self.policies_read = stamp_of(self.settings.policies)
        return load_policies(self.settings.policies, hold_baselines=True)

    def current(self, dataset: Dataset) -> Dataset:
        """``dataset`` as its policy is on disk now: a process that runs for days judges by no older one.

        Raises:
            PolicyError: The policies were edited since they were read, and are wrong now.
            UsageError: The dataset is declared no more.
        """
        if self.policies_read is None:
            return dataset
        if self.policies_read != stamp_of(self.settings.policies):
            LOG.warning("policies below %s were edited since they were read: read again", self.settings.policies)
            self.__dict__.pop("policies", None)
        return self.policies.dataset(dataset.urn)  # not ``dataset``, which a caller may hold since before the edit

    @cached_property
    def catalog(self) -> Catalog:
        return open_catalog(self.settings.catalog_url, EvidenceKeys(self.settings.evidence_key))

    @cached_property
    def spark(self) -> SparkSession:
        """The session. It has no certified view before ``certified_views`` makes them: a run reads versions."""
        sourced = [dataset for dataset in self.policies.datasets if dataset.policy.source]
        keep_private(self.settings, [self.path(dataset, Stage.BRONZE) for dataset in sourced])
        if self.session is not None:
            return self.session
        return self.session_source() if self.session_source else open_session(self._options)

    @property
    def _options(self) -> SparkOptions:
        return spark_options(self.settings, brief=self.reads_little)

    def begin_spark(self) -> None:
        """Starts the JVM of ``spark`` in the background, for a caller that has other work first."""
        if self.session is None and "spark" not in self.__dict__:
            begin_session(self._options)

    def certified_views(self) -> SparkSession:
        """The session, with a view of every certified version that can be read; each follows its pointer from now on.

        For who queries by name. No run needs it: a version that cannot be read stops its own readers only.
        """
        self.has_views = True
        names = {dataset.urn: self.policies.view_names(dataset) for dataset in self.policies.datasets}
        pointers = {name: c for c in self.catalog.certifications.all() for name in names.get(c.dataset_urn, ())}
        unreadable = {pointers[name].dataset_urn: pointers[name] for name in certified_view.show(self.spark, pointers)}
        for pointer in unreadable.values():
            details = {"dataset": pointer.dataset_urn, "version": pointer.version}
            self.on_step("unreadable", details)
            LOG.warning("%(dataset)s: its certified v%(version)s cannot be read; see data-platform certified", details)
        return self.spark

    @cached_property
    def evidence_relay(self) -> Relay | None:
        """Sends evidence to Kafka; None if no brokers are configured."""
        return open_relay(self.settings, self.catalog, lambda: self.now())

    def relay_evidence(self) -> None:
        """Sends what a stage has just recorded; it raises nothing, and takes seconds at most."""
        if self.evidence_relay is not None:
            self.evidence_relay.pass_on_in_passing()

    @cached_property
    def engine_version(self) -> str:
        """Spark's, known without starting it."""
        return version("pyspark")

    def path(self, dataset: Dataset, stage: Stage) -> str:
        """Where the stage's table lies; the certified view is a version of gold's."""
        place = dataset.policy.place(stage)
        return place if "://" in place or place.startswith("/") else f"{self.settings.lake}/{place}"

    def quarantine_path(self, name: str) -> str:
        return f"{self.settings.lake}/quarantine/{name}"

    def table(self, dataset: Dataset, stage: Stage, spark: SparkSession | None = None) -> LakeTable:
        return LakeTable(spark or self.spark, self.path(dataset, stage))

    def certified(self, urn: str) -> Certification:
        """The pointer of a dataset.

        Raises:
            NotCertifiedError: No version has ever passed.
        """
        return _with_version(urn, self.catalog.certifications.get(urn))

    def certified_together(self, urns: Iterable[str]) -> dict[str, Certification]:
        """The pointers of several datasets at one moment: a publication of a group is in all of them or in none.

        Raises:
            NotCertifiedError: No version of one of them has ever passed.
        """
        pointers = {one.dataset_urn: one for one in self.catalog.certifications.all(tuple(urns))}
        return {urn: _with_version(urn, pointers.get(urn)) for urn in urns}

    def partition(self, dataset: Dataset, text: str | None) -> PartitionKey | None:
        """The partition of ``dataset`` with the key ``text``; None for a dataset without partitions."""
        declared = dataset.policy.partition
        if declared is None:
            return None
        if text is None:
            raise UsageError(f"{dataset.urn} has partitions: name one, such as {declared.first}")
        try:
            return declared.parse(text)
        except ValueError as error:
            raise UsageError(f"{dataset.urn}: {error}") from None

    def close(self) -> None:
        """Let go of the catalog and the session, if they were opened here."""
        opened = self.__dict__
        if (relay := opened.pop("evidence_relay", None)) is not None:
            with suppress(DataPlatformError):  # the claim ends by itself
                relay.close()
        if "catalog" in opened:
            opened.pop("catalog").close()
        if "spark" in opened:
            session = opened.pop("spark")
            if self.session is None and self.session_source is None:
                close_session(session)
        forget_session()
