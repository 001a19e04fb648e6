"""A gate's contribution to a stage: columns for its one write, and a verdict on the result."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.errors import DataPlatformError
from data_platform.gates.released import release
from data_platform.model.verdict import Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.model.verdict import Gate, Severity

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The result of the one write.

    ``measures`` are the aggregates that the gate asked for, by its own names. ``broken`` counts the rejected rows by
    signature. ``written`` are exactly the rows of this partition at the judged version.
    """

    read: int
    accepted: int
    rejected: int
    measures: Mapping[Hashable, Any]
    broken: Mapping[str, int]
    written: DataFrame


class GatePlan:
    """One gate's plan for one batch. A gate overrides what it needs.

    ``early`` is the verdict of a gate that needs no row. If it has not passed, the batch is held before it is written.
    ``rejects`` map signatures to never-NULL booleans that are true for a row to reject, ``flags`` for a row that breaks
    a rule and is kept. ``details`` are the last parts of the signatures of a rejected row.
    """

    gate: Gate
    early: Verdict | None = None

    @property
    def rejects(self) -> Mapping[str, Column]:
        return {}

    @property
    def flags(self) -> Mapping[str, Column]:
        return {}

    @property
    def details(self) -> Mapping[str, Column]:
        return {}

    @property
    def severities(self) -> Mapping[str, Severity]:
        """The severity of each signature of ``rejects`` and ``flags``."""
        return {}

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        """Aggregates over all rows that were read, by the gate's own names; ``kept`` is true for rows to accept."""
        del kept
        return {}

    def judge(self, measured: Measured) -> Verdict:
        """The verdict on the written rows; for a gate that needs none, its early one."""
        del measured
        assert self.early is not None, "a gate judges early or overrides this"  # noqa: S101
        return self.early


class JudgedEarly(GatePlan):
    """A gate whose verdict is there before its stage is planned."""

    def __init__(self, verdict: Verdict) -> None:
        self.gate, self.early = verdict.gate, verdict


@dataclass(frozen=True)
class GatePlans:
    """The plans of all gates of one stage. Each gate sees its own measures only.

    ``allowed`` maps rules that people let the batch break to the approved rows (``gates.released``).
    """

    plans: tuple[GatePlan, ...]
    allowed: Mapping[str, int | None] = field(default_factory=dict)

    def releasing(self, allowed: Mapping[str, int | None]) -> GatePlans:
        """The same plans, whose verdicts pass if only ``allowed`` rules are broken; it maps signatures to rows."""
        return replace(self, allowed=allowed) if allowed else self

    @property
    def early(self) -> tuple[Verdict, ...]:
        return tuple(plan.early for plan in self.plans if plan.early is not None)

    @property
    def holds_early(self) -> bool:
        return any(not verdict.passed for verdict in self.early)

    @property
    def rejects(self) -> dict[str, Column]:
        return {signature: flag for plan in self.plans for signature, flag in plan.rejects.items()}

    @property
    def flags(self) -> dict[str, Column]:
        return {signature: flag for plan in self.plans for signature, flag in plan.flags.items()}

    @property
    def details(self) -> dict[str, Column]:
        return {signature: detail for plan in self.plans for signature, detail in plan.details.items()}

    @property
    def severities(self) -> dict[str, Severity]:
        return {signature: severity for plan in self.plans for signature, severity in plan.severities.items()}

    def measures(self, kept: Column) -> dict[Hashable, Column]:
        return {(plan.gate, name): column for plan in self.plans for name, column in plan.measures(kept).items()}

    def judge(self, measured: Measured) -> tuple[Verdict, ...]:
        """The verdict of each gate; ``measured`` has the measures of all of them, by their names in ``measures``.

        A gate whose code raises has errored, which holds the batch. Errors of Spark and of the platform are raised.
        """
        return tuple(release(_judged(plan, _own(measured, plan.gate)), self.allowed) for plan in self.plans)

    def of(self, gate: Gate) -> GatePlan:
        return next(plan for plan in self.plans if plan.gate is gate)


def _judged(plan: GatePlan, measured: Measured) -> Verdict:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return plan.judge(measured)
    except (DataPlatformError, PySparkException, Py4JError):
        raise
    except Exception as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        place = f"{Path(last.filename).name}:{last.lineno}"  # the error's own text may quote a value
        reason = f"{plan.gate} raised {type(error).__name__} at {place}: the gate has a defect, and a rerun cannot help"
        LOG.error("%s", reason)
        result = RuleResult.errored(f"GATE_RAISED:{plan.gate}", reason)
        return Verdict(gate=plan.gate, outcome=Outcome.ERRORED, results=(result,), reason=reason)


def _own(measured: Measured, gate: Gate) -> Measured:
    own = {name[1]: value for name, value in measured.measures.items() if isinstance(name, tuple) and name[0] is gate}
    return replace(measured, measures=own)
