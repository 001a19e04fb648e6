"""Onboards within the test's process, with its Spark session, as the process of the service does with its own."""

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from data_platform.errors import DataPlatformError
from data_platform.model.dataset import DatasetId
from data_platform.model.registration import Actor
from data_platform.onboarding.attempt import attempted
from data_platform.onboarding.proposal.proposed_policy import Owner
from data_platform.onboarding.request import Request
from data_platform.portal.onboarding_process import OnboardingDesk
from data_platform.review.folder import REQUEST, OnboardingFolder
from data_platform_tests.flows.estate import Estate

OWNED = ("team", "tier", "email", "description", "time_zone", "producer")


@dataclass(frozen=True, kw_only=True)
class ThreadDesk(OnboardingDesk):
    """Tries the last day alone, since each costs some seconds."""

    estate: Estate

    def _start(self, folder: OnboardingFolder, options: Sequence[str], lock: IO[str]) -> None:
        by = next(one.removeprefix("--by=") for one in options if one.startswith("--by="))
        arguments = (folder, by, "--restart" in options, os.dup(lock.fileno()))
        threading.Thread(target=self._work, args=arguments, name="onboarding").start()

    def _work(self, folder: OnboardingFolder, by: str, restart: bool, held: int) -> None:
        asked = folder.read(REQUEST)
        assert asked is not None
        owner = Owner(dataset=DatasetId.parse(asked["dataset"]), **{name: asked[name] for name in OWNED})
        request = Request(path=str(self.landing / asked["path"]), owner=owner, profiled=asked["profiled"], tried=1)
        platform, actor = self.estate.platform(), Actor(name=by, role="PLATFORM_ADMIN")
        try:
            with suppress(DataPlatformError), attempted(platform, request, actor, restart=restart):
                pass
        finally:
            platform.close()
            os.close(held)
