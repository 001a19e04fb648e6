"""The project's own modules as syntax trees, for tests that check the source."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def syntax_trees(folder: str = "data_platform") -> dict[str, ast.Module]:
    """Maps each module below ``folder``, by its path relative to it, to its tree."""
    place = ROOT / folder
    return {
        path.relative_to(place).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(place.rglob("*.py"))
    }
