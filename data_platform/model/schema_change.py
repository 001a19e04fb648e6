"""One change of a schema as a value: its kind, its place, its effect on readers, and its signature.

``schema_drift`` finds the changes. Whether one may pass is the policy's decision (``gates.schema_mode``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

WHOLE = "*"
"""The path of a change of the table as a whole, such as the order of its columns."""


class ChangeKind(StrEnum):
    """RENAMED is a suggestion beside a REMOVED and an ADDED; CASE is another spelling of the same name."""

    ADDED = "ADDED"
    REMOVED = "REMOVED"
    RETYPED = "RETYPED"
    WIDENED = "WIDENED"
    NULLABILITY = "NULLABILITY"
    RENAMED = "RENAMED"
    REORDERED = "REORDERED"
    CASE = "CASE"
    NEW_ENUM_VALUE = "NEW_ENUM_VALUE"


class Effect(StrEnum):
    """The effect of a schema change on readers of the table."""

    NONE = "none"  # only the spelling of a name, or the order of columns, which are bound by name
    COMPATIBLE = "compatible"  # a new nullable column, a wider type, a column that may no longer be NULL
    BREAKING = "breaking"


_TYPED = (ChangeKind.RETYPED, ChangeKind.WIDENED, ChangeKind.NULLABILITY)


@dataclass(frozen=True, kw_only=True)
class SchemaChange:
    """``path`` leads to the column or to a field within it; it is empty for the table as a whole.

    ``before`` and ``after`` are types or labels; of a suggestion ``after`` is the new name, of an order the names in
    their new order. ``place`` is the position of an added field, from 0. ``nullable`` is that of an added column.
    ``score`` of a suggestion is 0..1.
    """

    kind: ChangeKind
    path: tuple[str, ...]
    before: str = ""
    after: str = ""
    effect: Effect
    place: int = 0
    nullable: bool = True
    score: float = 0.0

    @property
    def field(self) -> str:
        return ".".join(self.path) or WHOLE

    @property
    def column(self) -> str:
        """The column of the table that it is about; ``*`` for the table as a whole."""
        return self.path[0] if self.path else WHOLE

    @property
    def is_nested(self) -> bool:
        """Whether it is within a column: tables bind nested fields by position, and cannot add one."""
        return len(self.path) > 1 or (self.kind is ChangeKind.REORDERED and bool(self.path))

    @property
    def widening(self) -> bool:
        return self.kind is ChangeKind.WIDENED

    @property
    def signature(self) -> str:
        """The signature, the same on every day, as required: ``SCHEMA_BREAK:order_total:DECIMAL→STRING``."""
        if self.kind is ChangeKind.NEW_ENUM_VALUE:
            return f"UNKNOWN_ENUM:{self.field}:{self.after}"
        prefix = "SCHEMA_BREAK" if self.effect is Effect.BREAKING else "SCHEMA_DRIFT"
        if self.kind in _TYPED:
            before, after = self.before, self.after
            # Two decimals differ in their digits only.
            if not (before.startswith("decimal") and after.startswith("decimal")):
                before, after = _bare(before), _bare(after)
            return f"{prefix}:{self.field}:{before.upper()}→{after.upper()}"
        if self.kind is ChangeKind.RENAMED:
            return f"{prefix}:{self.field}:RENAMED→{self.after}"
        return f"{prefix}:{self.field}:{self.kind}"

    def __str__(self) -> str:
        if self.kind in _TYPED:
            return f"{self.field}: {self.before.upper()} -> {self.after.upper()} ({self._label})"
        if self.kind is ChangeKind.RENAMED:
            return f"{self.field}: perhaps renamed to {self.after} (similarity {self.score:.2f})"
        if self.kind is ChangeKind.NEW_ENUM_VALUE:
            return f"{self.field}: new value {self.after}"
        return f"{self.field}: {self.kind.lower()} ({self._label})"

    @property
    def _label(self) -> str:
        if self.kind is ChangeKind.REORDERED and self.effect is Effect.NONE:
            return "columns are bound by name"
        return {Effect.BREAKING: "breaking", Effect.COMPATIBLE: "safe", Effect.NONE: "case change only"}[self.effect]

    def as_json(self) -> dict[str, object]:
        """What ``from_json`` reads, for the catalog."""
        return {
            "kind": self.kind.value,
            "path": list(self.path),
            "before": self.before,
            "after": self.after,
            "effect": self.effect.value,
            "place": self.place,
            "nullable": self.nullable,
            "score": round(self.score, 2),
            "signature": self.signature,
        }

    @classmethod
    def from_json(cls, data: dict[str, object]) -> SchemaChange:
        """Raises: KeyError, ValueError, TypeError, if ``data`` is not a change as ``as_json`` writes it."""
        path, score, place = data["path"], data["score"], data["place"]
        if not isinstance(path, list) or not isinstance(score, int | float) or not isinstance(place, int):
            raise TypeError("not a schema change")
        return cls(
            kind=ChangeKind(str(data["kind"])),
            path=tuple(str(part) for part in path),
            before=str(data["before"]),
            after=str(data["after"]),
            effect=Effect(str(data["effect"])),
            place=place,
            nullable=bool(data["nullable"]),
            score=float(score),
        )


def _bare(kind: str) -> str:
    """``decimal(10,2)`` is ``decimal``, ``struct<a:int>`` is ``struct``; ``not null`` stays."""
    return re.split("[(<]", kind, maxsplit=1)[0]
