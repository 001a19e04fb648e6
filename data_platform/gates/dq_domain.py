"""DQ against learned domains: values that a column of codes has not had before. They are warnings, and hold nothing.

The domains are those of ``baseline.json``; what ``enum`` of the policy lists is a promise, which the contract judges.
Both the values and the places of their first rows are measured in the stage's one write, in bounded memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.contract_plan import CODE
from data_platform.gates.expression.visible_name import visible
from data_platform.model.verdict import Outcome, RuleResult, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.batch import SilverBatch

MOST_NEW = 20
"""The number of new values of a column that have a signature of their own."""

_TRACKED = 1000
"""Up to three quarters of this many new values are counted exactly; of more the counts are estimates."""

_FIRST_ROWS = 200
"""The number of first rows with a new value in which the place of each new value is searched."""

_FILE, _LINE = "_file", "_line"


@dataclass(frozen=True)
class Domain:
    """The column of the rows, under the name in the baseline, and its known values."""

    name: str
    column: str
    values: tuple[str, ...]
    is_shown: bool


def domains_of(batch: SilverBatch) -> tuple[Domain, ...]:
    """The learned domains to check: of text columns without a declared enum."""
    learned = batch.baseline.enum_domains if batch.baseline else None
    declared = {constraint.field.lower() for constraint in batch.bundle.schema_.constraints if constraint.enum}
    hidden = {name.lower() for name in batch.personal.remediated}
    return tuple(
        Domain(name, column.name, values, name.lower() not in hidden)
        for name, values in (learned or {}).items()
        if (column := batch.target.get(name)) and column.type == "string" and name.lower() not in declared
    )


def plan(
    rows: DataFrame, domains: Collection[Domain], keep: Column, stand_in: Callable[[Column], Column]
) -> dict[Hashable, Column]:
    """Two aggregates for each domain, over the rows to ``keep``; none contains a value that may not be shown.

    ``stand_in`` gives such a value a token.
    """
    from pyspark.sql import functions as F

    has_place = {_FILE, _LINE} <= set(rows.columns)
    measures: dict[Hashable, Column] = {}
    for domain in domains:
        value = quoted(domain.column)
        is_new = keep & value.isNotNull() & ~value.isin(*domain.values)
        token = stand_in(value)
        item = F.when(value.rlike(CODE), value).otherwise(token) if domain.is_shown else token
        # NULL, for every known value, is an item too.
        measures["new", domain.name] = F.call_function(
            "approx_top_k", F.when(is_new, item), F.lit(MOST_NEW + 2), F.lit(_TRACKED)
        )
        if has_place:
            place = F.struct(F.col(_FILE), F.col(_LINE))
            row = F.struct(item.alias("item"), F.col(_FILE).alias("file"), F.col(_LINE).alias("line"))
            measures["first", domain.name] = F.call_function(
                "min_by", F.when(is_new, row), F.when(is_new, place), F.lit(_FIRST_ROWS)
            )
    return measures


def results(domains: Collection[Domain], measured: Mapping[Hashable, Any]) -> Iterator[RuleResult]:
    """A warning for each new value, once, with its rows and the place of the first; a pass for a domain without one."""
    for domain in domains:
        signature = f"UNKNOWN_ENUM:{domain.name}"
        counts = {row["item"]: int(row["count"]) for row in measured.get(("new", domain.name)) or ()}
        counts.pop(None, None)
        places = _places(measured.get(("first", domain.name)) or ())
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        for value, rows in ordered[:MOST_NEW]:
            found = RuleResult.counted(f"{signature}:{value}", rows, Severity.WARN)
            yield replace(found, rule=domain.name, reason=_reason(domain, places.get(value)))
        if len(ordered) > MOST_NEW:
            reason = f"more than {MOST_NEW} new values: the column may no longer hold codes"
            yield RuleResult.failed(signature, reason, rule=domain.name, severity=Severity.WARN)
        if not ordered:
            yield RuleResult(rule=domain.name, signature=signature, outcome=Outcome.PASSED, severity=Severity.WARN)


def _reason(domain: Domain, place: str | None) -> str:
    known = f"not among the {len(domain.values)} values that the baseline has"
    return f"{known}, first at {place}" if place else known


def _places(rows: Collection[Any]) -> dict[str, str]:
    """The place of the first row of each value, as ``file:line``."""
    places: dict[str, str] = {}
    for row in rows:
        places.setdefault(row["item"], f"{visible(str(row['file']))}:{row['line']}")
    return places
