"""Parses JSON strictly: a key that appears twice and a number that is not finite are problems."""

from __future__ import annotations

import json
from typing import Any

from data_platform.policies.problem import Problem
from data_platform.policies.yaml_parser import compose, repeated_keys


def parse_json(text: str, name: str, problems: list[Problem]) -> Any:
    """The data of ``text``; None, with a problem added, if it is not JSON."""
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
        problems.append(Problem(name, 0, "", str(error).split(";")[0][:200]))
        return None
    if twice:
        node = compose(text)
        problems.extend(repeated_keys(node, name) if node else [Problem(name, 0, "", "a key appears twice")])
    return data


class _NotFiniteError(ValueError):
    """A constant that Python's reader accepts as a number."""


def _no_number(word: str) -> None:
    raise _NotFiniteError(f"{word} is not JSON; expected a finite number, or leave the key out")
