"""Modules and functions of the platform are short enough to read: a module has one meaning, a function named steps."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE_LINES, FUNCTION_LINES = 250, 40
SOURCES = [
    path
    for folder in ("data_platform", "bench")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "migrations" not in path.parts  # a migration is one list of statements, and is never changed
]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """The name of each function with the number of its lines; decorators do not count."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_no_module_has_more_than_250_lines() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}

    assert {path: n for path, n in lines.items() if n > MODULE_LINES} == {}


def test_no_function_has_more_than_40_lines() -> None:
    long = {(path, name): n for path in SOURCES for name, n in functions(path) if n > FUNCTION_LINES}

    assert len(SOURCES) > 400, "the folders have moved"
    assert long == {}
