"""The look at the end of a dataset's run, after the stage that was held or certified: what it found is known within
seconds.

It is limited to the dataset and those downstream of it, and it never fails or delays the run: errors are logged.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from data_platform.signals.look import look

if TYPE_CHECKING:
    from data_platform.installation import Platform

LOG = logging.getLogger(__name__)


def look_in_passing(platform: Platform, urn: str) -> None:
    try:
        look(platform.policies, platform.catalog, platform.now(), only=(urn,))
    except Exception:
        LOG.warning("the look at signals after a stage of %s failed; the next look does it", urn, exc_info=True)
