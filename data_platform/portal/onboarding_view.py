"""An onboarding as a value: a proposed policy with its rules, its trial, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.model.number_text import number_of
from data_platform.model.onboarding import OnboardingState

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.onboarding import Onboarding

ROWS_KEPT = 5
"""Broken rules of a day that are shown one by one."""


@dataclass(frozen=True, kw_only=True)
class RuleRow:
    """``would_reject`` is None for a rule about a whole delivery."""

    fields: str
    kind: str
    value: str
    reason: str
    would_reject: int | None


@dataclass(frozen=True, kw_only=True)
class TrialRow:
    """``broken`` are the rules that a day breaks, with their rows; ``more`` is how many others there are."""

    day: str
    result: str
    accepted: int | None
    rejected: int | None
    broken: tuple[str, ...]
    more: int


@dataclass(frozen=True, kw_only=True)
class OnboardingRow:
    """``commands`` are what to do next, in order; the text before each says who does it."""

    dataset: str
    state: OnboardingState
    source: str
    author: str
    policy_fingerprint: str
    profiled: str
    review: str
    registration: int | None
    created_at: datetime
    updated_at: datetime
    rules: tuple[RuleRow, ...]
    trial: tuple[TrialRow, ...]
    notes: tuple[str, ...]
    considered: tuple[str, ...]
    next_steps: tuple[tuple[str, str], ...]


def onboarding_row(entry: Onboarding) -> OnboardingRow:
    document = entry.document
    deliveries = number_of(document.get("deliveries", 0), "delivery", "deliveries")
    return OnboardingRow(
        dataset=entry.dataset_urn,
        state=entry.state,
        source=entry.source,
        author=entry.author,
        policy_fingerprint=entry.policy_fingerprint,
        profiled=f"{document.get('rows', 0):,} rows and {document.get('columns', 0)} columns in {deliveries}",
        review=entry.review,
        registration=entry.registration,
        created_at=entry.created_at,
        updated_at=entry.updated_at,
        rules=tuple(_rule(rule) for rule in document.get("rules", ())),
        trial=tuple(_trial(day) for day in document.get("trial", ())),
        notes=(*document.get("problems", ()), *document.get("notes", ())),
        considered=tuple(document.get("considered", ())),
        next_steps=_next_steps(entry),
    )


def _rule(rule: dict[str, Any]) -> RuleRow:
    return RuleRow(
        fields=", ".join(rule["fields"]),
        kind=rule["kind"],
        value=_text(rule),
        reason=rule["reason"],
        would_reject=rule["would_reject"],
    )


def _text(rule: dict[str, Any]) -> str:
    """What the rule asks; empty if its columns say it."""
    value = rule["value"]
    if rule["kind"] in ("required", "key", "profile"):
        return ""
    if isinstance(value, dict):
        return f"{value['pattern']}: {value['action']}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _trial(day: dict[str, Any]) -> TrialRow:
    broken = [
        f"{rule['rule']}: {number_of(rule['rows'], 'row')}" if rule["rows"] else f"{rule['rule']} ({rule['severity']})"
        for rule in day["rules"]
    ]
    return TrialRow(
        day=day["day"],
        result="certified" if day["certified"] else f"held at {day['held_at']}",
        accepted=day["accepted"],
        rejected=day["rejected"],
        broken=(day["error"],) if day.get("error") else tuple(broken[:ROWS_KEPT]),
        more=max(0, len(broken) - ROWS_KEPT),
    )


def _next_steps(entry: Onboarding) -> tuple[tuple[str, str], ...]:
    team = entry.document.get("team", "TEAM")
    again = f"data-platform onboard {entry.source} --as {entry.dataset_urn} --team {team}"
    if entry.state in (OnboardingState.PROPOSED, OnboardingState.TRIED):
        return (("Read and edit the proposed files, and submit them:", again),)
    if entry.state is OnboardingState.REJECTED:
        return (("Edit the proposed files, and submit them again:", again),)
    run = f"data-platform run --select {entry.dataset_urn.removeprefix('ds://')}"
    is_branch = entry.review.startswith("git branch")
    bring = f"Merge the {entry.review}" if is_branch else f"Copy the {entry.review} into the policies folder"
    merged = (f"{bring}; then the first run certifies it:", run)
    if entry.state is OnboardingState.PENDING:
        return (
            (f"Somebody other than {entry.author} approves it:", f"data-platform catalog approve {entry.registration}"),
            merged,
        )
    return (merged,)
