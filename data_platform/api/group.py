"""Publish groups: what consumers see of all members at one moment. The members are those that the last run declared."""

from typing import Annotated

from fastapi import Path, Request
from fastapi.responses import JSONResponse

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.publication import PublishedGroupPage

router = guarded_router("groups")

Name = Annotated[str, Path(min_length=1, max_length=100, description="The name of a publish group.")]


@router.get("/groups/{name}/certified", response_model=shape_of(PublishedGroupPage))
def get_group(request: Request, caller: Caller, name: Name) -> JSONResponse:
    """The certified versions of all members, read in one statement, and the versions that wait for other members."""
    service = service_of(request)
    publications = service.catalog.publications
    waiting = publications.waiting_in(name, now=service.now())
    return answer(PublishedGroupPage(**vars(publications.published(name)), waiting=waiting), caller)
