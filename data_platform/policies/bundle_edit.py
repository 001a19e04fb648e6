"""Changes of columns in the text of ``policy_bundle.yaml``: declarations, and the lists of names that mention them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from data_platform.model.schema_change import ChangeKind
from data_platform.policies.yaml_splice import Splice, items_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.model.schema_change import SchemaChange

_CONSTRAINTS = ("schema", "constraints")


class BundleEdit:
    """The text of a bundle and the changes to make in it."""

    def __init__(self, text: str, bundle: PolicyBundle) -> None:
        self._splice = Splice(text)
        self._bundle = bundle
        self._added: list[dict[str, Any]] = []
        self._enums: dict[str, list[str]] = {}
        self._removed: set[str] = set()

    def apply(self, change: SchemaChange) -> None:
        """Makes the change of a fact about a column of the table; what the bundle has already is not changed."""
        declared = self._bundle.schema_.declared.get(change.column)
        if change.kind is ChangeKind.ADDED and declared is None:
            self._added.append({"field": change.column, "type": change.after.upper()})
        elif change.kind is ChangeKind.REMOVED and declared is not None:
            self._removed.add(change.column.lower())
        elif change.kind in (ChangeKind.WIDENED, ChangeKind.RETYPED) and declared is not None:
            node = self._splice.node(*_CONSTRAINTS, self._position(change.column), "type")
            if node is not None and declared.type != change.after:
                self._splice.replace(node, change.after.upper())
        elif change.kind is ChangeKind.NEW_ENUM_VALUE:
            self._enums.setdefault(change.column, []).append(change.after)

    def rename(self, old: str, new: str) -> None:
        """Every list of names that has ``old`` gets ``new``, so that its rules go with it."""
        if self._bundle.schema_.declared.get(old) is None:
            return
        field = self._splice.node(*_CONSTRAINTS, self._position(old), "field")
        for node in ([field] if field is not None else []) + list(self._mentions()):
            name = value_of(node)
            if name.lower() == old.lower() or name.lower().startswith(f"{old.lower()}."):
                self._splice.replace(node, new + name[len(old) :])

    def accept(self, signatures: Sequence[str]) -> None:
        """Adds signatures to ``schema.accepted``."""
        fresh = [s for s in dict.fromkeys(signatures) if s not in self._bundle.schema_.accepted]
        if not fresh:
            return
        existing, schema = self._splice.node("schema", "accepted"), self._splice.node("schema")
        if isinstance(existing, yaml.SequenceNode):
            self._splice.append(existing, fresh)
        elif isinstance(schema, yaml.MappingNode):
            self._splice.add_key(schema, "accepted", fresh)

    def result(self) -> str:
        constraints = self._splice.node(*_CONSTRAINTS)
        if isinstance(constraints, yaml.SequenceNode) and (self._added or self._removed):
            gone = {self._position(name) for name in self._removed}
            self._splice.append(constraints, self._added, without=gone)
        for column, values in self._enums.items():
            domain = self._splice.node(*_CONSTRAINTS, self._position(column), "enum")
            known = {value_of(item) for item in items_of(domain)}
            if isinstance(domain, yaml.SequenceNode):
                self._splice.append(domain, [value for value in dict.fromkeys(values) if value not in known])
        self._forget()
        return self._splice.result()

    def _position(self, column: str) -> int:
        names = [constraint.field.lower() for constraint in self._bundle.schema_.constraints]
        return names.index(column.lower())

    def _forget(self) -> None:
        """Removes the removed columns from lists of names; a rule that has no other name goes too.

        A PII rule without ``fields`` would search every column, so it may not be left empty.
        """
        for part in ("contract_lite", "contract"):
            self._without(self._splice.node(part, "required_fields"))
        detection, metrics = self._splice.node("pii", "detection"), self._splice.node("dq", "metrics")
        gone = set()
        for position in range(len(items_of(detection))):
            fields = self._splice.node("pii", "detection", position, "fields")
            names = items_of(fields)
            if names and all(self._is_gone(name) for name in names):
                gone.add(position)
            else:
                self._without(fields)
        if gone and isinstance(detection, yaml.SequenceNode):
            self._splice.append(detection, [], without=gone)
        of_metrics = {
            at for at in range(len(items_of(metrics))) if self._is_gone(self._splice.node("dq", "metrics", at, "field"))
        }
        if of_metrics and isinstance(metrics, yaml.SequenceNode):
            self._splice.append(metrics, [], without=of_metrics)

    def _without(self, names: yaml.Node | None) -> None:
        gone = {position for position, name in enumerate(items_of(names)) if self._is_gone(name)}
        if gone and isinstance(names, yaml.SequenceNode):
            self._splice.append(names, [], without=gone)

    def _is_gone(self, name: yaml.Node | None) -> bool:
        return value_of(name).lower().partition(".")[0] in self._removed

    def _mentions(self) -> Iterator[yaml.Node]:
        """Yields each name of a column outside rules in SQL."""
        splice = self._splice
        for part in ("contract_lite", "contract"):
            yield from items_of(splice.node(part, "required_fields"))
        for position, unique in enumerate(items_of(splice.node("contract", "unique"))):
            yield from [unique] if isinstance(unique, yaml.ScalarNode) else items_of(unique)
            yield from items_of(splice.node("contract", "unique", position, "fields"))
        for part, key in (("contract", "references"), ("pii", "detection")):
            for position in range(len(items_of(splice.node(part, key)))):
                yield from items_of(splice.node(part, key, position, "fields"))
        for position in range(len(items_of(splice.node("dq", "metrics")))):
            if (field := splice.node("dq", "metrics", position, "field")) is not None:
                yield field
