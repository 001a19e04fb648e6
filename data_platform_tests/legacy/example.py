"""JIL for tests: the cases' files, and texts scanned as if they were files."""

import json
from pathlib import Path
from typing import Any

from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source
from data_platform.legacy.mapping import LegacyMapping
from data_platform.model.legacy import LegacyProcess, LegacyScan
from data_platform.model.legacy_coverage import Concern

CASES = Path(__file__).parent / "cases"


def case_file(case: str, name: str) -> Path:
    return next(CASES.glob(f"{case}_*")) / name


def expected(case: str, name: str = "expected.json") -> Any:
    return json.loads(case_file(case, name).read_text())


def scanned_case(case: str, *names: str) -> LegacyScan:
    return scan([Source(name, case_file(case, name).read_bytes()) for name in names])


def scanned(*texts: str, mapping: LegacyMapping | None = None) -> LegacyScan:
    """Each text as a file: ``1.jil``, ``2.jil``."""
    sources = [Source(f"{number}.jil", text.encode()) for number, text in enumerate(texts, start=1)]
    return scan(sources, {"legacy/map.yaml": mapping} if mapping else {})


def jobs(found: LegacyScan) -> dict[str, LegacyProcess]:
    return {process.name: process for process in found.processes}


def pairs(found: LegacyScan) -> set[tuple[str, str]]:
    """Who waits for whom, as ``expected.json`` writes it."""
    return {(f"{e.upstream_job}^{e.instance}" if e.instance else e.upstream_job, e.downstream_job) for e in found.edges}


def told(found: LegacyScan, *concerns: Concern) -> list[str]:
    """Findings as people read them, of some kinds or of all."""
    return [str(f) for f in found.coverage.findings if not concerns or f.concern in concerns]
