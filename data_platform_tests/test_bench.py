"""The benches can still be run: each imports existing names, and describes its options."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHES = sorted(path.name for path in (ROOT / "bench").glob("*.py"))
HELPERS = {
    "estate_evidence.py",
    "estate_people.py",
    "large_estate.py",
    "location_policies.py",
    "pii_columns.py",
    "portal_paths.py",
    "store.py",
}


@pytest.mark.parametrize("name", [name for name in BENCHES if name not in HELPERS])
def test_a_bench_describes_how_to_run_it(name: str) -> None:
    done = subprocess.run(  # noqa: S603 - of this repository
        [sys.executable, str(ROOT / "bench" / name), "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("usage:")


def test_make_bench_runs_all_of_them() -> None:
    said = (ROOT / "Makefile").read_text()

    assert {name for name in BENCHES if f"bench/{name}" not in said} == HELPERS
