"""One file as data, and the line of each of its keys.

YAML is read as editors read it, by the rules of YAML 1.2: ``yes``, ``no`` and an unquoted date are text, ``010`` is not
a number. (PyYAML's own rules would read ``NO`` as a boolean and ``12:30`` as the number 750.) A key that appears twice
is a problem, where PyYAML would take the last. Anchors are read; the merge key ``<<`` is not part of YAML 1.2, and
PyYAML 6.0.4 takes the wrong value when a merge is merged again, so it is a key like any other.

Lines are looked up only if there is a problem to report: reading a thousand files must be quick.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import yaml

from data_platform.policies.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 5_000_000
MAX_VALUES = 200_000
"""The limit for one file with aliases expanded: ten lines of aliases to aliases are a thousand million values."""

Location = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_WORDS = [
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
]
_KNOWN_TAGS = {f"{_TAG}{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map")} | {None}


class _Loader(yaml.CSafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own name and form
    yaml_constructors = {tag: make for tag, make in yaml.CSafeLoader.yaml_constructors.items() if tag in _KNOWN_TAGS}  # noqa: RUF012


for _name, _pattern, _first in _WORDS:
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(_pattern), _first)


@dataclass(frozen=True)
class Document:
    """``name`` is the file's name in problems."""

    name: str
    text: str
    data: Any

    def problem(self, location: Location, text: str) -> Problem:
        return Problem(self.name, self.line(location), key_of(location), text)

    def line(self, location: Location) -> int:
        """The line of the key at ``location``, or of the enclosing key if it is missing."""
        node = self._root
        line = node.start_mark.line if node else 0
        for part in location:
            child = _child(node, part)
            if child is None:
                break
            line, node = child
        return line + 1

    @cached_property
    def _root(self) -> yaml.Node | None:
        return _compose(self.text)


def key_of(location: Location) -> str:
    """``slo.freshness``, ``constraints[2].type``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")


def read_document(path: Path, name: str, problems: list[Problem]) -> Document | None:
    """The file's data; None, with a problem added, if it cannot be read."""
    text = read_text(path, name, problems)
    return None if text is None else parse_document(text, name, problems)


def read_text(path: Path, name: str, problems: list[Problem]) -> str | None:
    """The file's text; None, with a problem added, if it is not text. A UTF-8 byte order mark is not part of it."""
    try:
        if path.stat().st_size > MAX_BYTES:
            problems.append(Problem(name, 0, "", f"larger than {MAX_BYTES} bytes; a policy file is not data, split it"))
            return None
        content = path.read_bytes()
    except FileNotFoundError:
        problems.append(Problem(name, 0, "", "required, but missing"))
        return None
    except OSError as error:
        problems.append(Problem(name, 0, "", f"cannot be read: {error.strerror}; expected a file"))
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        problems.append(Problem(name, line, "", "not UTF-8 text; save the file as UTF-8"))
        return None


def parse_document(text: str, name: str, problems: list[Problem]) -> Document | None:
    before = len(problems)
    parse = _parse_json if name.endswith(".json") else _parse_yaml
    data = parse(text, name, problems)
    if len(problems) > before:
        return None
    if not isinstance(data, dict):
        problem = (
            "the file is empty" if data is None else f"found {'a list' if isinstance(data, list) else 'one value'}"
        )
        problems.append(Problem(name, 1, "", f"{problem}; expected a mapping of keys to values"))
        return None
    return Document(name, text, data)


def _parse_yaml(text: str, name: str, problems: list[Problem]) -> Any:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        problems.extend(_repeated_keys(node, name))
        if _written_out(node, {}) > MAX_VALUES:
            problems.append(Problem(name, 1, "", f"more than {MAX_VALUES} values, aliases written out; split the file"))
            return None
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        problems.append(_syntax_problem(error, text, name))
        return None
    except RecursionError:
        problems.append(
            Problem(name, 1, "", "nested too deep, or an anchor contains itself; write the values out flat")
        )
        return None
    except ValueError as error:
        problems.append(Problem(name, 1, "", f"a value that cannot be read: {_short(error)}"))
        return None
    finally:
        loader.dispose()


def _written_out(node: yaml.Node, sizes: dict[int, int]) -> int:
    """How many values the node has with every alias expanded, computed without expanding any.

    Raises:
        RecursionError: A node contains itself.
    """
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in sizes:
        inner = [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]
        sizes[id(node)] = 1 + sum(_written_out(part, sizes) for part in inner)
    return sizes[id(node)]


def _short(error: ValueError) -> str:
    return str(error).split(";")[0][:200]


def _syntax_problem(error: yaml.YAMLError, text: str, name: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return Problem(name, 1, "", "not YAML: a character that text files do not have")
    lines = text.splitlines()
    indent = re.match(r"\s*", lines[mark.line]) if mark.line < len(lines) else None
    if indent and "\t" in indent[0]:
        return Problem(name, mark.line + 1, "", "a tab at the start of the line; YAML indents with spaces")
    return Problem(name, mark.line + 1, "", f"not YAML: {getattr(error, 'problem', None) or 'cannot be read'}")


def _parse_json(text: str, name: str, problems: list[Problem]) -> Any:
    twice = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        mapping = dict(items)
        twice = twice or len(mapping) < len(items)
        return mapping

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        problems.append(Problem(name, error.lineno, "", f"not JSON: {error.msg}"))
        return None
    except RecursionError:
        problems.append(Problem(name, 1, "", "nested too deep; write the values out flat"))
        return None
    except _NotFiniteError as error:
        problems.append(Problem(name, 0, "", str(error)))
        return None
    except ValueError as error:
        problems.append(Problem(name, 0, "", _short(error)))
        return None
    if twice:
        node = _compose(text)
        problems.extend(_repeated_keys(node, name) if node else [Problem(name, 0, "", "a key appears twice")])
    return data


class _NotFiniteError(ValueError):
    """A constant that Python's reader accepts as a number."""


def _no_number(word: str) -> None:
    raise _NotFiniteError(f"{word} is not JSON; expected a finite number, or leave the key out")


def _repeated_keys(root: yaml.Node, name: str) -> Iterator[Problem]:
    for node in _mappings(root):
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            line = key.start_mark.line + 1
            if key.value in lines:
                text = f"appears twice, first at line {lines[key.value]}; leave one of the two"
                yield Problem(name, line, key.value, text)
            lines.setdefault(key.value, line)


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    """Yields each mapping once, however many aliases it has."""
    stack, seen = [root], set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            stack.extend(item for item in node.value if not isinstance(item, yaml.ScalarNode))
        elif isinstance(node, yaml.MappingNode):
            yield node
            stack.extend(value for _, value in node.value if not isinstance(value, yaml.ScalarNode))


def _compose(text: str) -> yaml.Node | None:
    # JSON may have tabs between its tokens, but libyaml accepts none; JSON's strings have no raw tab.
    try:
        return yaml.compose(text.replace("\t", " "), _Loader)
    except yaml.YAMLError:
        return None


def _child(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next((_at(key, value) for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return _at(node.value[part], node.value[part])
    return None


def _at(place: yaml.Node, node: yaml.Node) -> tuple[int, yaml.Node]:
    return place.start_mark.line, node
