"""Who owns a dataset and where its data comes from: the classes of ``dataset.yaml``.

Required are only its URN, owner and tier. What its gates check is in ``policy_bundle``, partitions are in
``partition``, deliveries in ``source``. ``data_platform.policies`` reads the file.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.any_source import AnySource  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.closed import Closed, Urn
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.enforcement import Mode  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.freshness import Freshness  # noqa: TC001 - as above
from data_platform.model.holiday import check_calendar
from data_platform.model.partition import Partition  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.source import Source
from data_platform.model.table_source import TableSource
from data_platform.model.tier import Tier as Tier  # noqa: TC001 - as above
from data_platform.model.time_zone import known_zone
from data_platform.model.volume import VolumeRule


class DatasetStatus(StrEnum):
    DRAFT = "DRAFT"
    ACTIVE = "ACTIVE"
    DEPRECATED = "DEPRECATED"


class Storage(Closed):
    """The place of each stage's table: a URI, or a path in the lake. The default is ``<stage>/<zone>/<name>``."""

    bronze: str | None = None
    silver: str | None = None
    gold: str | None = None


class Volume(Closed):
    """How many rows a partition has, and which number is unusual. ``calendar`` names the holidays that matter.

    The rolling rule and the baseline use ``anomaly_threshold_pct``, the seasonal rule ``seasonal_threshold_pct``.
    """

    min_rows_per_partition: int = Field(default=1, ge=0)
    anomaly_threshold_pct: float = Field(default=40, gt=0)
    seasonal_threshold_pct: float = Field(default=25, gt=0, lt=100)
    rule: VolumeRule = VolumeRule.AUTO
    calendar: Annotated[str, AfterValidator(check_calendar)] | None = None


class Slo(Closed):
    freshness: Freshness | None = None
    volume: Volume | None = None


class DatasetPolicy(Closed):
    """``dataset.yaml``. A dataset with a ``source`` is landed, one with a ``process`` derived, any other external.

    ``time_zone`` is that of a dataset without partitions: its dates and clock times are computed in it.
    ``enforcement`` is a mode, or maps environments to modes; where it has none, platform.yaml's rules apply.
    """

    urn: Urn
    owner_team: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    owner_email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
    tier: Tier
    description: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    status: DatasetStatus = DatasetStatus.ACTIVE
    enforcement: Mode | dict[str, Mode] | None = None
    storage: Storage = Storage()
    slo: Slo = Slo()
    partition: Partition | None = None
    time_zone: Annotated[str, AfterValidator(known_zone)] | None = None
    source: AnySource | None = None
    process: str | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> DatasetPolicy:
        if self.source and self.process:
            raise ValueError("a dataset has a source or a process, not both")
        if self.source and self.partition and not self.source.is_of_partition:
            raise ValueError("source.path of a partitioned dataset needs {partition}, or its files or manifest do")
        if self.source and not self.partition and self.source.names_partition:
            raise ValueError("source names {partition}, and the dataset has no partition")
        if isinstance(self.source, TableSource) and self.source.needs_partition and not self.partition:
            raise ValueError("source.rows day and changes need a partition, whose days hold the rows")
        if self.partition and self.time_zone:
            raise ValueError("the days of a partitioned dataset have partition.time_zone: leave time_zone out")
        return self

    @cached_property
    def id(self) -> DatasetId:
        return DatasetId.parse(self.urn)

    @cached_property
    def table(self) -> str:
        """The short name, which datasets of other zones may share: the last part of ``storage.gold``, else the name."""
        if self.storage.gold:
            return self.storage.gold.rstrip("/").rsplit("/", 1)[-1]
        return self.id.name

    def place(self, stage: Stage) -> str:
        """A URI, an absolute path, or a path in the lake; the certified view is a version of gold's table."""
        stage = Stage.GOLD if stage is Stage.CERTIFIED else stage
        named = getattr(self.storage, stage.value)
        return str(named or f"{stage}/{self.id.zone}/{self.id.name}").rstrip("/")

    @property
    def files(self) -> Source | None:
        """Where the files of its deliveries land; None if its rows are not delivered as files."""
        return self.source if isinstance(self.source, Source) else None

    @property
    def zone(self) -> str:
        """The IANA zone in which dates and clock times are computed."""
        return self.partition.time_zone if self.partition else self.time_zone or "UTC"

    @property
    def declares_zone(self) -> bool:
        return bool(self.time_zone or (self.partition and "time_zone" in self.partition.model_fields_set))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that the platform runs for it, in order; empty for an external dataset."""
        if self.source:
            return (Stage.BRONZE, Stage.SILVER, Stage.GOLD, Stage.CERTIFIED)
        return (Stage.SILVER, Stage.GOLD, Stage.CERTIFIED) if self.process else ()
