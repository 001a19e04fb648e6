"""Whether the caller may act on a dataset: the role of the form's route, and then the team, as the API checks both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.api.team import refuse_foreign
from data_platform.portal.access import PAGES

if TYPE_CHECKING:
    from starlette.requests import Request

    from data_platform.model.access import AccessToken


def may_act(request: Request, route: str, urn: str, asked_team: str | None = None) -> bool:
    """Whether ``route``, such as ``POST /quarantine/{name}/replay``, accepts the caller for the dataset ``urn``.

    ``asked_team`` is the team to which a request gives the dataset.
    """
    caller: AccessToken = request.state.caller
    if caller.role not in PAGES[route]:
        return False
    if not caller.teams:  # then its role decides, whatever the team
        return caller.may_edit(None)
    try:
        refuse_foreign(service_of(request).catalog, caller, urn, asked_team)
    except ProblemError:
        return False
    return True
