"""One look: what is true now, compared with what the catalog has, in one transaction.

Any number of processes may look at any time. A look that another one overtook is repeated with fresh findings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.model.signal import SignalSeverity
from data_platform.signals.common_cause import join_by_cause
from data_platform.signals.description import describe
from data_platform.signals.detector import detect
from data_platform.signals.fold import fold
from data_platform.signals.progress import with_upstream
from data_platform.signals.relation import downstream_of, find_relations
from data_platform.signals.situation import Situation

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.incident_event import IncidentEvent
    from data_platform.model.signal import Finding, Key
    from data_platform.policies import Policies

ATTEMPTS = 5


def look(
    policies: Policies, catalog: Catalog, now: datetime, *, only: Collection[str] | None = None
) -> tuple[IncidentEvent, ...]:
    """Brings signals and incidents to what is true at ``now``; returns the changes of incidents.

    ``only`` limits the look to some datasets and those downstream of them; the signals of all others stay as they are.
    Nothing, if other looks and people changed incidents each time that this one had finished: then theirs are newer.
    """
    for _ in range(ATTEMPTS):
        if (events := _attempt(policies, catalog, now, only)) is not None:
            return events
    return ()


def _attempt(
    policies: Policies, catalog: Catalog, now: datetime, only: Collection[str] | None
) -> tuple[IncidentEvent, ...] | None:
    revision = catalog.incidents.revision()
    situation = Situation(policies, catalog, now, catalog.signals.active())
    findings = detect(situation) if only is None else _detect_some(situation, only)
    if not findings and not situation.active:
        return ()  # no write transaction, which would keep others waiting
    silenced = _silenced(catalog, findings)
    loud = [finding for finding in findings if finding.key not in silenced]
    known_roots = {(one.dataset, one.partition) for one in catalog.incidents.active()}
    folded = join_by_cause(situation, fold(loud, find_relations(policies, catalog, loud)))
    groups = [describe(situation, group, known_roots) for group in folded]
    return catalog.incidents.reconcile(findings, groups, silenced=silenced, revision=revision, now=now)


def _detect_some(situation: Situation, urns: Collection[str]) -> tuple[Finding, ...]:
    """Findings of some datasets and of those downstream of them, and of the others what the last look found."""
    policies = situation.policies
    scope = {*urns, *(name for urn in urns for name, _ in downstream_of(policies, urn))}
    declared = [dataset for dataset in policies.datasets if dataset.urn in scope]
    needed = with_upstream(policies, declared)
    part = replace(policies, datasets=tuple(dataset for dataset in policies.datasets if dataset.urn in needed))
    found = detect(replace(situation, policies=part))
    others = [signal.finding for signal in situation.active if signal.finding.dataset not in scope]
    return (*(finding for finding in found if finding.dataset in scope), *others)


def _silenced(catalog: Catalog, findings: Sequence[Finding]) -> dict[Key, int]:
    """The findings that people accepted, and those that wait for an accepted one, each with the resolved incident."""
    accepted = catalog.signals.silenced(finding.key for finding in findings)
    late = {
        (finding.dataset, str(finding.partition or "")): accepted[finding.key]
        for finding in findings
        if finding.key in accepted and finding.severity is SignalSeverity.CRITICAL
    }
    waiting = {
        finding.key: late[cause]
        for finding in findings
        if finding.upstream and (cause := (finding.upstream[-1], str(finding.partition or ""))) in late
    }
    return waiting | accepted
