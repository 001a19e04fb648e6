"""Reads an onboarding from the catalog and from its folder, for its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.errors import NotFoundError, PolicyError
from data_platform.model.dataset import DatasetId
from data_platform.model.onboarding import OnboardingState
from data_platform.policies.approval import approval_fingerprint
from data_platform.portal.onboarding_page import OnboardingPage, ProposedFile, onboarding_page
from data_platform.portal.onboarding_view import onboarding_row
from data_platform.portal.portal import portal_of
from data_platform.portal.team import may_act
from data_platform.review.folder import REQUEST, digest_of
from data_platform.review.progress import read_progress
from data_platform.review.submission import is_tried, proposed_dataset

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request

    from data_platform.model.onboarding import Onboarding
    from data_platform.portal.onboarding_process import OnboardingDesk
    from data_platform.review.folder import OnboardingFolder
    from data_platform.review.progress import Progress

EDITED = {"dataset.yaml": "dataset", "policy_bundle.yaml": "bundle"}
"""The files that people edit, and their fields in the form."""


def desk_of(request: Request) -> OnboardingDesk:
    """Raises: ProblemError, 503, this service has no home folder."""
    desk = portal_of(request).onboarding
    if desk is None:
        detail = (
            "this service has no home folder to profile in: use `data-platform onboard` where the landing folder is"
        )
        raise ProblemError(503, "no-home", detail)
    return desk


def unfinished(desk: OnboardingDesk | None, urns: Iterable[str]) -> dict[str, Progress | None]:
    """How far the work on each dataset is."""
    return {urn: read_progress(desk.folder(urn)) for urn in urns} if desk else {}


def read_onboarding(
    request: Request, urn: str, *, given: dict[str, str] | None = None, problems: tuple[str, ...] = ()
) -> OnboardingPage:
    """``given`` are texts of files that were not stored because of their ``problems``.

    Raises:
        NotFoundError: Nobody has onboarded the dataset.
    """
    catalog, desk = service_of(request).catalog, portal_of(request).onboarding
    entry = catalog.onboardings.find(urn)
    folder = desk.folder(urn) if desk and _is_name(urn) else None
    asked = folder.read(REQUEST) if folder else None
    if entry is None and asked is None:
        raise NotFoundError(f"nobody has onboarded {urn[:200]}")
    texts = _texts(folder)
    pointer = catalog.certifications.get(urn)
    return onboarding_page(
        urn,
        entry=entry,
        row=onboarding_row(entry) if entry else None,
        asked=asked,
        progress=read_progress(folder) if folder else None,
        files=tuple(
            ProposedFile(name=name, field=field, text=(given or {}).get(field) or _text(texts, name))
            for name, field in EDITED.items()
            if texts
        ),
        stamp=digest_of(texts),
        is_tried=bool(folder and texts) and not problems and is_tried(folder),  # type: ignore[arg-type]
        may_act=may_act(request, "POST /onboarding/{reference}/run", urn, team_of(asked)),
        version=pointer.version if pointer else None,
        is_other=bool(folder and texts and entry and _is_other(folder, entry)),
        problems=problems,
    )


def _is_other(folder: OnboardingFolder, entry: Onboarding) -> bool:
    """Whether the files are not the submitted ones any more."""
    if entry.state not in (OnboardingState.PENDING, OnboardingState.APPROVED):
        return False
    try:
        return approval_fingerprint(proposed_dataset(folder)) != entry.policy_fingerprint
    except PolicyError:
        return True


def team_of(asked: dict[str, Any] | None) -> str | None:
    return str(asked["team"]) if asked else None


def _is_name(urn: str) -> bool:
    try:
        DatasetId.parse(urn)
    except ValueError:
        return False
    return True


def _texts(folder: OnboardingFolder | None) -> dict[str, str]:
    """The proposed files; none while they are not all there."""
    try:
        return folder.texts() if folder else {}
    except FileNotFoundError:
        return {}


def _text(texts: dict[str, str], name: str) -> str:
    return next(text for place, text in texts.items() if place.endswith(f"/{name}"))
