"""Can deliveries be read where the settings say that they land?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.installation import Platform


def landing_problem(platform: Platform) -> str:
    """Why the landing folder cannot be read; nothing if it can, is not there yet, or nothing is delivered to it."""
    landing = platform.settings.landing
    if not any(dataset.policy.source for dataset in platform.policies.datasets) or not os.path.lexists(landing):
        return ""
    what_to_do = "set DATA_PLATFORM_LANDING to the folder of the deliveries, or let this user read it"
    if not landing.is_dir():
        return f"the landing {landing} is no folder: {what_to_do}"
    return "" if os.access(landing, os.R_OK | os.X_OK) else f"the landing {landing} cannot be read: {what_to_do}"
