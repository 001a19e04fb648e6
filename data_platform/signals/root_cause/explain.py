"""Concludes the root cause of an incident from facts alone: the same facts give the same answer, in any order.

Candidates are ranked: what the dataset itself shows (SEEN) before a change that lineage leads to (LINKED); then the
dataset further upstream; then the kind that stands first in ``CauseKind``; then what happened earlier. What is only
POSSIBLE is listed, and is never the cause: without evidence there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    from data_platform.signals.root_cause.origin import Subject
    from data_platform.signals.root_cause.place import Place

MOST_OTHERS, MOST_RULED_OUT = 5, 20
NO_CAUSE = "no cause in evidence"
_KINDS = list(CauseKind)
_STRENGTHS = list(Strength)


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """``findings`` are those of the slice where the fault was found, ``places`` where its cause was looked for."""

    findings: tuple[Finding, ...]
    places: tuple[Place, ...]
    candidates: tuple[Candidate, ...]
    ruled_out: tuple[RuledOut, ...]

    @property
    def cause(self) -> Candidate | None:
        """The best candidate, if there is evidence enough for it."""
        first = next(iter(self.candidates), None)
        return first if first is not None and first.strength in _enough(self.findings) else None


def conclude(records: Records, findings: Iterable[Finding], subject: Subject) -> Conclusion:
    roots = root_findings(records, findings, subject)
    origin = find_origin(records, subject, roots)
    places = places_upstream(records, origin)
    case = Case(records=records, origin=origin, at=time_of(roots, subject))
    candidates, ruled_out = _by_rules(case, places)
    return Conclusion(findings=roots, places=places, candidates=tuple(candidates), ruled_out=tuple(ruled_out))


def explain(facts: CauseFacts, incident: Incident) -> RootCause:
    """The cause that the facts show, or None, with the evidence and what was ruled out."""
    found = conclude(Records(facts), facts.findings, incident)
    cause = found.cause
    others = found.candidates if cause is None else found.candidates[1:]
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
        evidence=evidence_chain(incident, found.findings, found.places, cause),
        others=others[:MOST_OTHERS],
        ruled_out=found.ruled_out[:MOST_RULED_OUT],
        ruled_out_total=len(found.ruled_out),
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
