"""The project's own modules as syntax trees, for tests that check the source."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


def syntax_trees(naming: str) -> dict[str, ast.Module]:
    """Maps each module of the platform whose text contains ``naming``, by its path in the package, to its tree."""
    return {name: ast.parse(text) for name, text in source_texts("data_platform").items() if naming in text}


@cache
def source_texts(folder: str) -> dict[str, str]:
    place = ROOT / folder
    return {
        path.relative_to(place).as_posix(): path.read_text(encoding="utf-8") for path in sorted(place.rglob("*.py"))
    }
