"""The page of one onboarding and its forms: start again, edit the proposed files, submit them for approval."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Path, Request
from starlette.responses import Response

from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.api.team import actor_of, refuse_foreign
from data_platform.errors import PolicyError
from data_platform.model.onboarding import OnboardingState
from data_platform.policies import Dataset
from data_platform.portal.access import page_router
from data_platform.portal.link import onboarding_link
from data_platform.portal.onboarding_process import OnboardingDesk
from data_platform.portal.onboarding_reader import EDITED, desk_of, read_onboarding, team_of
from data_platform.portal.portal import portal_of
from data_platform.portal.render import see_other, show
from data_platform.review.edit import store_edit
from data_platform.review.folder import REQUEST, OnboardingFolder
from data_platform.review.progress import is_running
from data_platform.review.submission import is_tried, submit

router = page_router()

Reference = Annotated[str, Path(min_length=1, max_length=4_100)]


@router.get("/onboarding/{reference:path}")
def onboarding_page(request: Request, reference: Reference) -> Response:
    """How far it is; its rules with reasons, its trial, its files, and what to do next."""
    return show(request, "onboarding.html", read_onboarding(request, reference))


@router.post("/onboarding/{reference:path}/run")
def run(request: Request, reference: Reference) -> Response:
    """Profiles and tries what is not done yet; with the field ``restart`` everything, and edits are forgotten."""
    desk, folder = _may_change(request, reference)
    _refuse_submitted(request, reference)
    asked = folder.read(REQUEST)
    if asked is None:
        raise ProblemError(409, "no-request", f"nobody has registered {reference} here: start it from the command line")
    desk.start(asked, by=request.state.caller.name, restart=bool(request.state.form.get("restart")))
    return see_other(onboarding_link(reference))


@router.post("/onboarding/{reference:path}/edit")
def edit(request: Request, reference: Reference) -> Response:
    """Stores edited files. Wrong ones are shown again with what is wrong, and nothing is stored."""
    _, folder = _may_change(request, reference)
    _refuse_submitted(request, reference)
    _refuse_running(folder)
    fields = request.state.form
    texts = {name: fields[field].replace("\r\n", "\n") for name, field in EDITED.items() if field in fields}
    try:
        edited = store_edit(folder, texts, stamp=fields.get("stamp", ""), check=_team_check(request, reference))
    except PolicyError as error:
        given = {EDITED[name]: text for name, text in texts.items()}
        view = read_onboarding(request, reference, given=given, problems=tuple(error.problems))
        return show(request, "onboarding.html", view, status=422)
    return see_other(onboarding_link(reference) + ("#submit" if edited else ""))


@router.post("/onboarding/{reference:path}/submit")
def submit_policy(request: Request, reference: Reference) -> Response:
    """Commits the files that the page has shown to a branch, and requests their approval by somebody else."""
    desk, folder = _may_change(request, reference)
    _refuse_running(folder)
    if not is_tried(folder):
        detail = "the last days were not tried with the files as they are now: try them first"
        raise ProblemError(409, "not-tried", detail)
    service = service_of(request)
    places = {"policies": desk.policies, "home": desk.home}
    stamp = request.state.form.get("stamp", "")
    submit(service.catalog, folder, **places, by=actor_of(request.state.caller), now=service.now(), stamp=stamp)
    portal_of(request).overviews.forget()
    return see_other(onboarding_link(reference))


def _may_change(request: Request, urn: str) -> tuple[OnboardingDesk, OnboardingFolder]:
    """Raises: ProblemError, NotFoundError: 403 for a dataset of another team, or nobody has onboarded it."""
    desk = desk_of(request)
    read_onboarding(request, urn)
    folder = desk.folder(urn)
    refuse_foreign(service_of(request).catalog, request.state.caller, urn, team_of(folder.read(REQUEST)))
    return desk, folder


def _refuse_running(folder: OnboardingFolder) -> None:
    """Raises: ProblemError, 409."""
    if is_running(folder):
        raise ProblemError(409, "busy", f"{folder.id.urn} is being profiled: wait until that has ended")


def _refuse_submitted(request: Request, urn: str) -> None:
    """Raises: ProblemError, 409, somebody may be reading the files to approve them."""
    entry = service_of(request).catalog.onboardings.find(urn)
    if entry is not None and entry.state in (OnboardingState.PENDING, OnboardingState.APPROVED):
        detail = (
            f"the policy of {urn} was submitted: edit the files of its branch, and request the approval of the edit "
            "with `data-platform policy submit`; or have the request rejected first"
        )
        raise ProblemError(409, "submitted", detail)


def _team_check(request: Request, urn: str) -> Callable[[Dataset], None]:
    """Refuses an edit that gives the dataset to a team for which the caller may not act."""

    def check(dataset: Dataset) -> None:
        refuse_foreign(service_of(request).catalog, request.state.caller, urn, dataset.policy.owner_team)

    return check
