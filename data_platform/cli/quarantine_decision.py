"""``data-platform quarantine assign``, ``discard`` and ``release``: what people decide about quarantined rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.errors import UsageError
from data_platform.model.quarantine_decision import DecisionStatus

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.quarantine_decision import Decision

Name = Annotated[str, typer.Argument(metavar="NAME", help="A table of `quarantine list`.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; stored with the decision.")]


def assign(
    name: Name,
    *,
    to: Annotated[str, typer.Option("--to", metavar="PERSON", help="Who works on it.")],
    by: By = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Assign an open entry to a person, who is then listed as its owner."""
    with opened(as_json=as_json, debug=debug) as platform:
        entry = platform.catalog.quarantine.assign(entry_name(name), to, by=actor(by), now=platform.now())
        if as_json:
            screen.print_json(entry)
            return
        screen.out().print(f"{entry.full_name} is assigned to {entry.assignee}", markup=False)


def discard(name: Name, *, reason: Reason, by: By = None, as_json: AsJson = False, debug: Debug = False) -> None:
    """Close an entry whose rows nobody wants. They stay in quarantine, on disk and in every count.

    Later runs of the same delivery keep them out, whatever the policy says then. A new delivery is judged afresh.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        entry = platform.catalog.quarantine.discard(entry_name(name), reason, by=actor(by), now=platform.now())
        if as_json:
            screen.print_json(entry)
            return
        line = f"{entry.full_name} is closed: {entry.discarded_rows} of {entry.rows} rows are discarded"
        screen.out().print(line, markup=False)


def release(
    name: Name,
    *,
    reason: Annotated[str | None, typer.Option("--reason", help="Why; required for a request.")] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="SIGNATURE", help="Repeatable: only rows that break no other rule."),
    ] = None,
    by: By = None,
    approver: Annotated[
        str | None, typer.Option("--approver", metavar="NAME", help="Who approves it; not who requests it.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw the release of this entry.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Let rows through although they break the policy. It takes a reason and a second person.

    With --reason it is a request, which --approver approves, in the same command or in a later one. The next run or
    replay of the day applies it. It is bound to this delivery and to the rules of the entry, or those named.

    Examples:

    data-platform quarantine release NAME --reason "agreed with the producer" --by ann --approver bob

    data-platform quarantine release NAME --withdraw --by ann
    """
    with opened(as_json=as_json, debug=debug) as platform:
        if reason is None and approver is None and not withdraw:
            raise UsageError("nothing to do: give --reason for a request, --approver for an approval, or --withdraw")
        decision = _decide(platform, entry_name(name), reason, rule or [], by, approver, withdraw=withdraw)
        if as_json:
            screen.print_json(decision)
            return
        screen.out().print(_sentence(decision), markup=False, soft_wrap=True)


def _decide(
    platform: Platform,
    name: str,
    reason: str | None,
    rules: list[str],
    by: str | None,
    approver: str | None,
    *,
    withdraw: bool,
) -> Decision:
    quarantine, now = platform.catalog.quarantine, platform.now()
    if withdraw:
        return quarantine.withdraw_release(name, by=actor(by), now=now)
    if reason is None:
        return quarantine.approve_release(name, by=actor(approver), now=now)
    if approver is None:
        return quarantine.request_release(name, reason, rules=rules, by=actor(by), now=now)
    return quarantine.release(name, reason, rules=rules, by=actor(by), approver=actor(approver), now=now)


def _sentence(decision: Decision) -> str:
    if decision.status is DecisionStatus.REQUESTED:
        return f"the release of {decision.entry} is requested; somebody else approves it with --approver"
    if decision.status is DecisionStatus.WITHDRAWN:
        return f"the release of {decision.entry} is withdrawn; the next run of the day judges the rows without it"
    return (
        f"the release of {decision.entry} is approved by {decision.decided_by}: "
        f"`data-platform quarantine replay {decision.entry}` applies it"
    )


def entry_name(name: str) -> str:
    """The name in the catalog; evidence and lists put ``quarantine.`` in front of it."""
    return name.removeprefix("quarantine.")
