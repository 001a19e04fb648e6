"""Concludes the root cause of an incident from facts alone: the same facts give the same answer, in any order.

Candidates are ranked: what the dataset itself shows (SEEN) before a change that lineage leads to (LINKED); then the
dataset further upstream; then the kind that stands first in ``CauseKind``; then what happened earlier. What is only
POSSIBLE is listed, and is never the cause: without evidence there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.root_cause import Candidate, CauseKind, RootCause, RuledOut, Strength
from data_platform.model.signal import SignalSeverity
from data_platform.signals.root_cause.case import Case
from data_platform.signals.root_cause.chain import evidence_chain
from data_platform.signals.root_cause.origin import find_origin, root_findings, time_of
from data_platform.signals.root_cause.place import Records
from data_platform.signals.root_cause.rule import REMEDIES, RULES
from data_platform.signals.root_cause.upstream import places_upstream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.cause_fact import CauseFacts
    from data_platform.model.incident import Incident
    from data_platform.model.signal import Finding
    from data_platform.signals.root_cause.place import Place

MOST_OTHERS, MOST_RULED_OUT = 5, 20
NO_CAUSE = "no cause in evidence"
_KINDS = list(CauseKind)
_STRENGTHS = list(Strength)


def explain(facts: CauseFacts, incident: Incident) -> RootCause:
    """The cause that the facts show, or None, with the evidence and what was ruled out."""
    records = Records(facts)
    findings = root_findings(records, facts.findings, incident)
    origin = find_origin(records, incident, findings)
    case = Case(records=records, origin=origin, at=time_of(findings, incident))
    places = places_upstream(records, origin)
    candidates, ruled_out = _by_rules(case, places)
    enough = _enough(findings)
    cause = candidates[0] if candidates and candidates[0].strength in enough else None
    others = candidates[1:] if cause is not None else candidates
    summary = NO_CAUSE if cause is None else f"{cause.kind} at {cause.dataset}: {cause.reason}"
    if cause is None and facts.cut:
        summary += f"; {facts.cut} datasets further upstream were not examined"
    return RootCause(
        incident=incident.number,
        dataset=incident.dataset,
        partition=incident.partition,
        summary=summary,
        cause=cause,
        remedy=REMEDIES[cause.kind] if cause is not None else "",
        evidence=evidence_chain(incident, findings, places, cause),
        others=tuple(others[:MOST_OTHERS]),
        ruled_out=tuple(ruled_out[:MOST_RULED_OUT]),
        ruled_out_total=len(ruled_out),
    )


def _enough(findings: Iterable[Finding]) -> frozenset[Strength]:
    """A warning let the rows pass: for it alone a change upstream that shows nothing itself is not evidence enough."""
    is_warning = all(finding.severity is SignalSeverity.WARNING for finding in findings)
    return frozenset({Strength.SEEN}) if is_warning else frozenset({Strength.SEEN, Strength.LINKED})


def _by_rules(case: Case, places: Iterable[Place]) -> tuple[list[Candidate], list[RuledOut]]:
    candidates: set[Candidate] = set()
    ruled_out: dict[RuledOut, int] = {}
    for place in places:
        for rule in RULES:
            for item in rule.find(case, place):
                if isinstance(item, RuledOut):
                    ruled_out.setdefault(item, place.depth)
                elif rule.explains & case.origin.symptoms:
                    candidates.add(item)
                else:
                    symptoms = ", ".join(sorted(case.origin.symptoms)) or "this signal"
                    reason = f"it does not explain {symptoms} of {case.origin.name}"
                    ruled_out.setdefault(RuledOut(what=item.reason, dataset=item.dataset, reason=reason), place.depth)
    ordered = sorted(ruled_out, key=lambda one: (ruled_out[one], one.dataset, one.what, one.reason))
    return sorted(candidates, key=_rank), ordered


def _rank(one: Candidate) -> tuple[int, int, int, str, str, str, str]:
    at = "" if one.at is None else one.at.isoformat()
    return (
        _STRENGTHS.index(one.strength), -one.depth, _KINDS.index(one.kind), at, one.dataset, one.reason,
        one.deploy_ref or "",
    )  # fmt: skip
