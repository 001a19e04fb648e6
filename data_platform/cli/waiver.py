"""``data-platform waiver …``: accepted failures, which somebody else than their author approves, until a date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, Comment, actor
from data_platform.cli.guard import AsJson, DatasetName, Debug, opened, parse_partition
from data_platform.errors import UsageError
from data_platform.model.verdict import Gate  # noqa: TC001 - typer reads annotations at run time
from data_platform.model.waiver import WaiverRequest, WaiverStatus, end_of

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.waiver import Waiver

app = typer.Typer(
    help="Accept a failed rule for named days, until a date: one user requests a waiver, another approves it.",
    no_args_is_help=True,
)
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The waiver's number in `waiver list`.")]


@app.command()
def request(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A table, zone/name or ds://zone/name.")],
    gate: Annotated[Gate, typer.Argument(metavar="GATE", help="The gate that failed, such as DQ.")],
    signature: Annotated[str, typer.Argument(metavar="SIGNATURE", help="The failure, as `evidence list` shows it.")],
    *,
    reason: Annotated[str, typer.Option(help="Why the failure is acceptable.")],
    until: Annotated[str, typer.Option(metavar="DAY", help="The last day in UTC on which it counts; 90 days at most.")],
    partition: Annotated[
        str | None, typer.Option("--partition", "-p", metavar="DAYS", help="One day, or 2013-01-01..2013-01-31.")
    ] = None,
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Request a waiver of one failed rule. It counts once somebody else has approved it."""
    with opened(as_json=as_json, debug=debug) as platform:
        first, _, last = (partition or "").partition("..")
        wanted = WaiverRequest(
            dataset_urn=platform.policies.dataset(dataset).urn,
            gate=gate,
            signature=signature,
            first=parse_partition(first or None),
            last=parse_partition(last or first or None),
            reason=reason,
            expires_at=_end_of(until),
        )
        waiver = platform.catalog.waivers.request(wanted, by=actor(by), now=platform.now())
        _print_waiver(waiver, as_json=as_json)
        if not as_json:
            _warn_if_unknown(platform, waiver)


@app.command()
def approve(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """Approve a waiver. You cannot approve your own. The held day is certified by running it again."""
    with opened(as_json=as_json, debug=debug) as platform:
        waiver = platform.catalog.waivers.approve(number, by=actor(by), comment=comment, now=platform.now())
        _print_waiver(waiver, as_json=as_json)
        if not as_json:
            days = f" -p {waiver.days}" if waiver.first else ""
            screen.out().print(f"now run: data-platform run -s {waiver.dataset_urn}{days}", markup=False)


@app.command()
def revoke(
    number: Number, *, comment: Comment = "", by: By = None, as_json: AsJson = False, debug: Debug = False
) -> None:
    """End a waiver, or reject a pending one. What was certified stays certified; the next run is judged without it."""
    with opened(as_json=as_json, debug=debug) as platform:
        waiver = platform.catalog.waivers.revoke(number, by=actor(by), comment=comment, now=platform.now())
        _print_waiver(waiver, as_json=as_json)


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    status: Annotated[WaiverStatus | None, typer.Option(help="Only this status.", case_sensitive=False)] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List waivers, oldest first, with who requested and approved them and until when they count."""
    with opened(as_json=as_json, debug=debug) as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        waivers = platform.catalog.waivers.find(urn, now=platform.now())
        shown = [waiver for waiver in waivers if status in (None, waiver.status)]
        if as_json:
            screen.print_json(shown)
            return
        columns = ("number", "dataset", "days", "gate", "signature", "status", "author", "approver", "until", "reason")
        screen.print_table(screen.out(), columns, [_row(waiver) for waiver in shown], empty="no waiver matches")


def _end_of(day: str) -> datetime:
    key = parse_partition(day)
    if key is None:
        raise UsageError("--until is empty; expected a day such as 2026-03-31")
    return end_of(key)


def _row(waiver: Waiver) -> tuple[str, ...]:
    until, approver = f"{waiver.expires_at:%Y-%m-%d %H:%M}", waiver.approver or ""
    return (
        str(waiver.number), waiver.dataset_urn, waiver.days, waiver.gate, waiver.signature, waiver.status,
        waiver.author, approver, until, waiver.reason,
    )  # fmt: skip


def _print_waiver(waiver: Waiver, *, as_json: bool) -> None:
    if as_json:
        screen.print_json(waiver)
        return
    what = " ".join(part for part in (waiver.dataset_urn, waiver.days, waiver.gate, waiver.signature) if part)
    line = f"waiver {waiver.number} of {what} is {waiver.status}, until {waiver.expires_at:%Y-%m-%d %H:%M} UTC"
    screen.out().print(line, markup=False, soft_wrap=True)


def _warn_if_unknown(platform: Platform, waiver: Waiver) -> None:
    """A signature must match exactly; a misspelt one would waive nothing."""
    recorded = platform.catalog.runs.signatures(waiver.dataset_urn, waiver.first)
    if waiver.signature not in recorded:
        known = ", ".join(sorted(recorded)) or "none"
        line = f"warning: the last runs of {waiver.first or waiver.dataset_urn} have no such failure; recorded: {known}"
        screen.err().print(line, markup=False, soft_wrap=True)
