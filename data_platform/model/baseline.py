"""The profile of a dataset: the class of ``baseline.json``, which onboarding writes.

Types are as measured, so a bare ``DECIMAL`` is Spark's own here, ``decimal(10,0)``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.field_profile import FieldProfile  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.schema import Column, Schema, is_known_type

Share = Annotated[float, Field(ge=0, le=1)]


def _is_type(name: str) -> str:
    if not is_known_type(name):
        raise ValueError(f"{name!r} is not a type; expected such as string, bigint or decimal(10,2)")
    return name


class BaselineColumn(Closed):
    name: str = Field(min_length=1)
    type: Annotated[str, AfterValidator(_is_type)]
    nullable: bool = True


class RowCount(Closed):
    """Rows of a partition over the profiled partitions."""

    mean: float = Field(ge=0)
    stddev: float = Field(default=0, ge=0)


class Baseline(Closed):
    """``null_rates`` are shares of a column's rows, 0..1; ``partitions`` is how many were profiled.

    ``enum_domains`` are the values that columns of codes have had; DQ warns of another one. ``data-platform policy
    learn-enums`` writes it. ``profile`` is what onboarding measured of each column, for people; no gate reads it.
    """

    schema_: tuple[BaselineColumn, ...] = Field(default=(), alias="schema")
    schema_fingerprint: str = Field(default="", pattern=r"^([0-9a-f]{16})?$")
    row_count: RowCount | None = None
    null_rates: dict[str, Share] | None = None
    enum_domains: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] | None = None
    partitions: int | None = Field(default=None, ge=0)
    profile: dict[str, FieldProfile] | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Baseline:
        names = {name.lower() for name in self.declared.names}
        if len(names) != len(self.schema_):
            raise ValueError("a column appears twice in schema; names are the same in any case")
        if not self.schema_:
            return self
        if self.schema_fingerprint and self.schema_fingerprint != self.declared.fingerprint:
            raise ValueError(
                f"schema_fingerprint is {self.schema_fingerprint}, and that of schema is {self.declared.fingerprint};"
                " profile again, or correct the one that is wrong"
            )
        parts = {"null_rates": self.null_rates, "enum_domains": self.enum_domains, "profile": self.profile}
        for part, named in parts.items():
            if undeclared := [name for name in named or {} if name.lower() not in names]:
                raise ValueError(f"{part} names {', '.join(undeclared)}, not declared in schema")
        return self

    @cached_property
    def declared(self) -> Schema:
        return Schema.of(Column(name=c.name, type=c.type, nullable=c.nullable) for c in self.schema_)
