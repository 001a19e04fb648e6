"""Causes that are changes between the last good attempt and the first bad one: deployments, policies, columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.root_cause import CauseKind, Strength
from data_platform.signals.root_cause.case import candidate, excluded, minute
from data_platform.signals.root_cause.symptom import Symptom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.deployment import Deployment
    from data_platform.model.root_cause import Candidate, RuledOut
    from data_platform.signals.root_cause.attempt import Attempt
    from data_platform.signals.root_cause.case import Case
    from data_platform.signals.root_cause.place import Place

BY_CODE = frozenset({
    Symptom.CRASHED, Symptom.SLOW, Symptom.PARTIAL, Symptom.SCHEMA, Symptom.VALUE, Symptom.PERSONAL, Symptom.ROWS,
    Symptom.COUNT, Symptom.DUPLICATE, Symptom.ERROR,
})  # fmt: skip
BY_POLICY = frozenset({
    Symptom.SCHEMA, Symptom.VALUE, Symptom.PERSONAL, Symptom.ROWS, Symptom.COUNT, Symptom.DUPLICATE, Symptom.ERROR,
    Symptom.IDENTITY, Symptom.INCOMPLETE,
})  # fmt: skip
BY_COLUMNS = frozenset({Symptom.SCHEMA, Symptom.ROWS, Symptom.VALUE, Symptom.COUNT, Symptom.CRASHED, Symptom.ERROR})


def find_deployments(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    """Deployments of the code that makes the place, after its last good attempt began and before the bad one did."""
    makers = case.records.facts.makers.get(place.dataset, frozenset())
    found = [one for one in set(case.records.facts.deployments) if one.concerns(place.dataset, makers)]
    refs = {one.deploy_ref for one in found}
    for one in sorted(found, key=lambda one: (one.at, one.deploy_ref, one.target)):
        yield _judged(case, place, one)
    bad = place.bad
    before = case.records.code_before(bad) if bad is not None and bad.deploy_ref else ""
    if bad is not None and before and before != bad.deploy_ref and bad.deploy_ref not in refs:
        reason = f"{bad.process or place.dataset} ran as {bad.deploy_ref}, the last good run as {before}"
        strength = case.strength(place, BY_CODE)
        if strength is not None:
            yield candidate(CauseKind.DEPLOYMENT, strength, place, reason, deploy_ref=bad.deploy_ref)


def _judged(case: Case, place: Place, one: Deployment) -> Candidate | RuledOut:
    what = f"deployment {one.deploy_ref} of {one.target} at {minute(one.at)}"
    reason = _why_not_deployed(case, place, one)
    if reason:
        return excluded(CauseKind.DEPLOYMENT, place, reason, what=what)
    strength = case.strength(place, BY_CODE)
    if strength is None:
        return excluded(CauseKind.DEPLOYMENT, place, NOT_DERIVED, what=what)
    if place.good is None:
        strength = Strength.POSSIBLE
    since = f"after its last good run of {minute(place.good.started_at)}" if place.good else "before its first run"
    reason = f"{what} by {one.by}, {since} and before the first bad one"
    return candidate(CauseKind.DEPLOYMENT, strength, place, reason, at=one.at, deploy_ref=one.deploy_ref)


NOT_DERIVED = "no failing column derives from it"


def _why_not_deployed(case: Case, place: Place, one: Deployment) -> str:
    bad, good = place.bad, place.good
    if bad is None:
        return "no run has started since"
    if one.at > bad.started_at:
        return f"it came after the run had begun at {minute(bad.started_at)}"
    if good is not None and one.at <= good.started_at:
        return f"runs after it were good, the last one of {minute(good.started_at)}"
    if bad.deploy_ref and bad.deploy_ref != one.deploy_ref:
        return f"the run used {bad.deploy_ref}"
    return _unchanged_rows(case, place)


def _unchanged_rows(case: Case, place: Place) -> str:
    """For a fault in the number of rows only: a dataset upstream with its usual number is not to blame."""
    is_count = case.origin.symptoms <= {Symptom.COUNT, Symptom.INCOMPLETE}
    if is_count and place is not case.origin and place.bad and place.bad.rows and Symptom.COUNT not in place.symptoms:
        return "it has its usual number of rows"
    return ""


def find_policy_edits(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    """An edit of the policy that the gates of the failed stage read, since the last good attempt."""
    bad, good = place.bad, place.good
    if bad is None or good is None:
        return
    stage = bad.failed_stage
    before, after = dict(good.policies), dict(bad.policies)
    changed = [one for one in after if one in before and after[one] != before[one]]
    if not changed:
        return
    what = f"edit of the policy between {minute(good.started_at)} and {minute(bad.started_at)}"
    if stage is not None and stage not in changed:
        yield excluded(CauseKind.POLICY_EDIT, place, f"it changed nothing that the gates of {stage} read", what=what)
        return
    strength = case.strength(place, BY_POLICY)
    if strength is None:
        yield excluded(CauseKind.POLICY_EDIT, place, NOT_DERIVED, what=what)
        return
    judged = stage or changed[0]
    reason = f"{what}: {judged} was judged under {after[judged]}, before under {before[judged]}"
    if bad.delivery and bad.delivery == good.delivery and bad.partition == good.partition:
        reason += "; the same delivery passed before it"
    yield candidate(CauseKind.POLICY_EDIT, strength, place, reason)


def find_schema_changes(case: Case, place: Place) -> Iterator[Candidate | RuledOut]:
    """Columns that changed since the last good attempt, and from which the failing ones derive."""
    bad = place.bad
    changes = [effect for effect in place.effects if effect.symptom is Symptom.SCHEMA]
    if bad is None or not changes:
        return
    relevant = sorted(effect for effect in changes if effect in place.relevant)
    if not relevant:
        listed = ", ".join(sorted({column for effect in changes for column in effect.columns}))
        yield excluded(CauseKind.SCHEMA_CHANGE, place, NOT_DERIVED, what=f"change of {listed}")
        return
    names = ", ".join(dict.fromkeys(effect.signature or "SCHEMA" for effect in relevant))
    strength = Strength.SEEN if case.is_made_outside(place) else Strength.LINKED
    yield candidate(CauseKind.SCHEMA_CHANGE, strength, place, f"{names}, first in {_described(bad)}")


def _described(bad: Attempt) -> str:
    return f"the run of {minute(bad.started_at)}"
