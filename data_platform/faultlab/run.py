"""Runs the lab: each fault on each estate, with the daemon up and down."""

from collections.abc import Callable, Iterable
from pathlib import Path

from data_platform.catalog.unsynced import without_fsync
from data_platform.faultlab.fault import FAULTS
from data_platform.faultlab.score import Score, score
from data_platform.faultlab.trial import Bench, draw_case
from data_platform.model.number_text import number_of


def run_lab(
    numbers: Iterable[int],
    size: int,
    folder: Path,
    *,
    only: str | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Score:
    """``report`` gets a line after each estate."""
    truths, answers = {}, []
    with without_fsync():
        for number in numbers:
            bench = Bench(number, size, folder)
            for fault in FAULTS:
                for daemon in (True, False):
                    if only in (None, fault.__name__):
                        case = draw_case(bench.estate, fault, daemon=daemon)
                        truths[case.name] = case.truth.document()
                        answers.append(bench.answer(case))
            report(f"estate {number}: {number_of(len(answers), 'case')}")
    return score(truths, answers)
