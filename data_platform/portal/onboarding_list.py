"""The list of onboardings as a value: those of the catalog, and those whose profile is not done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.review.progress import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from data_platform.model.onboarding import Onboarding
    from data_platform.portal.onboarding_form import OnboardingForm
    from data_platform.review.progress import Progress

WORDS = {
    "PROPOSED": "proposed",
    "TRIED": "to be submitted",
    "PENDING": "waits for approval",
    "APPROVED": "approved",
    "REJECTED": "rejected",
}
_UNFINISHED = (Phase.RUNNING, Phase.FAILED, Phase.STOPPED)


@dataclass(frozen=True, kw_only=True)
class OnboardingLine:
    """``state`` is that of the work, while it runs or has failed, and else that of the onboarding."""

    dataset: str
    state: str
    word: str
    source: str
    team: str
    by: str
    updated_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class OnboardingList:
    """``form`` is None for those who may not register a dataset, and if this service has no place to profile one."""

    rows: tuple[OnboardingLine, ...]
    form: OnboardingForm | None = None


def onboarding_list(
    entries: Iterable[Onboarding],
    requests: Mapping[str, Mapping[str, Any]],
    progress: Mapping[str, Progress | None],
    form: OnboardingForm | None,
) -> OnboardingList:
    """The newest first. ``requests`` and ``progress`` are by dataset."""
    known = {entry.dataset_urn: _line(entry, requests.get(entry.dataset_urn), progress) for entry in entries}
    others = [_asked(asked, progress.get(urn)) for urn, asked in requests.items() if urn not in known]
    lines = sorted((*known.values(), *others), key=lambda one: one.updated_at.timestamp() if one.updated_at else 0.0)
    return OnboardingList(rows=tuple(reversed(lines)), form=form)


def state_of(entry: Onboarding | None, progress: Progress | None) -> str:
    """A state for a badge: ``running``, ``failed``, ``stopped``, or that of the onboarding."""
    if progress is not None and progress.phase in _UNFINISHED:
        return progress.phase.value
    return entry.state.value if entry else Phase.STOPPED.value


def _line(
    entry: Onboarding, asked: Mapping[str, Any] | None, progress: Mapping[str, Progress | None]
) -> OnboardingLine:
    state = state_of(entry, progress.get(entry.dataset_urn))
    return OnboardingLine(
        dataset=entry.dataset_urn,
        state=state,
        word=WORDS.get(state, state),
        source=entry.source,
        team=str(entry.document.get("team") or (asked or {}).get("team", "")),
        by=entry.author,
        updated_at=entry.updated_at,
    )


def _asked(asked: Mapping[str, Any], progress: Progress | None) -> OnboardingLine:
    state = state_of(None, progress)
    return OnboardingLine(
        dataset=str(asked["dataset"]),
        state=state,
        word=state,
        source=str(asked["path"]),
        team=str(asked["team"]),
        by=progress.by if progress else "",
        updated_at=progress.updated_at if progress else None,
    )
