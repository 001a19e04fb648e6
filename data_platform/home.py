"""Who may read what lies below the home: raw data the platform's own user only, certified data by the umask.

Bronze, quarantine, the landing, Spark's log and warehouse are for their owner: a folder of mode 0700 protects what
Spark writes in it, whatever the mode of its files. Silver and gold follow the umask, since consumers read gold.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem
from data_platform.model.private_path import private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.settings import Settings


def keep_private(settings: Settings, bronze: Iterable[str]) -> None:
    """Makes the folders of raw data for their owner only, before anything is written there.

    ``bronze`` are the paths of the bronze tables, which a policy may place outside the lake.

    Raises:
        EnvironmentProblem: One cannot be made.
    """
    places = [f"{settings.lake}/bronze", f"{settings.lake}/quarantine", str(settings.home / "warehouse"), *bronze]
    try:
        private_folder(settings.landing, group=True)  # a sender may deliver as a member of the folder's group
        for place in dict.fromkeys(places):
            if place.startswith("/") and not _is_within(place, f"{settings.lake}/bronze"):
                private_folder(Path(place))
    except OSError as error:
        raise EnvironmentProblem(
            f"{error.filename} cannot be made ({error.strerror}): name a folder that can be written in "
            "DATA_PLATFORM_HOME, DATA_PLATFORM_LAKE or DATA_PLATFORM_LANDING"
        ) from None


def _is_within(place: str, folder: str) -> bool:
    return place.startswith(f"{folder}/")
