"""Checks whether deliveries can be read from the landing folder of the settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.installation import Platform


def landing_problem(platform: Platform) -> str:
    """Why the landing folder cannot be read; empty if it can, does not exist yet, or no dataset needs it."""
    landing = platform.settings.landing
    if not any(dataset.policy.files for dataset in platform.policies.datasets) or not os.path.lexists(landing):
        return ""
    what_to_do = "set DATA_PLATFORM_LANDING to the folder of the deliveries, or let this user read it"
    if not landing.is_dir():
        return f"the landing {landing} is not a folder: {what_to_do}"
    return "" if os.access(landing, os.R_OK | os.X_OK) else f"the landing {landing} cannot be read: {what_to_do}"
