"""Changes values of a YAML or JSON text in place: every other character stays, comments and alignment included.

A reader that writes its tree anew keeps comments but not the layout: it indents lists in its own way, moves comments
behind a value, and adds an item to a list behind the comment of the next key. So a change here is a replacement of
characters, at the marks that the parser has of each node.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import yaml

from data_platform.policies.yaml_parser import compose

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

Key = str | int


class Splice:
    """A text and the changes to make in it. Each change is described by nodes of the original text."""

    def __init__(self, text: str, *, is_json: bool = False) -> None:
        self.text = text
        self._json = is_json
        self._root = compose(text)
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._changes: list[tuple[int, int, str]] = []

    def node(self, *keys: Key) -> yaml.Node | None:
        """The value at ``keys``; None if there is none."""
        node = self._root
        for key in keys:
            node = next((value for name, value in _children(node) if name == key), None)
        return node

    def result(self) -> str:
        """The text with all changes."""
        text = self.text
        for start, end, new in sorted(self._changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def replace(self, node: yaml.Node, value: Any) -> None:
        self._change(node.start_mark.index, _end(node), self._flow(value))

    def append(self, items: yaml.SequenceNode, values: Sequence[Any], *, without: Collection[int] = ()) -> None:
        """Removes the items ``without``, and adds ``values`` behind the last of the others, in its style."""
        kept = [item for position, item in enumerate(items.value) if position not in without]
        if not kept:
            flow = self._flow(list(values))
            gap = "" if items.flow_style else " "
            self._change(self._before(items), _end(items), gap + flow)
            return
        self._remove(items, without)
        last = kept[-1]
        if items.flow_style:
            gap = f",{self._newline}{' ' * last.start_mark.column}" if self._begins_line(last) else ", "
            self._insert(_end(last), "".join(gap + self._flow(value) for value in values))
        else:
            indent = " " * items.start_mark.column
            block = isinstance(last, yaml.MappingNode) and not last.flow_style
            added = "".join(f"{self._newline}{indent}- {self._item(value, indent, block=block)}" for value in values)
            self._insert(self._line_end(_end(last)), added)

    def _remove(self, items: yaml.SequenceNode, positions: Collection[int]) -> None:
        if items.flow_style:
            spans = [(item.start_mark.index, _end(item)) for item in items.value]
            self._remove_spans(spans, positions)
            return
        for position in positions:
            item = items.value[position]
            self._change(self._line_start(item), self._line_end(_end(item)) + len(self._newline), "")

    def remove_keys(self, mapping: yaml.MappingNode, keys: Collection[str]) -> None:
        """Removes keys of a mapping in braces, as in JSON."""
        spans = [(name.start_mark.index, _end(value)) for name, value in mapping.value]
        self._remove_spans(spans, [at for at, (name, _) in enumerate(mapping.value) if name.value in keys])

    def _remove_spans(self, spans: Sequence[tuple[int, int]], positions: Collection[int]) -> None:
        """Removes each part with the comma before it, or with the one behind it if no part before it is kept."""
        for position in positions:
            before = [at for at in range(position) if at not in positions]
            if before:
                self._change(spans[position - 1][1], spans[position][1], "")
            else:
                end = spans[position + 1][0] if position + 1 < len(spans) else spans[position][1]
                self._change(spans[position][0], end, "")

    def add_key(self, mapping: yaml.MappingNode, key: str, value: Any) -> None:
        """Adds ``key`` before the first key of ``mapping``."""
        first = mapping.value[0][0]
        name = json.dumps(key) if self._json else key
        gap = f"{self._newline}{' ' * first.start_mark.column}" if self._begins_line(first) else " "
        self._insert(first.start_mark.index, f"{name}: {self._flow(value)}{',' if mapping.flow_style else ''}{gap}")

    def _change(self, start: int, end: int, new: str) -> None:
        self._changes.append((start, end, new))

    def _insert(self, at: int, new: str) -> None:
        self._change(at, at, new)

    def _before(self, items: yaml.SequenceNode) -> int:
        """The end of what is before a block list: its key's colon."""
        return items.start_mark.index if items.flow_style else len(self.text[: items.start_mark.index].rstrip())

    def _begins_line(self, node: yaml.Node) -> bool:
        return not self.text[self._line_start(node) : node.start_mark.index].strip()

    def _line_start(self, node: yaml.Node) -> int:
        return self.text.rfind("\n", 0, node.start_mark.index) + 1

    def _line_end(self, at: int) -> int:
        end = self.text.find(self._newline, at)
        return len(self.text) if end < 0 else end

    def _item(self, value: Any, indent: str, *, block: bool) -> str:
        if not block or not isinstance(value, dict):
            return self._flow(value)
        lines = [f"{name}: {self._flow(part)}" for name, part in value.items()]
        return f"{self._newline}{indent}  ".join(lines)

    def _flow(self, value: Any) -> str:
        if self._json:
            return json.dumps(value, ensure_ascii=False)
        return _flow(value)


def _flow(value: Any) -> str:
    """YAML on one line; a text is quoted unless every reader takes it for a text."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_flow(part)}' for name, part in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(_flow(part) for part in value)}]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def _children(node: yaml.Node | None) -> list[tuple[Key, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        return [(name.value, value) for name, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return list(enumerate(node.value))
    return []


def _end(node: yaml.Node) -> int:
    """Where the content ends: the parser's mark of a block is behind the comments that follow it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def items_of(node: yaml.Node | None) -> list[yaml.Node]:
    """The items of a list; none if ``node`` is no list."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def value_of(node: yaml.Node | None) -> str:
    """The text of a scalar; empty if ``node`` is none."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""
