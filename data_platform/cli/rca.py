"""``data-platform rca``: the root cause of an incident, with its evidence. It reads only the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.root_cause import Candidate, EvidenceStep, RootCause


def rca(
    incident: Annotated[int, typer.Argument(metavar="INCIDENT", help="The incident's number.")],
    *,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Explain an incident: its root cause, the chain of evidence, what else may be, what was ruled out, what to do.

    Fixed rules over what the catalog has; without evidence the answer is that there is none.

    Examples:

    data-platform rca 17

    data-platform rca 17 --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.signals.root_cause.gather import explain_incident

        result = explain_incident(platform.catalog, incident, now=platform.now())
        if as_json:
            screen.print_json(result)
            return
        for line in root_cause_lines(result):
            screen.out().print(screen.visible(line), markup=False, soft_wrap=True)


def print_root_cause(result: RootCause) -> None:
    """The cause and what to do in short; the command ``rca`` has the evidence."""
    screen.out().print(f"root cause: {screen.visible(result.summary)}", markup=False, soft_wrap=True)
    if result.remedy:
        screen.out().print(f"what to do: {result.remedy}", markup=False, soft_wrap=True)
    screen.out().print(f"evidence: data-platform rca {result.incident}", markup=False, soft_wrap=True)


def root_cause_lines(result: RootCause) -> Iterator[str]:
    subject = f"{result.dataset} {result.partition}" if result.partition else result.dataset
    yield f"incident {result.incident} of {subject}: {result.summary}"
    if result.remedy:
        yield f"  what to do: {result.remedy}"
    yield "  evidence"
    for step in result.evidence:
        yield f"    {_step(step)}"
    if result.others:
        yield "  other candidates" if result.cause else "  possible, and not proven"
        for one in result.others:
            yield f"    {_candidate(one)}"
    if result.ruled_out:
        yield "  ruled out"
        for excluded in result.ruled_out:
            yield f"    {excluded.what} at {excluded.dataset}: {excluded.reason}"
        if result.ruled_out_total > len(result.ruled_out):
            yield f"    and {result.ruled_out_total - len(result.ruled_out)} more"


def _step(step: EvidenceStep) -> str:
    at = f"{step.at:%Y-%m-%d %H:%M} UTC  " if step.at else ""
    return f"{at}{step.kind.value.lower().replace('_', ' ')} {step.name}: {step.text}"


def _candidate(one: Candidate) -> str:
    return f"{one.kind} at {one.dataset} ({one.strength}): {one.reason}"
