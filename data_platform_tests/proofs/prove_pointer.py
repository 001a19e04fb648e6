"""Reads a pointer while publishers are killed, checks the history, and prints one JSON summary.

python -m data_platform_tests.proofs.prove_pointer --reads 10000

It uses SQLite, and the PostgreSQL of DATA_PLATFORM_TEST_POSTGRES_URL too. With ``go`` on the path, porcupine checks the
history beside our own checker.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from data_platform.catalog import open_catalog
from data_platform_tests.catalog.conftest import POSTGRES_URL
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.template import copied_database, copy_template
from data_platform_tests.proofs.linearizability import check
from data_platform_tests.proofs.porcupine_check import porcupine_accepts
from data_platform_tests.proofs.publisher import run_publishers, uncertified


def main() -> int:
    parser = argparse.ArgumentParser(description="Prove that readers see one certified version after the other.")
    parser.add_argument("--reads", type=int, default=10_000, help="reads for each database")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), help="only this database")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    summary = {}
    if asked.store != "postgresql":
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "catalog.db"
            copy_template(file)
            summary["sqlite"] = prove(f"sqlite:///{file}", Path(folder), asked.reads)
    if asked.store != "sqlite" and POSTGRES_URL:
        with tempfile.TemporaryDirectory() as folder, copied_database(POSTGRES_URL) as url:
            summary["postgresql"] = prove(url, Path(folder), asked.reads)
    print(json.dumps(summary, indent=2))
    return 0


def prove(url: str, folder: Path, reads: int) -> dict[str, Any]:
    """Raises: NotLinearizableError, AssertionError."""
    began = time.monotonic()
    outcomes = run_publishers(url, folder, reads=reads, pause_seconds=1)
    seconds = time.monotonic() - began
    kinds = Counter(operation.kind.value for operation in outcomes.operations)
    versions = check(outcomes.operations)
    with open_catalog(url, KEYS) as catalog:
        unproven = uncertified(catalog, outcomes)
        assert catalog.evidence.verify().is_whole
    assert (outcomes.mixed, unproven) == (0, set())
    is_accepted = porcupine_accepts(outcomes.operations, folder) if shutil.which("go") else None
    assert is_accepted is not False, "porcupine found no order of the operations"
    return {
        "kills": outcomes.kills,
        "operations": dict(kinds),
        "versions": versions,
        "mixed_reads": outcomes.mixed,
        "uncertified_reads": len(unproven),
        "linearizable": True,
        "porcupine": is_accepted,
        "seconds": round(seconds),
    }


if __name__ == "__main__":
    sys.exit(main())
