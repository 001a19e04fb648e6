"""Onboardings: their list, and the form that registers a dataset by the path of its deliveries."""

from typing import Any

from fastapi import Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.api.team import refuse_foreign
from data_platform.portal.access import PAGES, page_router
from data_platform.portal.landing_path import landing_folders
from data_platform.portal.link import onboarding_link
from data_platform.portal.onboarding_form import OnboardingForm, read_form
from data_platform.portal.onboarding_list import OnboardingList, onboarding_list
from data_platform.portal.onboarding_process import OnboardingDesk
from data_platform.portal.onboarding_reader import desk_of, unfinished
from data_platform.portal.portal import portal_of
from data_platform.portal.render import see_other, show

router = page_router()


@router.get("/onboarding")
def onboarding_list_page(request: Request) -> Response:
    """The newest first, and the form."""
    return show(request, "onboarding_list.html", _list(request, {"time_zone": "UTC", "tier": "TIER_3"}, {}))


@router.post("/onboarding")
def register(request: Request) -> Response:
    """Starts to profile the deliveries of a new dataset, and opens its page; wrong fields are shown in the form."""
    desk, caller = desk_of(request), request.state.caller
    fields = request.state.form
    asked, problems = read_form(fields, desk.landing)
    if not problems:
        refuse_foreign(service_of(request).catalog, caller, asked["dataset"], asked["team"])
        if (problem := _taken(request, desk, asked)) == "":
            desk.start(asked, by=caller.name)
        if problem is None or problem == "":
            return see_other(onboarding_link(asked["dataset"]))
        problems["dataset"] = problem
    return show(request, "onboarding_list.html", _list(request, fields, problems), status=422)


def _taken(request: Request, desk: OnboardingDesk, asked: dict[str, Any]) -> str | None:
    """Why the name cannot be taken; None if the very same request was sent before, and empty if nobody has it."""
    urn = asked["dataset"]
    if portal_of(request).policies.current().find(urn) is not None:
        return "it has a policy already: choose another name, or edit its policy"
    if desk.folder(urn).read("request") == asked:
        return None
    if urn in desk.requests() or service_of(request).catalog.onboardings.find(urn) is not None:
        return "it is being onboarded already: open it in the list below"
    return ""


def _list(request: Request, given: dict[str, str], problems: dict[str, str]) -> OnboardingList:
    desk = portal_of(request).onboarding
    form = None
    if desk is not None and request.state.caller.role in PAGES["POST /onboarding"]:
        form = OnboardingForm(given=given, problems=problems, folders=landing_folders(desk.landing))
    requests = desk.requests() if desk else {}
    entries = service_of(request).catalog.onboardings.all()
    return onboarding_list(entries, requests, unfinished(desk, requests), form)
