"""The links of the header: one for each part of the portal that the caller may open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.portal.access import PAGES

if TYPE_CHECKING:
    from data_platform.model.access import AccessToken

PARTS = (
    ("Today", "/"),
    ("Datasets", "/datasets"),
    ("Processes", "/processes"),
    ("Incidents", "/incidents"),
    ("Quarantine", "/quarantine"),
    ("Approvals", "/approvals"),
    ("Waivers", "/waivers"),
    ("Evidence", "/evidence"),
    ("KPIs", "/kpis"),
)
"""In the order of the header; a part without a page is not shown."""
_ALSO: dict[str, tuple[str, ...]] = {
    "/datasets": ("/datasets/", "/why/", "/backtest/", "/policy/", "/lineage/", "/onboarding"),
    "/processes": ("/runs/",),
}


@dataclass(frozen=True)
class NavigationLink:
    title: str
    path: str
    is_current: bool


def navigation_of(path: str, caller: AccessToken) -> tuple[NavigationLink, ...]:
    return tuple(
        NavigationLink(title, target, _is_in(path, target))
        for title, target in PARTS
        if caller.role in PAGES.get(f"GET {target}", ())
    )


def _is_in(path: str, target: str) -> bool:
    if target == "/":
        return path == "/"
    return path == target or path.startswith((f"{target}/", *_ALSO.get(target, ())))
