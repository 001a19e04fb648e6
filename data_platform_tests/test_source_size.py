"""Modules and functions of the platform are short enough to read: a module has one meaning, a function named steps."""

import ast
from collections.abc import Iterator

from data_platform_tests.source_tree import source_texts

FOLDERS = ("data_platform", "bench")
MODULE_LINES, FUNCTION_LINES = 250, 40


def texts() -> dict[str, str]:
    return {
        f"{folder}/{name}": text
        for folder in FOLDERS
        for name, text in source_texts(folder).items()
        if "/migrations/" not in name  # a migration is one list of statements, and is never changed
    }


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The name of each function with the number of its lines; decorators do not count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_no_module_has_more_than_250_lines() -> None:
    lines = {name: len(text.splitlines()) for name, text in texts().items()}

    assert {name: n for name, n in lines.items() if n > MODULE_LINES} == {}


def test_no_function_has_more_than_40_lines() -> None:
    modules = texts()

    long = {
        (module, name): lines
        for module, text in modules.items()
        for name, lines in functions(ast.parse(text))  # one tree at a time: a thousand at once take long to free
        if lines > FUNCTION_LINES
    }

    assert len(modules) > 400, "the folders have moved"
    assert long == {}
