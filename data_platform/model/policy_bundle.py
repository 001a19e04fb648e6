"""What the gates check of a dataset: the classes of ``policy_bundle.yaml``, all of which are optional.

Promises about rows are in ``contract``, rules about personal values in ``pii_policy``. ``data_platform.policies`` reads
the file.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.contract import Contract, FullContract
from data_platform.model.pii_policy import Pii
from data_platform.model.schema import Column, Schema, normal_type, type_problem
from data_platform.model.verdict import Severity


def _is_type(name: str) -> str:
    if problem := type_problem(name):
        raise ValueError(problem)
    return name


class FieldConstraint(Closed):
    """A column as declared. A bare ``DECIMAL`` accepts any decimal number: DECIMAL(38,18).

    ``enum`` lists the values that a text column may have; ``pattern`` must match the whole value. With
    ``unknown_codes`` a failure signature shows an unknown value that is a code such as ``FLASH_SALE``, and not its
    token: only for a column that holds codes and never anything about a person. It has no effect where a PII rule
    searches.
    """

    field: str = Field(min_length=1)
    type: Annotated[str, AfterValidator(_is_type)]
    nullable: bool = True
    description: str = ""
    enum: tuple[str, ...] = ()
    unknown_codes: bool = False
    pattern: str = ""

    @property
    def column(self) -> Column:
        kind = (
            "decimal(38,18)" if self.type.strip().lower() in ("decimal", "numeric", "dec") else normal_type(self.type)
        )
        return Column(name=self.field, type=kind, nullable=self.nullable)


class SchemaMode(StrEnum):
    """Which changes pass: none; those that do not break readers, with a warning; any, with a warning."""

    STRICT = "strict"
    COMPATIBLE = "compatible"
    BREAKING = "breaking"


class SchemaPolicy(Closed):
    """``widening`` lets a column of typed files change to a wider type (INT to BIGINT); without it the mode decides.

    ``accepted`` lists signatures of changes that pass with a warning whatever the mode is, such as
    ``SCHEMA_DRIFT:note:ADDED``; ``data-platform policy accept-drift`` writes it.
    """

    mode: SchemaMode = SchemaMode.STRICT
    widening: bool | None = None
    accepted: tuple[Annotated[str, Field(pattern=r"^SCHEMA_(DRIFT|BREAK):[^:]+:.+$")], ...] = ()
    constraints: tuple[FieldConstraint, ...] = ()

    @property
    def allows_widening(self) -> bool:
        return self.mode is not SchemaMode.STRICT if self.widening is None else self.widening

    @model_validator(mode="after")
    def _one_a_name(self) -> SchemaPolicy:
        seen: set[str] = set()
        for constraint in self.constraints:
            if constraint.field.lower() in seen:
                raise ValueError(f"field {constraint.field} appears twice in constraints")
            seen.add(constraint.field.lower())
        return self

    @cached_property
    def declared(self) -> Schema:
        return Schema.of(constraint.column for constraint in self.constraints)


class FieldMetric(Closed):
    """Bounds of one column in a batch; rates are shares, 0..1; a metric without values is not computable and fails."""

    field: str
    max_null_rate: float | None = Field(default=None, ge=0, le=1)
    min_mean: float | None = None
    max_mean: float | None = None
    min_distinct: int | None = Field(default=None, ge=0)
    severity: Severity = Severity.BLOCK


class Dq(Closed):
    """``allow_empty`` lets a batch of no rows through, with the event on record.

    The values of columns in ``profile`` are compared with those of earlier deliveries.
    """

    min_rows: int = Field(default=1, ge=0)
    allow_empty: bool = False
    metrics: tuple[FieldMetric, ...] = ()
    profile: tuple[str, ...] = ()


class BaselineRule(StrEnum):
    """Whether bronze and silver are held without ``baseline.json``."""

    REQUIRED = "required"
    OPTIONAL = "optional"


class PolicyBundle(Closed):
    """``policy_bundle.yaml``: what the gates ask.

    Without ``baseline`` a file ``baseline.json`` is required once a run has compared with it.
    """

    schema_: SchemaPolicy = Field(default=SchemaPolicy(), alias="schema")
    contract_lite: Contract = Contract()
    contract: FullContract = FullContract()
    pii: Pii = Pii()
    dq: Dq = Dq()
    baseline: BaselineRule | None = None

    @property
    def contracts(self) -> dict[str, Contract]:
        """Both contracts by their keys in the file; the lite one is first."""
        return {"contract_lite": self.contract_lite, "contract": self.contract}

    @cached_property
    def required_fields(self) -> frozenset[str]:
        """The columns, in lower case, that one of the contracts requires to have a value."""
        return frozenset(name.lower() for contract in self.contracts.values() for name in contract.required_fields)
