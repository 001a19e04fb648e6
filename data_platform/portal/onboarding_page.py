"""The page of one onboarding as a value: how far it is, its proposed files, and what the caller may do with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.model.onboarding import OnboardingState
from data_platform.portal.onboarding_list import WORDS, state_of
from data_platform.review.progress import Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.onboarding import Onboarding
    from data_platform.portal.onboarding_view import OnboardingRow
    from data_platform.review.progress import Progress

STEPS = ("Register", "Profile", "Try", "Submit", "Approve", "First run")
_OPEN = (OnboardingState.PROPOSED, OnboardingState.TRIED, OnboardingState.REJECTED)
_TRYING = "trying the last days"
_STEP_OF = {
    OnboardingState.PROPOSED: 2,
    OnboardingState.TRIED: 3,
    OnboardingState.REJECTED: 3,
    OnboardingState.PENDING: 4,
    OnboardingState.APPROVED: 5,
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """``state`` is ``done``, ``now`` or ``later``."""

    name: str
    state: str


@dataclass(frozen=True, kw_only=True)
class ProposedFile:
    """``field`` is the name of its field in the form."""

    name: str
    field: str
    text: str


@dataclass(frozen=True, kw_only=True)
class OnboardingPage:
    """``row`` is None before something is proposed, ``asked`` if it was onboarded elsewhere.

    ``may_work`` allows to start the work again, ``may_edit`` to edit the ``files`` of ``stamp``, and ``may_submit`` to
    submit them. ``problems`` are those of an edit that was not stored. ``version`` is what consumers see. With
    ``is_other`` the ``files`` were edited after their submission.
    """

    dataset: str
    state: str
    word: str
    steps: tuple[Step, ...]
    row: OnboardingRow | None = None
    asked: dict[str, Any] | None = None
    progress: Progress | None = None
    files: tuple[ProposedFile, ...] = ()
    stamp: str = ""
    may_work: bool = False
    may_edit: bool = False
    may_submit: bool = False
    problems: tuple[str, ...] = ()
    version: int | None = None
    is_other: bool = False


def onboarding_page(
    urn: str,
    *,
    entry: Onboarding | None,
    row: OnboardingRow | None,
    asked: Mapping[str, Any] | None,
    progress: Progress | None,
    files: tuple[ProposedFile, ...],
    stamp: str,
    is_tried: bool,
    may_act: bool,
    version: int | None,
    is_other: bool = False,
    problems: tuple[str, ...] = (),
) -> OnboardingPage:
    state = state_of(entry, progress)
    is_running = progress is not None and progress.phase is Phase.RUNNING
    is_open = entry is None or entry.state in _OPEN
    may_work = may_act and not is_running and is_open and asked is not None
    return OnboardingPage(
        dataset=urn,
        state=state,
        word=WORDS.get(state, state),
        steps=_steps(entry, progress, version),
        row=row,
        asked=dict(asked) if asked else None,
        progress=progress,
        files=files,
        stamp=stamp,
        may_work=may_work,
        may_edit=may_work and entry is not None and bool(files),
        may_submit=may_work and entry is not None and bool(files) and is_tried,
        problems=problems,
        version=version,
        is_other=is_other,
    )


def _steps(entry: Onboarding | None, progress: Progress | None, version: int | None) -> tuple[Step, ...]:
    at = _STEP_OF[entry.state] if entry else 1
    if progress is not None and progress.phase is not Phase.DONE:
        at = 2 if progress.what == _TRYING else min(at, 2) if entry else 1
    if version is not None and entry is not None and entry.state is OnboardingState.APPROVED:
        at = len(STEPS)
    states = ("done" if place < at else "now" if place == at else "later" for place in range(len(STEPS)))
    return tuple(Step(name=name, state=state) for name, state in zip(STEPS, states, strict=True))
