"""Which columns are searched for what: the policy's rules, applied to the text columns of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.gates.expression.pii_kind import EMAIL, ITIN, SSN
from data_platform.gates.expression.pii_nested import KEY, Leaf, leaves
from data_platform.gates.expression.pii_number import CREDIT_CARD, IBAN, IP_ADDRESS
from data_platform.gates.expression.pii_own import own_shape
from data_platform.gates.expression.pii_person import DATE_OF_BIRTH, PERSON_NAME, STREET_ADDRESS
from data_platform.gates.expression.pii_phone import PHONE
from data_platform.model.pii_policy import PiiAction

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyspark.sql.types import StructType

    from data_platform.gates.expression.pii_shape import Shape
    from data_platform.model.pii_policy import Pii, PiiRule

SHAPES = (PERSON_NAME, STREET_ADDRESS, EMAIL, SSN, ITIN, PHONE, IBAN, CREDIT_CARD, IP_ADDRESS, DATE_OF_BIRTH)
"""The shapes in the order in which they claim a text: each ignores what an earlier one has claimed."""


@dataclass(frozen=True)
class Sought:
    """A shape with the pattern for its column, the action for it, and whether its tokens can be opened again."""

    shape: Shape
    pattern: str
    action: PiiAction
    reversible: bool = False


def searches(schema: StructType, policy: Pii, free_text: Collection[str]) -> dict[Leaf, list[Sought]]:
    """The shapes to search in each text of the rows, nested or not, in the order in which they claim it.

    Raises:
        PolicyError: A rule names a column that does not exist or has no text, or two rules of a kind share one.
    """
    texts = list(leaves(schema))
    if problems := _problems(schema, policy, {name.lower() for leaf in texts for name in leaf.names}):
        raise PolicyError(problems)
    shapes = (*SHAPES, *(own_shape(kind) for kind in policy.kinds))
    searches: dict[Leaf, list[Sought]] = {}
    for leaf in texts:
        for shape in shapes:
            rule, named = _rule_for(policy, shape.rule, leaf)
            if rule is None or rule.in_text:
                continue
            if pattern := shape.pattern_in(leaf.path, named=named, free_text=leaf.column in free_text):
                searches.setdefault(leaf, []).append(Sought(shape, pattern, _action(rule, leaf), rule.reversible))
    return searches


def _action(rule: PiiRule, leaf: Leaf) -> PiiAction:
    """The rule's action; a map's key cannot be NULL, so one to drop is redacted."""
    return PiiAction.REDACT if rule.action is PiiAction.DROP and KEY in leaf.steps else rule.action


def _rule_for(policy: Pii, kind: str, leaf: Leaf) -> tuple[PiiRule | None, bool]:
    """The rule that names the text most closely, or one that names none; and whether it names this text only."""
    rules = [rule for rule in policy.detection if rule.pattern == kind]
    for name in leaf.names:
        for rule in rules:
            if name.lower() in (field.lower() for field in rule.fields):
                return rule, leaf.is_named_alone(name)
    return next((rule for rule in rules if not rule.fields), None), False


def _problems(schema: StructType, policy: Pii, searchable: Collection[str]) -> list[str]:
    kinds = {f.name.lower(): f.dataType.simpleString() for f in schema.fields}
    problems: list[str] = []
    claimed: set[tuple[str, str]] = set()
    for rule in policy.detection:
        for name in rule.fields or ("",):
            what = f"pii rule {rule.pattern} {rule.action}: field {name}"
            if (rule.pattern, name.lower()) in claimed:
                whose = f"field {name}" if name else "every text column"
                problems.append(f"pii: two {rule.pattern} rules are for {whose}: keep one")
            elif name and name.lower() not in searchable:
                problems.append(f"{what} {_why_not(name, kinds)}")
            claimed.add((rule.pattern, name.lower()))
    return problems


def _why_not(name: str, kinds: Mapping[str, str]) -> str:
    kind = kinds.get(name.lower())
    if kind is None:
        return (
            "is not a column of the rows: name one, or a text within one (contact.email, emails.element), or leave "
            "fields out to search all"
        )
    return f"is of type {kind}, expected a string or a type that holds one: declare it STRING"
