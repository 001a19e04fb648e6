"""DQ against learned domains: values that a column of codes has not had before. They are warnings, and hold nothing.

The domains are those of ``baseline.json``; what ``enum`` of the policy lists is a promise, which the contract judges.
Both the values and the places of their first rows are measured in the stage's one write, in bounded memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import never_null, quoted
from data_platform.gates.expression.contract_plan import CODE
from data_platform.gates.expression.visible_name import visible
from data_platform.model.verdict import Outcome, RuleResult, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.batch import SilverBatch

MOST_NEW = 20
"""The number of new values of a column that have a signature of their own."""

_COUNTED = 200
"""The number of different items that are counted: an item has all new values of one row, most often one."""

_TRACKED = 1000
"""Up to three quarters of this many different items are counted exactly; of more the counts are estimates."""

_FIRST_ROWS = 1000
"""The number of first rows with a new value in which the place of each new value is searched."""

_FILE, _LINE = "_file", "_line"
_NEXT, _IS = "\x1f", "\x1e"  # separators within an item, which codes and tokens do not have


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
    """Two aggregates for all domains, over the rows to ``keep``; neither contains a value that may not be shown.

    ``stand_in`` gives such a value a token. Aggregates of their own for each domain would cost as much for each.
    """
    from pyspark.sql import functions as F

    is_new = {domain: keep & _is_new(domain) for domain in domains}
    parts = [F.when(flag, F.concat(F.lit(f"{at}{_IS}"), _shown(domain, stand_in)))
             for at, (domain, flag) in enumerate(is_new.items())]  # fmt: skip
    any_new = reduce(lambda a, b: a | b, is_new.values())
    item = F.when(any_new, F.concat_ws(_NEXT, *parts))
    # NULL, for every row without a new value, is an item too.
    measures: dict[Hashable, Column] = {
        ("codes", "new"): F.call_function("approx_top_k", item, F.lit(_COUNTED), F.lit(_TRACKED))
    }
    if {_FILE, _LINE} <= set(rows.columns):
        row = F.when(any_new, F.struct(item.alias("item"), F.col(_FILE).alias("file"), F.col(_LINE).alias("line")))
        place = F.when(any_new, F.struct(F.col(_FILE), F.col(_LINE)))
        measures["codes", "first"] = F.call_function("min_by", row, place, F.lit(_FIRST_ROWS))
    return measures


def _is_new(domain: Domain) -> Column:
    return never_null(~quoted(domain.column).isin(*domain.values))


def _shown(domain: Domain, stand_in: Callable[[Column], Column]) -> Column:
    from pyspark.sql import functions as F

    value = quoted(domain.column)
    return F.when(value.rlike(CODE), value).otherwise(stand_in(value)) if domain.is_shown else stand_in(value)


def results(domains: Sequence[Domain], measured: Mapping[Hashable, Any]) -> Iterator[RuleResult]:
    """A warning for each new value, once, with its rows and the place of the first; a pass for a domain without one."""
    counts: dict[int, Counter[str]] = {at: Counter() for at in range(len(domains))}
    for row in measured.get(("codes", "new")) or ():
        for at, value in _values(row["item"]):
            counts[at][value] += int(row["count"])
    places: dict[tuple[int, str], str] = {}
    for row in measured.get(("codes", "first")) or ():
        for found in _values(row["item"]):
            places.setdefault(found, f"{visible(str(row['file']))}:{row['line']}")
    for at, domain in enumerate(domains):
        yield from _of_domain(domain, counts[at], {value: place for (of, value), place in places.items() if of == at})


def _values(item: str | None) -> Iterator[tuple[int, str]]:
    """The new values of an item, each with the number of its domain."""
    for part in item.split(_NEXT) if item else ():
        number, _, value = part.partition(_IS)
        yield int(number), value


def _of_domain(domain: Domain, counts: Mapping[str, int], places: Mapping[str, str]) -> Iterator[RuleResult]:
    signature = f"UNKNOWN_ENUM:{domain.name}"
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
