"""One file as data, and the line of each of its keys.

``yaml_parser`` and ``json_parser`` parse the text.
Lines are looked up only if there is a problem to report: reading a thousand files must be quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from data_platform.policies.json_parser import parse_json
from data_platform.policies.problem import Problem
from data_platform.policies.yaml_parser import child_of, compose, parse_yaml

if TYPE_CHECKING:
    from pathlib import Path

    import yaml

MAX_BYTES = 5_000_000

Location = tuple[str | int, ...]


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
            child = child_of(node, part)
            if child is None:
                break
            line, node = child
        return line + 1

    @cached_property
    def _root(self) -> yaml.Node | None:
        return compose(self.text)


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
    """The data of ``text``; None, with a problem added, if it is not a mapping of keys to values."""
    before = len(problems)
    parse = parse_json if name.endswith(".json") else parse_yaml
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
