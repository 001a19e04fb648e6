"""A deployment: new code of a job, a service or a dataset, from the moment at which its next run uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """``deploy_ref`` is what the deployment calls itself: a Git SHA, a release.

    ``target`` is what was deployed: the URN of a dataset, the key of a process, or a beginning of such keys
    (``AUTOSYS/NIGHT`` is each job of that box). ``at`` is in UTC.
    """

    deploy_ref: str
    target: str
    at: datetime
    by: str
    url: str | None = None

    def concerns(self, dataset: str, processes: frozenset[str]) -> bool:
        """Whether it changed the code that makes ``dataset``, by the keys of its ``processes``."""
        if self.target == dataset:
            return True
        return any(key == self.target or key.startswith(f"{self.target}/") for key in processes)
