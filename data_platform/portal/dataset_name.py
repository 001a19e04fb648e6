"""The dataset that people mean by a name: as the policies have it, and then as the catalog knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.api.service import service_of
from data_platform.errors import NotFoundError
from data_platform.portal.portal import portal_of

if TYPE_CHECKING:
    from starlette.requests import Request


def asked_urn(request: Request, name: str) -> str | None:
    """The URN for a filter; ``name`` itself if nothing has it, which then matches nothing; None for an empty name."""
    asked = name.strip()
    if not asked:
        return None
    try:
        return urn_of(request, asked)
    except NotFoundError:
        return asked


def urn_of(request: Request, name: str) -> str:
    """The URN of ``orders``, ``shop/orders`` or ``ds://shop/orders``.

    Raises:
        NotFoundError: Neither a policy nor the catalog has it.
    """
    declared = portal_of(request).policies.current().named(name)
    return declared[0].urn if len(declared) == 1 else service_of(request).catalog.lineage.dataset(name).reference
