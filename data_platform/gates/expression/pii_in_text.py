"""Names and addresses within the texts of a column, replaced in place.

Patterns are tested by Spark itself; only the classifier runs in Python workers, on Arrow batches. It returns places,
and Spark replaces what is there, so that no key of tokens leaves the JVM. It searches what the patterns have left, and
the patterns then search its result again: if that changed anything, the whole text is redacted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.errors import PolicyError
from data_platform.gates.detector.column import CLASSIFIED
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.pii_person import PERSON_NAME, STREET_ADDRESS
from data_platform.gates.expression.pii_text import remediated
from data_platform.model.pii_policy import PiiAction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column
    from pyspark.sql.types import StructType

    from data_platform.gates.expression.pii_search import Sought
    from data_platform.gates.expression.pii_shape import Shape
    from data_platform.gates.expression.token import TokenKey
    from data_platform.model.pii_policy import Pii, PiiRule

BY_PATTERN, PLACES, REPLACED = "_by_pattern_", "_places_", "_replaced_"
"""Prefixes of temporary columns: the text after the patterns, the classifier's places in it, the text without them."""
_MASKED = "***"
_SHAPES = {shape.rule: shape for shape in (PERSON_NAME, STREET_ADDRESS)}


@dataclass(frozen=True)
class InText:
    """What the classifier looks for in the texts of ``column``: a rule of each kind at most."""

    column: str
    rules: tuple[PiiRule, ...]

    @property
    def shapes(self) -> Mapping[str, tuple[Shape, PiiRule]]:
        return {_SHAPES[rule.pattern].label: (_SHAPES[rule.pattern], rule) for rule in self.rules}

    def found(self) -> dict[str, Column]:
        """Whether a text has a value, by signature; for rows with the column of places."""
        from pyspark.sql import functions as F

        places = quoted(PLACES + self.column)
        return {
            f"PII:{label}:{self.column}": F.coalesce(F.exists(places, _is(label)), F.lit(False))
            for label in self.shapes
        }

    def steps(self, sought: Sequence[Sought], key: TokenKey | None) -> list[tuple[str, Column]]:
        """The temporary columns, in the order in which they must be computed."""
        by_pattern = remediated(quoted(self.column), sought, key) if sought else quoted(self.column)
        text, places = quoted(BY_PATTERN + self.column), quoted(PLACES + self.column)
        return [
            (BY_PATTERN + self.column, by_pattern),
            (PLACES + self.column, _places(text, tuple(self.shapes), self.column)),
            (REPLACED + self.column, self._replaced(text, places, key)),
        ]

    def safe(self, sought: Sequence[Sought], key: TokenKey | None) -> Column:
        """The text with every value remediated, for rows with the temporary columns."""
        from pyspark.sql import functions as F

        text, places = quoted(BY_PATTERN + self.column), quoted(PLACES + self.column)
        replaced, whole = quoted(REPLACED + self.column), F.lit(f"[REDACTED:{next(iter(self.shapes))}]")
        if sought:
            again = remediated(replaced, sought, key)
            replaced = F.when(again.eqNullSafe(replaced), replaced).otherwise(whole)
        result = F.when(F.size(places) > 0, replaced).otherwise(text)
        for label, (_, rule) in self.shapes.items():
            if rule.action is PiiAction.DROP:
                result = F.when(F.exists(places, _is(label)), F.lit(None).cast("string")).otherwise(result)
        return result

    def _replaced(self, text: Column, places: Column, key: TokenKey | None) -> Column:
        from pyspark.sql import functions as F

        def end_before(number: Column) -> Column:
            return F.coalesce(F.get(places, number - 1)["end"], F.lit(0))

        def part(place: Column, number: Column) -> Column:
            begin = end_before(number)
            before = F.substring(text, begin + 1, place["start"] - begin)
            match = F.substring(text, place["start"] + 1, place["end"] - place["start"])
            return F.concat(before, self._replacement(place["label"], match, key))

        last = end_before(F.size(places))
        return F.concat(F.array_join(F.transform(places, part), ""), F.substring(text, last + 1, F.length(text)))

    def _replacement(self, label: Column, match: Column, key: TokenKey | None) -> Column:
        from pyspark.sql import functions as F

        chosen: Any = F
        for name, (shape, rule) in self.shapes.items():
            chosen = chosen.when(label == name, _one(shape, rule, match, key))
        return F.coalesce(chosen, F.lit(_MASKED))


def in_text(schema: StructType, policy: Pii) -> dict[str, InText]:
    """What the rules with ``in_text`` search, by column.

    Raises:
        PolicyError: Such a rule names something else than a text column.
    """
    names = {field.name.lower(): field for field in schema.fields}
    rules: dict[str, list[PiiRule]] = {}
    for rule in policy.detection:
        for name in rule.fields if rule.in_text else ():
            field = names.get(name.lower())
            if field is None or field.dataType.simpleString() != "string":
                raise PolicyError(f"pii rule {rule.pattern} {rule.action}: in_text needs a text column, not {name}")
            rules.setdefault(field.name, []).append(rule)
    return {name: InText(name, tuple(own)) for name, own in rules.items()}


def _one(shape: Shape, rule: PiiRule, match: Column, key: TokenKey | None) -> Column:
    """No letter of a masked name stays, since a second search might take it for a name."""
    from pyspark.sql import functions as F

    if rule.action is PiiAction.MASK:
        return F.lit(_MASKED)
    if rule.action is PiiAction.TOKENIZE:
        assert key is not None, "plan makes a key when a rule tokenizes"  # noqa: S101
        return key.token(shape.label, shape.normal(match), reversible=rule.reversible)
    return F.lit(f"[REDACTED:{shape.label}]")


def _is(label: str) -> Any:
    return lambda place: place["label"] == label


def _places(text: Column, labels: tuple[str, ...], column: str) -> Column:
    """An array of ``label``, ``start`` and ``end`` for each text; empty for NULL."""
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql.pandas.functions import arrow_udf

    kind = "array<struct<label: string, start: int, end: int>>"
    by_number = {int(CLASSIFIED[_RULES[label]]): label for label in labels}

    def find(texts: Any) -> Any:
        from data_platform.gates.detector.in_text import places_in

        found = places_in([value or "" for value in texts.to_pylist()], by_number, column)
        rows = [
            [{"label": by_number[place.label], "start": place.start, "end": place.end} for place in own]
            for own in found
        ]
        place_type = pa.struct([("label", pa.string()), ("start", pa.int32()), ("end", pa.int32())])
        return pa.array(rows, pa.list_(place_type))

    find.__annotations__ = {"texts": pa.Array, "return": pa.Array}  # Spark reads them, and not their names
    searched: Any = arrow_udf  # its stub knows no function whose hints are set later
    found: Column = searched(find, kind)(text)
    return found


_RULES = {shape.label: rule for rule in CLASSIFIED for shape in _SHAPES.values() if shape.rule == rule}
