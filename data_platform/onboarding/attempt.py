"""One attempt at an onboarding: proposes and tries, and records in its folder what was asked and how far it is."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError
from data_platform.onboarding.place import path_below
from data_platform.onboarding.steps import Steps
from data_platform.review.folder import REQUEST, OnboardingFolder
from data_platform.review.progress import recorded
from data_platform.settings import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from data_platform.installation import Platform
    from data_platform.model.registration import Actor
    from data_platform.onboarding.request import Request


@contextmanager
def attempted(
    platform: Platform,
    request: Request,
    by: Actor,
    *,
    restart: bool = False,
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Iterator[tuple[Steps, dict[str, Any], list[dict[str, Any]]]]:
    """Yields the steps, the proposal and its trial. One process at a time works on a dataset until the block ends.

    ``restart`` forgets the proposal of before, and edits of it.
    """
    folder = OnboardingFolder(platform.settings.home, request.owner.dataset)
    with exclusive(folder.root):
        with recorded(folder, by=by.name, now=platform.now) as report:
            steps = Steps(platform, request, by)
            if restart:
                folder.forget()
            folder.write(REQUEST, _document(request, platform.settings.landing))
            report("looking at the deliveries")

            def reported(what: str, done: int, of: int) -> None:
                report(what, done, of)
                on_progress(what, done, of)

            steps.on_progress = reported
            proposal = steps.propose()
            trial = steps.try_last_days(proposal)
        yield steps, proposal, trial


def _document(request: Request, landing: Path) -> dict[str, Any]:
    """``path`` is relative to the landing folder, if it is in it."""
    try:
        path = path_below(landing, request.path).relative_to(landing.resolve()).as_posix()
    except UsageError:  # no path of files, and yet a place that ``Steps`` has found
        path = request.path
    owner = {**asdict(request.owner), "dataset": request.owner.dataset.urn}
    table = {name: value for name, value in asdict(request.table).items() if value}
    return {**owner, **table, "path": path, "profiled": request.profiled, "tried": request.tried}
