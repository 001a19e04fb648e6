"""``data-platform pii detokenize``: shows values of tokens to a steward, who proves the role with an access token."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.access_token import read_access_token
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.cli.token import LOCAL, user
from data_platform.errors import RoleError, UsageError
from data_platform.model.detokenize import MOST_TOKENS
from data_platform.model.number_text import number_of
from data_platform.model.registration import Actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.model.access import AccessToken
    from data_platform.model.detokenize import OpenedToken


def detokenize(
    tokens: Annotated[
        list[str] | None, typer.Argument(metavar="[TOKENS]…", help="Without one, they are read from standard input.")
    ] = None,
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why you need the values; stored in the audit log.")],
    access_token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A steward's access token; by default that in DATA_PLATFORM_TOKEN."),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show the values of tokens that a rule with `reversible` made, to a DATA_STEWARD. Exit code 2 to others.

    The audit log has who asked, when, for which tokens and why; never the values. A value is normalised: an address in
    lower case, a number as its digits. Exit code 1 if a token could not be opened.

    Examples:

    data-platform pii detokenize tok_v1_email_… --reason "case 4711" --access-token-file ann.token

    data-platform pii detokenize --reason "case 4711" < tokens.txt
    """
    with opened(as_json=as_json, debug=debug) as platform:
        texts = tokens or _from_input()
        caller = _caller(platform, access_token_file, len(texts), reason)
        keys = platform.settings.pii_keys.versions()
        found = platform.catalog.access.detokenize(texts, reason, caller=caller, keys=keys, now=platform.now())
        count = sum(item.value is not None for item in found)
        if as_json:
            results = [{"token": item.token, "value": item.value, "problem": item.problem} for item in found]
            screen.print_json({"opened": count, "results": results})
        else:
            _print(found)
        raise typer.Exit(0 if count == len(found) else ERROR)


def _from_input() -> list[str]:
    if sys.stdin.isatty():
        raise UsageError("no token was given: name them, or send them on standard input, one on each line")
    lines = [line.strip() for line in sys.stdin.readlines(MOST_TOKENS * 4000)]
    return [line for line in lines if line]


def _caller(platform: Platform, file: Path | None, count: int, reason: str) -> AccessToken:
    """Raises: RoleError, if there is no valid access token, which is recorded."""
    token = read_access_token(platform.settings, file)
    access, now = platform.catalog.access, platform.now()
    caller = access.token(token, now=now) if token else None
    if caller is None:
        access.record_refusal(Actor(name=user(), role=LOCAL), count=count, reason=reason, now=now)
        what = "the access token is invalid, has expired, or was revoked" if token else "there is no access token"
        raise RoleError(
            f"{what}: give --access-token-file, or set DATA_PLATFORM_TOKEN, with that of a DATA_STEWARD "
            "(`data-platform token create`). This was recorded"
        )
    return caller


def _print(found: Sequence[OpenedToken]) -> None:
    for number, item in enumerate(found, start=1):
        if item.value is not None:
            line = f"{item.token}  {screen.visible(item.value)}"
            screen.out().print(line, markup=False, soft_wrap=True)
        else:
            name = item.token or f"the {number}. text of {number_of(len(found), 'token')}"
            screen.err().print(f"{name}: {item.problem}", markup=False, soft_wrap=True)
