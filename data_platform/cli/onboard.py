"""``data-platform onboard``: from deliveries to a policy that waits for its approval."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.guard import WRONG_USE, AsJson, Debug, opened
from data_platform.cli.onboard_text import print_next_steps, print_proposal, print_trial
from data_platform.errors import UsageError
from data_platform.model.dataset import DatasetId
from data_platform.model.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data_platform.installation import Platform
    from data_platform.onboarding.request import Request


def onboard(
    path: Annotated[str, typer.Argument(metavar="PATH|URL", help="Its deliveries, a Delta table, or a JDBC URL.")],
    *,
    name: Annotated[str, typer.Option("--as", metavar="DATASET", help="Its name, such as ds://ops/flights.")],
    team: Annotated[str, typer.Option(help="Team that owns it.")],
    email: Annotated[str, typer.Option(help="Address of the owners.")] = "",
    tier: Annotated[Tier, typer.Option(help="How much depends on it.", case_sensitive=False)] = Tier.TIER_3,
    description: Annotated[str, typer.Option(help="What it holds.")] = "",
    producer: Annotated[str, typer.Option(help="Its sender; by default the one of the manifests, or the team.")] = "",
    time_zone: Annotated[str, typer.Option(help="The zone of its days and clock times.")] = "UTC",
    table: Annotated[str, typer.Option(metavar="NAME", help="The table of the database: public.orders.")] = "",
    user: Annotated[str, typer.Option(help="The user who reads the table.")] = "",
    password_from: Annotated[str, typer.Option(metavar="NAME|PATH", help="A variable or file with the password.")] = "",
    days: Annotated[int, typer.Option(min=1, max=400, help="Profile so many of the last deliveries.")] = 60,
    dry_run_days: Annotated[int, typer.Option(min=1, max=60, help="Try the policy on so many of them.")] = 3,
    yes: Annotated[bool, typer.Option("--yes", help="Submit the proposal without asking.")] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Forget the proposal of before, and edits of it.")] = False,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Propose a policy for new deliveries or a table, try it on the last days, and submit it for approval.

    You can edit the proposed files and run this again. What you confirm is committed to a git branch for review, and
    waits for the approval of somebody else; until then nothing of the dataset runs. If it is stopped, run it again.
    Exit code 2 if nobody confirmed it: the proposal stays.

    Examples:

    data-platform onboard flights --as ds://ops/flights --team flight-operations

    data-platform onboard jdbc:postgresql://db/core --table trades --as ds://core/trades --team treasury
    """
    known = {"team": team, "tier": tier.value, "email": email, "description": description}
    known |= {"time_zone": time_zone, "producer": producer}
    with opened(as_json=as_json, debug=debug) as platform:
        request = _request(name, path, known, (days, dry_run_days), (table, user, password_from))
        if not _onboard(platform, request, by, confirmed=yes, restart=restart, as_json=as_json):
            raise typer.Exit(WRONG_USE)


def _request(
    name: str, path: str, known: dict[str, str], days: tuple[int, int], login: tuple[str, str, str]
) -> Request:
    """``known`` are the fields of the owner, ``days`` the numbers of deliveries to profile and to try.

    ``login`` is a table, the user who reads it, and where the password is.
    """
    from data_platform.onboarding.proposal.proposed_policy import Owner
    from data_platform.onboarding.request import Request
    from data_platform.onboarding.table_place import TableRequest

    table = TableRequest(table=login[0], user=login[1], password_from=login[2])
    owner = Owner(dataset=_dataset(name), **known)
    return Request(path=path, owner=owner, table=table, profiled=days[0], tried=days[1])


def _dataset(name: str) -> DatasetId:
    try:
        dataset = DatasetId.parse(name)
        dataset.require_unique_names()
    except ValueError as error:
        raise UsageError(str(error)) from None
    return dataset


def _onboard(
    platform: Platform, request: Request, by: str | None, *, confirmed: bool, restart: bool, as_json: bool
) -> bool:
    """Whether the proposal is submitted. One process at a time works on a dataset."""
    from data_platform.onboarding.attempt import attempted

    _print_stopped(platform, request)
    with ExitStack() as held:
        with _progress() as on_progress:
            attempt = attempted(platform, request, actor(by), restart=restart, on_progress=on_progress)
            steps, proposal, trial = held.enter_context(attempt)
        document = {**proposal, "trial": trial, "files": str(steps.folder.dataset), "submitted": False}
        if not as_json:
            print_proposal(proposal, document["files"])
            print_trial(trial)
        if not confirmed and (as_json or not _is_confirmed()):
            _print_unsubmitted(document, as_json=as_json)
            return False
        review, number = steps.submit()
    if as_json:
        screen.print_json({**document, "submitted": True, "review": review, "registration": number})
    else:
        print_next_steps(steps.urn, review, number)
    return True


def _print_stopped(platform: Platform, request: Request) -> None:
    """Says how far an earlier attempt was that ended without a result."""
    from data_platform.review.folder import OnboardingFolder
    from data_platform.review.progress import Phase, read_progress

    before = read_progress(OnboardingFolder(platform.settings.home, request.owner.dataset))
    if before is not None and before.phase is Phase.STOPPED:
        line = f"the last attempt was stopped at {before.updated_at:%Y-%m-%d %H:%M} UTC, {before.where}: it goes on now"
        screen.err().print(line, markup=False, soft_wrap=True)


def _print_unsubmitted(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        screen.print_json(document)
    else:
        line = f"not submitted: edit the files in {document['files']}, and run this again"
        screen.out().print(line, markup=False, soft_wrap=True)


def _is_confirmed() -> bool:
    """False if nobody can answer."""
    return sys.stdin.isatty() and typer.confirm("Submit this policy for approval?", default=False)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on a terminal; nothing in a pipe."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = screen.err()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting", total=None)

        def on_progress(what: str, done: int, of: int) -> None:
            progress.update(task, description=what, completed=done, total=of or None)

        yield on_progress
