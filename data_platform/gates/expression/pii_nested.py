"""Text within structs, arrays and maps: detected and remediated in place, at any depth.

A *leaf* is a text within a column, named by its path: ``contact.email``, ``emails.element``, ``labels.key``,
``labels.value``, ``people.element.phone``. NULLs stay NULL, at every depth. Keys of a map that become equal, because
their masks are, get their position appended to each searched text, since a map has each key once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from data_platform.gates.expression.column import never_null

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import Column
    from pyspark.sql.types import DataType, MapType, StructType

ELEMENT, KEY, VALUE = "element", "key", "value"


@dataclass(frozen=True)
class Leaf:
    """``steps`` are the path from the value of ``column`` to the text: field names, and parts of arrays and maps."""

    column: str
    steps: tuple[str, ...]

    @property
    def path(self) -> str:
        return ".".join((self.column, *self.steps))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a rule may use: its own path, and those of everything that contains it, the nearest first."""
        return tuple(".".join((self.column, *self.steps[:depth])) for depth in range(len(self.steps), -1, -1))

    @property
    def is_column(self) -> bool:
        return not self.steps

    def is_named_alone(self, name: str) -> bool:
        """Whether ``name`` means this text only: ``emails`` is equivalent to ``emails.element``."""
        rest = self.path[len(name) :].strip(".").split(".")
        return set(rest) <= {"", ELEMENT}


def leaves(schema: StructType) -> Iterator[Leaf]:
    """Every text of the rows, including text columns themselves."""
    for field in schema.fields:
        for steps in _texts(field.dataType):
            yield Leaf(field.name, steps)


def _texts(kind: DataType) -> Iterator[tuple[str, ...]]:
    from pyspark.sql.types import StringType

    if isinstance(kind, StringType):
        yield ()
    for step, inner in _parts(kind).items():
        yield from ((step, *rest) for rest in _texts(inner))


def _parts(kind: DataType) -> dict[str, DataType]:
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType):
        return {field.name: field.dataType for field in kind.fields}
    if isinstance(kind, ArrayType):
        return {ELEMENT: kind.elementType}
    if isinstance(kind, MapType):
        return {KEY: kind.keyType, VALUE: kind.valueType}
    return {}


def rebuilt(value: Column, kind: DataType, changes: Mapping[tuple[str, ...], Callable[[Column], Column]]) -> Column:
    """``value`` of ``kind``, with ``changes`` applied to each text that they name by its steps."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, StructType

    if not changes:
        return value
    if () in changes:
        return changes[()](value)
    if isinstance(kind, StructType):
        parts = [
            rebuilt(value.getField(name), inner, _within(changes, name)).alias(name)
            for name, inner in _parts(kind).items()
        ]
        return F.when(value.isNotNull(), F.struct(*parts))
    if isinstance(kind, ArrayType):
        return F.transform(value, lambda item: rebuilt(item, kind.elementType, _within(changes, ELEMENT)))
    return _map(value, cast("MapType", kind), changes)


def _map(value: Column, kind: MapType, changes: Mapping[tuple[str, ...], Callable[[Column], Column]]) -> Column:
    from pyspark.sql import functions as F

    in_keys, in_values = _within(changes, KEY), _within(changes, VALUE)
    if not in_keys:  # Parquet may have a key twice, and a map made anew of its keys would end the job
        return F.transform_values(value, lambda _, item: rebuilt(item, kind.valueType, in_values))
    values = F.transform(F.map_values(value), lambda item: rebuilt(item, kind.valueType, in_values))
    keys = F.transform(F.map_keys(value), lambda key: rebuilt(key, kind.keyType, in_keys))
    apart = F.transform(F.map_keys(value), lambda key, at: rebuilt(key, kind.keyType, _marked(in_keys, at)))
    keys = F.when(F.size(F.array_distinct(keys)) < F.size(keys), apart).otherwise(keys)
    return F.map_from_arrays(keys, values)


def _marked(
    changes: Mapping[tuple[str, ...], Callable[[Column], Column]], at: Column
) -> dict[tuple[str, ...], Callable[[Column], Column]]:
    """``changes`` that append ``#`` and the position ``at`` to each text."""
    from pyspark.sql import functions as F

    def marked(change: Callable[[Column], Column]) -> Callable[[Column], Column]:
        return lambda text: F.concat(change(text), F.lit("#"), at.cast("string"))

    return {steps: marked(change) for steps, change in changes.items()}


def _within(
    changes: Mapping[tuple[str, ...], Callable[[Column], Column]], step: str
) -> dict[tuple[str, ...], Callable[[Column], Column]]:
    return {steps[1:]: change for steps, change in changes.items() if steps[0] == step}


def any_text(value: Column, kind: DataType, steps: tuple[str, ...], holds: Callable[[Column], Column]) -> Column:
    """Whether ``holds`` is true for any text at ``steps``; never NULL."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if not steps:
        return never_null(holds(value))
    step, rest = steps[0], steps[1:]
    inner = _parts(kind)[step]
    if isinstance(kind, StructType):
        return any_text(value.getField(step), inner, rest, holds)
    return never_null(F.exists(_items(value, step), lambda item: any_text(item, inner, rest, holds)))


def all_texts(value: Column, kind: DataType, steps: tuple[str, ...]) -> Column:
    """The array of the texts at ``steps``, which may be NULL; the array itself is not."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if not steps:
        return F.array(value)
    step, rest = steps[0], steps[1:]
    inner = _parts(kind)[step]
    if isinstance(kind, StructType):
        return all_texts(value.getField(step), inner, rest)
    texts = F.flatten(F.transform(_items(value, step), lambda item: all_texts(item, inner, rest)))
    return F.coalesce(texts, F.array().cast("array<string>"))


def _items(value: Column, step: str) -> Column:
    """The elements of an array, or the keys or values of a map, as an array."""
    from pyspark.sql import functions as F

    return value if step == ELEMENT else F.map_keys(value) if step == KEY else F.map_values(value)
