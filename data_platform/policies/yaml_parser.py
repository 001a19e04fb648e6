"""Parses YAML as editors do, by the rules of YAML 1.2, and finds the line of a key.

``yes``, ``no`` and an unquoted date are text, ``010`` is not a number. (PyYAML's own rules would read ``NO`` as a
boolean and ``12:30`` as the number 750.) A key that appears twice is a problem, where PyYAML would take the last.
Anchors are read; the merge key ``<<`` is not part of YAML 1.2, and PyYAML 6.0.4 takes the wrong value when a merge is
merged again, so it is a key like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from data_platform.policies.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES = 200_000
"""The limit for one file with aliases expanded: ten lines of aliases to aliases are a thousand million values."""

_TAG = "tag:yaml.org,2002:"
_RESOLVERS = [
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
]
_KNOWN_TAGS = {f"{_TAG}{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map")} | {None}


class _Loader(yaml.CSafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own name and form
    yaml_constructors = {tag: make for tag, make in yaml.CSafeLoader.yaml_constructors.items() if tag in _KNOWN_TAGS}  # noqa: RUF012


for _name, _pattern, _first in _RESOLVERS:
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(_pattern), _first)


def parse_yaml(text: str, name: str, problems: list[Problem]) -> Any:
    """The data of ``text``; None, with a problem added, if it is not YAML."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        problems.extend(repeated_keys(node, name))
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
        reason = str(error).split(";")[0][:200]
        problems.append(Problem(name, 1, "", f"a value that cannot be read: {reason}"))
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


def _syntax_problem(error: yaml.YAMLError, text: str, name: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return Problem(name, 1, "", "not YAML: a character that text files do not have")
    lines = text.splitlines()
    indent = re.match(r"\s*", lines[mark.line]) if mark.line < len(lines) else None
    if indent and "\t" in indent[0]:
        return Problem(name, mark.line + 1, "", "a tab at the start of the line; YAML indents with spaces")
    return Problem(name, mark.line + 1, "", f"not YAML: {getattr(error, 'problem', None) or 'cannot be read'}")


def repeated_keys(root: yaml.Node, name: str) -> Iterator[Problem]:
    """A problem for each key that its mapping already has."""
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


def compose(text: str) -> yaml.Node | None:
    """The tree of ``text``, whose nodes have lines; None if it cannot be parsed."""
    # JSON may have tabs between its tokens, but libyaml accepts none; JSON's strings have no raw tab.
    try:
        return yaml.compose(text.replace("\t", " "), _Loader)
    except yaml.YAMLError:
        return None


def child_of(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node] | None:
    """The line and node of a mapping's key or a list's element; None if there is none."""
    if isinstance(node, yaml.MappingNode):
        return next((_at(key, value) for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return _at(node.value[part], node.value[part])
    return None


def _at(place: yaml.Node, node: yaml.Node) -> tuple[int, yaml.Node]:
    return place.start_mark.line, node
