"""Onboardings: proposed policies of new datasets. People decide about them where all requests are decided."""

from fastapi import Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.portal.access import page_router
from data_platform.portal.onboarding_view import onboarding_view
from data_platform.portal.render import show

router = page_router()


@router.get("/onboarding")
def onboarding_page(request: Request) -> Response:
    """The newest first, each with its rules, its trial, and what to do next."""
    return show(request, "onboarding.html", onboarding_view(service_of(request).catalog.onboardings.all()))
