"""A home with deliveries, and a command that works on them as ``data-platform onboard`` does, without Spark.

It reports that three of eight parts are profiled, and goes on once the test lets it.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data_platform.portal.onboarding_process import OnboardingDesk

WORKING = """
import os, pathlib, sys, time
from datetime import UTC, datetime
from data_platform.errors import UsageError
from data_platform.model.dataset import DatasetId
from data_platform.review.folder import OnboardingFolder
from data_platform.review.progress import recorded
home = pathlib.Path(sys.argv[1])
urn = next(one.removeprefix("--as=") for one in sys.argv if one.startswith("--as="))
(home / "pid").write_text(str(os.getpid()))
with recorded(OnboardingFolder(home, DatasetId.parse(urn)), by="ann", now=lambda: datetime.now(UTC)) as report:
    report("profiling", 3, 8)
    while not (home / "end").exists():
        time.sleep(0.01)
    if (home / "end").read_text():
        raise UsageError((home / "end").read_text())
"""
SECONDS = 30
FORM = {"path": "orders", "dataset": "sales/orders", "team": "sales", "tier": "TIER_3"}
PAGE = "/onboarding/ds%3A%2F%2Fsales%2Forders"


@dataclass
class OnboardingShop:
    root: Path

    def __post_init__(self) -> None:
        self.home, self.landing, self.policies = (self.root / name for name in ("home", "landing", "policies"))
        self.root.mkdir(exist_ok=True)
        for day in ("2025-01-05", "2025-01-06"):
            folder = self.landing / "orders" / day
            folder.mkdir(parents=True)
            (folder / "orders.csv").write_text("id,state\n1,NEW\n")
        self.policies.mkdir()
        self.home.mkdir()

    @property
    def desk(self) -> OnboardingDesk:
        command = (sys.executable, "-c", WORKING, str(self.home))
        return OnboardingDesk(home=self.home, landing=self.landing, policies=self.policies, command=command)

    def end(self, error: str = "") -> None:
        """Lets the command end, with ``error``."""
        (self.home / "end.new").write_text(error)
        (self.home / "end.new").rename(self.home / "end")

    def kill(self) -> None:
        os.kill(int((self.home / "pid").read_text()), signal.SIGKILL)


def wait_until(read: Callable[[], Any], wanted: Callable[[Any], bool]) -> Any:
    """The first value that is wanted."""
    until = time.monotonic() + SECONDS
    while not wanted(value := read()):
        assert time.monotonic() < until, value
        time.sleep(0.02)
    return value
