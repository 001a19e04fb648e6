"""Writes the cases as JSON lines, so that another tool can be tried with them.

``graphs.jsonl`` has a line for each dataset of an estate, ``events.jsonl`` what was recorded of runs, deployments and
markers, ``evidence.jsonl`` the judged stages, ``truth.jsonl`` what went wrong. Give a tool the first three.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from data_platform.faultlab.estate import Estate, draw_estate
from data_platform.faultlab.fault import FAULTS
from data_platform.faultlab.story import history
from data_platform.faultlab.trial import Case, draw_case

NAMES = ("graphs", "events", "evidence", "truth")


def write_cases(numbers: Iterable[int], size: int, folder: Path) -> dict[str, int]:
    """Returns the number of lines of each file."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: (folder / f"{name}.jsonl").open("w", encoding="utf-8") for name in NAMES}
    counts = dict.fromkeys(NAMES, 0)

    def write(name: str, document: dict[str, Any]) -> None:
        _write(files[name], document)
        counts[name] += 1

    for number in numbers:
        estate = draw_estate(number, size)
        _write_estate(write, estate)
        for fault in FAULTS:
            for daemon in (True, False):
                _write_case(write, draw_case(estate, fault, daemon=daemon))
    for file in files.values():
        file.close()
    return counts


def _write(file: TextIO, document: dict[str, Any]) -> None:
    file.write(json.dumps(document, ensure_ascii=False) + "\n")


def _write_estate(write: Any, estate: Estate) -> None:
    own = {"estate": estate.number, "zone": estate.zone, "day": estate.day}
    for node in estate.nodes:
        write("graphs", {**own, **asdict(node)})
    for record in history(estate):
        write("evidence" if record["kind"] == "stage" else "events", {"estate": estate.number, **record})


def _write_case(write: Any, case: Case) -> None:
    own = {"case": case.name, "estate": case.estate.number}
    for record in case.records:
        write("evidence" if record["kind"] == "stage" else "events", {**own, **record})
    write("truth", {**own, **case.truth.document(), "looks": [at.isoformat() for at in case.looks]})
