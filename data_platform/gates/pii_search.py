"""What is sought in which column: the policy's rules, spread over the text columns of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.gates.pii_kind import SHAPES, Shape

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql.types import StructType

    from data_platform.model.policy import Pii, PiiAction, PiiKind, PiiRule


@dataclass(frozen=True)
class Sought:
    """A shape as its column has it, and what is done with it."""

    shape: Shape
    pattern: str
    action: PiiAction


def searches(schema: StructType, policy: Pii, told: Collection[str]) -> dict[str, list[Sought]]:
    """What is sought in each column, in the order in which shapes claim a text.

    Raises:
        PolicyError: A rule names a column that is not there or not text, or two rules of a kind claim one column.
    """
    from pyspark.sql.types import StringType

    if problems := _problems(schema, policy):
        raise PolicyError(problems)
    searches: dict[str, list[Sought]] = {}
    for name in (f.name for f in schema.fields if isinstance(f.dataType, StringType)):
        for shape in SHAPES:
            rule, named = _rule_for(policy, shape.rule, name)
            if rule is not None:
                pattern = shape.pattern_in(name, named=named, told=name in told)
                searches.setdefault(name, []).append(Sought(shape, pattern, rule.action))
    return searches


def _rule_for(policy: Pii, kind: PiiKind, name: str) -> tuple[PiiRule | None, bool]:
    """A rule that names the column goes before one that names none."""
    rules = [rule for rule in policy.detection if rule.pattern is kind]
    named = [rule for rule in rules if name.lower() in (f.lower() for f in rule.fields)]
    everywhere = [rule for rule in rules if not rule.fields]
    return next(iter(named + everywhere), None), bool(named)


def _problems(schema: StructType, policy: Pii) -> list[str]:
    kinds = {f.name.lower(): f.dataType.simpleString() for f in schema.fields}
    problems: list[str] = []
    claimed: set[tuple[PiiKind, str]] = set()
    for rule in policy.detection:
        for name in rule.fields or ("",):
            what = f"pii rule {rule.pattern} {rule.action}: field {name}"
            if (rule.pattern, name.lower()) in claimed:
                whose = f"field {name}" if name else "every text column"
                problems.append(f"pii: two {rule.pattern} rules are for {whose}: keep one")
            elif name and name.lower() not in kinds:
                problems.append(f"{what} is not a column of the rows: name one, or leave fields out to search all")
            elif name and not kinds[name.lower()].startswith("string"):
                problems.append(f"{what} is of type {kinds[name.lower()]}, expected a string: declare it STRING")
            claimed.add((rule.pattern, name.lower()))
    return problems
