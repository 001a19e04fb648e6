"""What a failed gate does to its stage: the enforcement mode of a dataset in one environment.

VISIBILITY and WARN never hold a stage; SOFT_FAIL holds it everywhere but in production, where the run only fails;
HARD_FAIL always holds it. A stage that is not held is written although a gate failed. Its verdicts stay failed, and the
certified view does not advance to it in any mode (``RunRow.qualifies``).

Some failures hold in every mode: an errored or skipped gate, since nobody knows what it would have found, and G5_PII,
since no raw personal value may stay in silver or gold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.stage_gate import gates_of, outcome_of
from data_platform.model.verdict import Gate, Outcome, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.model.dataset import Stage
    from data_platform.model.verdict import Verdict

PRODUCTION = "production"
"""The environment in which SOFT_FAIL does not hold. Any other name is one in which it does."""

HOLDS_ALWAYS = frozenset({Gate.G5_PII})


class Mode(StrEnum):
    """The four modes, the weakest first."""

    VISIBILITY = "VISIBILITY"
    WARN = "WARN"
    SOFT_FAIL = "SOFT_FAIL"
    HARD_FAIL = "HARD_FAIL"

    def is_weaker_than(self, other: Mode) -> bool:
        return list(Mode).index(self) < list(Mode).index(other)


@dataclass(frozen=True)
class Enforcement:
    """The mode that applies to a dataset in ``environment``; the default is the safe one."""

    mode: Mode = Mode.HARD_FAIL
    environment: str = PRODUCTION

    @property
    def blocks(self) -> bool:
        """Whether a failed gate holds its stage."""
        if self.mode is Mode.SOFT_FAIL:
            return self.environment != PRODUCTION
        return self.mode is Mode.HARD_FAIL

    @property
    def fails_run(self) -> bool:
        """Whether a run whose version was not certified ends as failed, so that alerts on failed runs report it."""
        return self.mode in (Mode.SOFT_FAIL, Mode.HARD_FAIL)


def holds(verdicts: Sequence[Verdict], stage: Stage, *, derived: bool, enforcement: Enforcement) -> bool:
    """Whether ``verdicts``, which are all of the stage, hold it under ``enforcement``."""
    if outcome_of(verdicts, stage, derived=derived).qualifies:
        return False
    is_complete = Counter(verdict.gate for verdict in verdicts) == Counter(gates_of(stage, derived=derived))
    return not is_complete or holds_early(verdicts, enforcement)


def holds_early(verdicts: Iterable[Verdict], enforcement: Enforcement) -> bool:
    """Whether any of ``verdicts`` holds the stage, before the other gates have judged."""
    failing = [verdict for verdict in verdicts if not verdict.outcome.qualifies]
    return bool(failing) and (enforcement.blocks or any(_holds_in_every_mode(verdict) for verdict in failing))


def _holds_in_every_mode(verdict: Verdict) -> bool:
    errored = (r for r in verdict.results if r.outcome is Outcome.ERRORED and r.severity is not Severity.WARN)
    return verdict.outcome is not Outcome.FAILED or verdict.gate in HOLDS_ALWAYS or any(errored)
