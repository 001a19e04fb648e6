"""Where the cases are, and what each expects."""

import json
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"


def case_file(case: str, name: str) -> Path:
    return next(CASES.glob(f"{case}_*")) / name


def expected(case: str) -> Any:
    return json.loads(case_file(case, "expected.json").read_text())
