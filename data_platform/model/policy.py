"""What a dataset promises: the classes of ``dataset.yaml`` and ``policy_bundle.yaml``.

The three examples of seed 004 (FR-2, FR-8) are the smallest form of these files. Everything that
the seed does not name is optional here. Reading the files is the work of ``data_platform.policies``.
"""

from __future__ import annotations

import re
from datetime import date  # noqa: TC003 - pydantic reads annotations at run time
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from data_platform.model.closed import Closed, Urn
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.freshness import Freshness, known_zone
from data_platform.model.schema import Column, Schema, is_known_type, normal_type
from data_platform.model.verdict import Severity


class Tier(StrEnum):
    TIER_1 = "TIER_1"
    TIER_2 = "TIER_2"
    TIER_3 = "TIER_3"


class DatasetStatus(StrEnum):
    DRAFT = "DRAFT"
    ACTIVE = "ACTIVE"
    DEPRECATED = "DEPRECATED"


class Storage(Closed):
    """Where each stage's table lies: a URI, or a path below the lake's root. The default is ``<stage>/<table>``."""

    bronze: str | None = None
    silver: str | None = None
    gold: str | None = None


class Volume(Closed):
    min_rows_per_partition: int = Field(default=1, ge=0)
    anomaly_threshold_pct: float = Field(default=40, gt=0)


class Slo(Closed):
    freshness: Freshness | None = None
    volume: Volume | None = None


class Partition(Closed):
    """Daily partitions from ``start`` on, days in ``time_zone``. ``key`` is the DATE column that holds the day."""

    key: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    start: date
    time_zone: Annotated[str, AfterValidator(known_zone)] = "UTC"


class SourceFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


class Source(Closed):
    """Where deliveries land: ``path`` is below the landing root, and ``{partition}`` in it is the day, ``2013-01-01``.

    With a ``manifest`` (JSON beside the files) only the files that it names are read, and each is checked against it.
    ``exponents`` lets a decimal be written ``1e3``, ``rounding`` lets it have more digits than its scale.
    """

    format: SourceFormat
    path: str = Field(min_length=1)
    files: str = ""  # a glob below ``path``; the default is every file of the format
    manifest: str | None = None
    producer: str | None = None
    encoding: str = "utf-8"
    delimiter: str = Field(default=",", min_length=1, max_length=1)
    quote: str = Field(default='"', min_length=1, max_length=1)
    exponents: bool = False
    rounding: bool = False

    @property
    def glob(self) -> str:
        return self.files or f"*.{self.format.value}"

    @field_validator("path")
    @classmethod
    def _below_landing(cls, path: str) -> str:
        if path.startswith("/") or ".." in path.split("/"):
            raise ValueError("a source's path lies below the landing root: neither absolute nor with ..")
        if left := set(re.findall(r"{(\w*)}", path)) - {"partition"}:
            raise ValueError(f"{{{left.pop()}}} is not known in a path; allowed: {{partition}}")
        return path


