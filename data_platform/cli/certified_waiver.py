"""The waivers on which a certified version depends, as ``status`` and ``certified`` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.installation import Platform
    from data_platform.model.certification import Certification


def certified_waivers(platform: Platform, pointer: Certification | None) -> list[dict[str, Any]]:
    """The waivers of the version that consumers see, by their numbers."""
    if pointer is None or pointer.version is None:
        return []
    return platform.catalog.runs.waivers(pointer.dataset_urn, pointer.judged_version or pointer.version)


def print_waivers(waivers: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Prints a line for each waiver of each dataset."""
    for urn, uses in waivers.items():
        for use in uses:
            days = " to ".join(str(day) for day in dict.fromkeys((use["first"], use["last"])) if day)
            what = " ".join(part for part in (urn, days, use["gate"], use["signature"]) if part)
            line = f"waived: {what} by waiver {use['number']} of {use['approver']}: {use['reason']}"
            screen.out().print(line, markup=False, soft_wrap=True, style="yellow")
