"""Verdicts of recorded runs, with one result for each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from data_platform.catalog.table import RULE_RESULT, VERDICT
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection, Row


def add_verdicts(connection: Connection, verdicts: Mapping[int, Sequence[Verdict]]) -> None:
    """``verdicts`` maps runs to theirs, by the key of their row in the table ``run``, not by a run id."""
    rows = [row for run, own in verdicts.items() for row in _verdict_rows(run, own)]
    results = [row for run, own in verdicts.items() for row in _result_rows(run, own)]
    if rows:
        connection.execute(insert(VERDICT), rows)
    if results:
        connection.execute(insert(RULE_RESULT), results)


def _verdict_rows(run: int, verdicts: Sequence[Verdict]) -> Iterator[dict[str, Any]]:
    for position, verdict in enumerate(verdicts):
        yield {
            "run": run,
            "position": position,
            "gate": verdict.gate.value,
            "outcome": verdict.outcome.value,
            "compliance": verdict.compliance,
            "reason": verdict.reason,
            "metadata": dict(verdict.metadata),
        }


def _result_rows(run: int, verdicts: Sequence[Verdict]) -> Iterator[dict[str, Any]]:
    for verdict_position, verdict in enumerate(verdicts):
        for position, result in enumerate(verdict.results):
            yield {
                "run": run,
                "verdict": verdict_position,
                "position": position,
                "rule": result.rule,
                "signature": result.signature,
                "outcome": result.outcome.value,
                "severity": result.severity.value,
                "row_count": result.rows,
                "reason": result.reason,
            }


def find_verdicts(connection: Connection, run: int) -> tuple[Verdict, ...]:
    results: dict[int, list[RuleResult]] = {}
    query = select(RULE_RESULT).where(RULE_RESULT.c.run == run)
    for row in connection.execute(query.order_by(RULE_RESULT.c.verdict, RULE_RESULT.c.position)):
        results.setdefault(row.verdict, []).append(_result(row))
    rows = connection.execute(select(VERDICT).where(VERDICT.c.run == run).order_by(VERDICT.c.position))
    return tuple(
        Verdict(
            gate=Gate.named(row.gate),
            outcome=Outcome(row.outcome),
            results=tuple(results.get(row.position, ())),
            compliance=row.compliance,
            reason=row.reason,
            metadata=row.metadata,
        )
        for row in rows
    )


def _result(row: Row[Any]) -> RuleResult:
    return RuleResult(
        rule=row.rule,
        signature=row.signature,
        outcome=Outcome(row.outcome),
        severity=Severity(row.severity),
        rows=row.row_count,
        reason=row.reason,
    )


def find_outcomes(connection: Connection, runs: Iterable[int]) -> dict[int, dict[str, Outcome]]:
    """Maps each run to its outcomes by gate; if a gate has two verdicts, the worse one counts."""
    query = select(VERDICT.c.run, VERDICT.c.gate, VERDICT.c.outcome).where(VERDICT.c.run.in_(list(runs)))
    outcomes: dict[int, dict[str, Outcome]] = {}
    for run, gate, value in connection.execute(query.order_by(VERDICT.c.run, VERDICT.c.position)):
        gates, outcome = outcomes.setdefault(run, {}), Outcome(value)
        gates[gate] = worst((outcome, gates.get(gate, outcome)))
    return outcomes
