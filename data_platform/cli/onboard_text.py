"""Prints a proposed policy, its trial, and what happens next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.review.branch import Review

MOST_RULES = 5
"""Rules of a day that are shown; ``--json`` has all of them."""


def print_proposal(proposal: dict[str, Any], files: str) -> None:
    console = screen.out()
    deliveries = number_of(proposal["deliveries"], "delivery", "deliveries")
    rows, columns = number_of(proposal["rows"], "row"), number_of(proposal["columns"], "column")
    console.print(f"profiled {rows} and {columns} in {deliveries}\n", markup=False)
    cells = [
        (", ".join(rule["fields"]), rule["kind"], _shown(rule), _count(rule["would_reject"]), rule["reason"])
        for rule in proposal["rules"]
    ]
    screen.print_table(console, ("column", "rule", "value", "would reject", "reason"), cells)
    for kind in ("problems", "notes"):
        for text in proposal[kind]:
            console.print(f"{kind.removesuffix('s')}: {screen.visible(text)}", markup=False, soft_wrap=True)
    for text in proposal["considered"]:
        console.print(f"not proposed: {screen.visible(text)}", markup=False, soft_wrap=True)
    console.print(f"\nthe proposed files are in {files}\n", markup=False, soft_wrap=True)


def print_trial(trial: Sequence[dict[str, Any]]) -> None:
    cells = [(one["day"], _result(one), _count(one["accepted"]), _count(one["rejected"]), _why(one)) for one in trial]
    columns = ("tried", "result", "accepted", "rejected", "broken rules, with their rows")
    screen.print_table(screen.out(), columns, cells)


def print_next_steps(urn: str, review: Review, number: int) -> None:
    console = screen.out()
    lines = [f"\nthe policy of {urn} waits for approval; its files are in {review.place}"]
    if review.why:
        lines.append(f"there is no git branch: {review.why}")
    where = "merge the branch" if review.branch else "copy the files into the policies folder"
    lines += [
        f"1. somebody else approves it: data-platform catalog approve {number}",
        f"2. {where}",
        f"3. the first run certifies it: data-platform run --select {urn.removeprefix('ds://')} [--partition DAY]",
    ]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _shown(rule: dict[str, Any]) -> str:
    """What the rule asks, if that is not said by its columns."""
    if rule["kind"] in ("required", "key", "profile"):
        return ""
    value = rule["value"]
    if isinstance(value, dict):
        return f"{value['pattern']} {value['action']}"
    return screen.visible(", ".join(map(str, value)) if isinstance(value, list | tuple) else value)


def _count(rows: int | None) -> str:
    return "" if rows is None else str(rows)


def _result(one: dict[str, Any]) -> object:
    if one["certified"]:
        return screen.styled("would be certified", "green")
    return screen.styled(f"held at {one['held_at']}", "red")


def _why(one: dict[str, Any]) -> str:
    return screen.visible(one["error"]) if one["error"] else _rules(one["rules"])


def _rules(rules: Sequence[dict[str, Any]]) -> str:
    shown = [f"{one['rule']} ({one['rows'] if one['rows'] is not None else one['severity']})" for one in rules]
    more = [f"and {len(shown) - MOST_RULES} more"] if len(shown) > MOST_RULES else []
    return ", ".join(screen.visible(text) for text in [*shown[:MOST_RULES], *more])
