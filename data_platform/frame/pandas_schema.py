"""A contract as a pandera schema for pandas frames; the messages of pandera itself show values of the frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from data_platform.frame.column import is_nullable, types_of
from data_platform.frame.value import MISFIT, reader
from data_platform.model.policy_bundle import SchemaMode
from data_platform.model.verdict import Severity

if TYPE_CHECKING:
    import pandera.pandas as pa

    from data_platform.frame.pandas_rule import PandasRule, PandasRules
    from data_platform.policies import Dataset


def pandas_schema(dataset: Dataset, rules: PandasRules, *, raw: bool = False) -> pa.DataFrameSchema:
    """``rules`` become checks whose names and errors are their failure signatures.

    A rule that only warns issues pandera's SchemaWarning. A ``raw`` schema has the types and rules of single columns
    only, and does not judge which columns there are: of a broken rule over rows pandera slowly lists all their values.
    """
    import pandera.pandas as pa

    bundle = dataset.bundle
    declared, kinds = bundle.schema_.declared, types_of(dataset)
    is_needed = bundle.schema_.mode is not SchemaMode.BREAKING
    columns = {}
    for name, kind in kinds.items():
        column = declared.get(name)
        constraint = next((c for c in bundle.schema_.constraints if c.field == name), None)
        nullable = is_nullable(dataset, name)
        columns[name] = pa.Column(
            _type()(kind=kind, zone=dataset.policy.zone),
            nullable=nullable,
            required=not raw and column is not None and (is_needed or not nullable),
            checks=[_check(rule, warn=not raw) for rule in rules.rules if rule.column == name],
            description=(constraint.description if constraint else "") or None,
        )
    return pa.DataFrameSchema(
        columns,
        checks=[] if raw else [_check(rule, warn=True) for rule in rules.rules if not rule.column],
        strict=not raw and bundle.schema_.mode is SchemaMode.STRICT,
        name=dataset.id.identifier,
        title=dataset.urn,
        description=dataset.policy.description or None,
        metadata={"urn": dataset.urn, "not_checked": dict(rules.not_checked)},
    )


def _check(rule: PandasRule, *, warn: bool) -> pa.Check:
    import pandera.pandas as pa

    return pa.Check(
        rule.kept,
        name=rule.signature,
        error=rule.signature,
        ignore_na=bool(rule.column),
        raise_warning=warn and rule.severity is Severity.WARN,
    )


@lru_cache(maxsize=1)
def _type() -> Any:
    """The class of a declared type; made on first use, since importing pandera takes seconds."""
    import numpy as np
    from pandera.engines import pandas_engine

    @dataclass(frozen=True)
    class ContractType(pandas_engine.DataType):
        """A type of Spark, of which pandas has several representations: it judges each value."""

        type: Any = field(default=np.dtype(object), repr=False)
        kind: str = ""
        zone: str = "UTC"

        def __post_init__(self) -> None:
            """Pandera's own would look for a type of numpy."""

        def check(self, pandera_dtype: Any, data_container: Any = None) -> Any:
            del pandera_dtype
            if data_container is None:
                return True
            read = reader(self.kind, self.zone)
            return np.array([read(value) is not MISFIT for value in data_container], dtype=bool)

        def __str__(self) -> str:
            return self.kind

    return ContractType
