"""Reads a publish group while publishers are killed, checks the history, and prints one JSON summary.

python -m data_platform_tests.proofs.prove_group --reads 10000
"""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

from data_platform.catalog import open_catalog
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.proofs.group_publisher import run_group
from data_platform_tests.proofs.linearizability import check
from data_platform_tests.proofs.porcupine_check import porcupine_accepts
from data_platform_tests.proofs.proof_program import prove_stores

if TYPE_CHECKING:
    from pathlib import Path


def main() -> int:
    return prove_stores("Prove that readers of a group see one publication after the other.", prove)


def prove(url: str, folder: Path, reads: int) -> dict[str, Any]:
    """Raises: NotLinearizableError, AssertionError."""
    began = time.monotonic()
    outcomes = run_group(url, folder, reads=reads)
    seconds = time.monotonic() - began
    assert outcomes.mixed == [], f"{len(outcomes.mixed)} reads were mixed, such as {outcomes.mixed[0]}"
    assert outcomes.unproven == set()
    check(outcomes.operations)
    with open_catalog(url, KEYS) as catalog:
        assert catalog.evidence.verify().is_whole
    is_accepted = porcupine_accepts(outcomes.operations, folder) if shutil.which("go") else None
    assert is_accepted is not False, "porcupine found no order of the operations"
    return {
        "kills": outcomes.kills,
        "reads": outcomes.reads,
        "publications": outcomes.publications,
        "mixed_reads": 0,
        "without_evidence": 0,
        "linearizable": True,
        "porcupine": is_accepted,
        "seconds": round(seconds),
    }


if __name__ == "__main__":
    sys.exit(main())