class DatasetPolicy(Closed):
    """``dataset.yaml``. A dataset with a ``source`` is landed, one with a ``process`` derived, any other external."""

    urn: Urn
    owner_team: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    owner_email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")
    tier: Tier
    description: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    status: DatasetStatus = DatasetStatus.ACTIVE
    storage: Storage = Storage()
    slo: Slo = Slo()
    partition: Partition | None = None
    source: Source | None = None
    process: str | None = None

    @model_validator(mode="after")
    def _one_origin(self) -> DatasetPolicy:
        if self.source and self.process:
            raise ValueError("a dataset has a source or a process, not both")
        if self.source and self.partition and "{partition}" not in self.source.path:
            raise ValueError("source.path of a partitioned dataset needs {partition}")
        if self.source and not self.partition and "{partition}" in self.source.path:
            raise ValueError("source.path names {partition}, and the dataset has no partition")
        return self

    @cached_property
    def id(self) -> DatasetId:
        return DatasetId.parse(self.urn)

    @cached_property
    def table(self) -> str:
        """The name in asset keys, views and quarantine tables: the last part of ``storage.gold``, else the name."""
        if self.storage.gold:
            return self.storage.gold.rstrip("/").rsplit("/", 1)[-1]
        return self.id.name

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that the platform runs for it, in order; none of an external dataset."""
        if self.source:
            return (Stage.BRONZE, Stage.SILVER, Stage.GOLD, Stage.CERTIFIED)
        return (Stage.SILVER, Stage.GOLD, Stage.CERTIFIED) if self.process else ()


def _is_type(name: str) -> str:
    if not is_known_type(name):
        raise ValueError(
            f"{name!r} is not a type; allowed: STRING, INT, BIGINT, DOUBLE, DECIMAL(p,s), BOOLEAN, DATE, …"
        )
    return name


class FieldConstraint(Closed):
    """A column as declared. A bare ``DECIMAL`` takes any decimal number: DECIMAL(38,18).

    ``enum`` lists the values that a text column may have; ``pattern`` is for the whole value.
    """

    field: str = Field(min_length=1)
    type: Annotated[str, AfterValidator(_is_type)]
    nullable: bool = True
    description: str = ""
    enum: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def column(self) -> Column:
        kind = (
            "decimal(38,18)" if self.type.strip().lower() in ("decimal", "numeric", "dec") else normal_type(self.type)
        )
        return Column(name=self.field, type=kind, nullable=self.nullable)


class SchemaMode(StrEnum):
    """Which changes pass: none; those that no reader notices; any."""

    STRICT = "strict"
    COMPATIBLE = "compatible"
    BREAKING = "breaking"


class SchemaPolicy(Closed):
    """``widening`` lets a column of typed files grow to a wider type (INT to BIGINT) instead of holding the batch."""

    mode: SchemaMode = SchemaMode.STRICT
    widening: bool = False
    constraints: tuple[FieldConstraint, ...] = ()

    @model_validator(mode="after")
    def _one_a_name(self) -> SchemaPolicy:
        seen: set[str] = set()
        for constraint in self.constraints:
            if constraint.field.lower() in seen:
                raise ValueError(f"field {constraint.field} stands twice in constraints")
            seen.add(constraint.field.lower())
        return self

    @cached_property
    def declared(self) -> Schema:
        return Schema.of(constraint.column for constraint in self.constraints)


class Invariant(Closed):
    """A Spark SQL ``rule`` that is true of every good row. A plain string in YAML is its rule and its id."""

    rule: str = Field(min_length=1)
    id: str = ""
    severity: Severity = Severity.QUARANTINE

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return {"rule": data} if isinstance(data, str) else data

    @property
    def name(self) -> str:
        return self.id or self.rule


def _as_tuple(names: Any) -> Any:
    # What ``_from_names`` returns is no longer JSON, and strict reading takes no list for a tuple then.
    return tuple(names) if isinstance(names, list) else names


class Unique(Closed):
    """Columns that together name a row once in a partition. A plain string or list in YAML is its ``fields``."""

    fields: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _from_names(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"fields": [data]}
        return {"fields": data} if isinstance(data, list) else data


class Reference(Closed):
    """``fields`` of each row are in the *certified* ``key`` columns of ``dataset``; a NULL refers to nothing."""

    fields: tuple[str, ...] = Field(min_length=1)
    dataset: Urn
    key: tuple[str, ...] = ()

    @property
    def target(self) -> tuple[str, ...]:
        return self.key or self.fields


class Contract(Closed):
    """Row promises. ``min_compliance`` is the share of rows, 0..1, that must keep every rule for the gate to pass."""

    required_fields: tuple[str, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    min_compliance: float = Field(default=0.95, ge=0, le=1)


class FullContract(Contract):
    """What gold is held to, over the whole candidate: the lite contract's promises, and these."""

    unique: tuple[Unique, ...] = ()
    references: tuple[Reference, ...] = ()
    min_compliance: float = Field(default=1.0, ge=0, le=1)


class PiiKind(StrEnum):
    EMAIL = "EMAIL"
    PHONE = "PHONE"
    SSN = "SSN"


class PiiAction(StrEnum):
    TOKENIZE = "tokenize"
    MASK = "mask"
    REDACT = "redact"


class PiiRule(Closed):
    """What is done with values of a kind. ``fields`` limits the search; the default is every text column."""

    pattern: PiiKind
    action: PiiAction
    fields: tuple[str, ...] = ()


class Pii(Closed):
    detection: tuple[PiiRule, ...] = ()


class FieldMetric(Closed):
    """Bounds of one column over a batch; rates are shares, 0..1; a metric of no value is not computable, and fails."""

    field: str
    max_null_rate: float | None = Field(default=None, ge=0, le=1)
    min_mean: float | None = None
    max_mean: float | None = None
    min_distinct: int | None = Field(default=None, ge=0)
    severity: Severity = Severity.BLOCK


class Dq(Closed):
    """``allow_empty`` lets a batch of no rows through, with the event on record."""

    min_rows: int = Field(default=1, ge=0)
    allow_empty: bool = False
    metrics: tuple[FieldMetric, ...] = ()


class PolicyBundle(Closed):
    """``policy_bundle.yaml``: what the gates ask."""

    schema_: SchemaPolicy = Field(default=SchemaPolicy(), alias="schema")
    contract_lite: Contract = Contract()
    contract: FullContract = FullContract()
    pii: Pii = Pii()
    dq: Dq = Dq()
