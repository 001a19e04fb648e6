"""``contract_lite`` and ``contract`` of ``policy_bundle.yaml``: promises about single rows, and about all of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from data_platform.model.closed import Closed, Urn
from data_platform.model.verdict import Severity


class Invariant(Closed):
    """A Spark SQL ``rule`` that is true for every good row. A plain string in YAML is both the rule and its id."""

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
    # The result of ``_from_names`` is no longer JSON, and strict validation then accepts no list for a tuple.
    return tuple(names) if isinstance(names, list) else names


def _as_comparisons(names: Any) -> Any:
    return (
        tuple(Comparison(name) if isinstance(name, str) and name in set(Comparison) else name for name in names)
        if isinstance(names, list)
        else names
    )


class Comparison(StrEnum):
    """How text keys are compared: without surrounding white space, in any case, in any Unicode form."""

    TRIM = "trim"
    IGNORE_CASE = "ignore_case"
    UNICODE = "unicode"


class Unique(Closed):
    """Columns whose values together identify a row of a partition. A plain string or list in YAML is its ``fields``.

    A NULL is a value like any other: two rows without a key are duplicates. ``compare`` is how text keys are compared;
    the default is exactly.
    """

    fields: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = Field(min_length=1)
    compare: Annotated[tuple[Comparison, ...], BeforeValidator(_as_comparisons)] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_names(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"fields": [data]}
        return {"fields": data} if isinstance(data, list) else data


class Reference(Closed):
    """``fields`` of each row are in the *certified* ``key`` columns of ``dataset``; a NULL refers to nothing.

    ``compare`` is how text keys are compared; the default is exactly.
    """

    fields: tuple[str, ...] = Field(min_length=1)
    dataset: Urn
    key: tuple[str, ...] = ()
    compare: tuple[Comparison, ...] = ()

    @property
    def target(self) -> tuple[str, ...]:
        return self.key or self.fields


class Contract(Closed):
    """Promises about rows. ``min_compliance`` is the share of rows, 0..1, that must keep every rule to pass."""

    required_fields: tuple[str, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    min_compliance: float = Field(default=0.95, ge=0, le=1)


class FullContract(Contract):
    """What the whole gold candidate must keep: the promises of the lite contract, and these."""

    unique: tuple[Unique, ...] = ()
    references: tuple[Reference, ...] = ()
    min_compliance: float = Field(default=1.0, ge=0, le=1)
