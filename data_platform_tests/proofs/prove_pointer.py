"""Reads a pointer while publishers are killed, checks the history, and prints one JSON summary.

python -m data_platform_tests.proofs.prove_pointer --reads 10000

It uses SQLite, and the PostgreSQL of DATA_PLATFORM_TEST_POSTGRES_URL too. With ``go`` on the path, porcupine checks the
history beside our own checker.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from data_platform.catalog import open_catalog
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.proofs.linearizability import check
from data_platform_tests.proofs.porcupine_check import porcupine_accepts
from data_platform_tests.proofs.proof_program import prove_stores
from data_platform_tests.proofs.publisher import run_publishers, uncertified

if TYPE_CHECKING:
    from pathlib import Path


def main() -> int:
    return prove_stores("Prove that readers see one certified version after the other.", prove)


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
