"""``data-platform mcp``: tools of the catalog for assistants that speak the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli.access_token import read_access_token
from data_platform.cli.guard import Debug, opened
from data_platform.errors import RoleError, UsageError

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.access import AccessToken


def mcp(
    *,
    token_file: Annotated[
        Path | None,
        typer.Option("--access-token-file", metavar="FILE", help="The access token; else DATA_PLATFORM_TOKEN has it."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Serve tools for an assistant on standard input and output (MCP), with the role of an access token.

    The assistant reads what the role may see; what it changes is recorded under the token's name.

    Examples:

    DATA_PLATFORM_TOKEN=dpt_... data-platform mcp

    data-platform mcp --access-token-file assistant.token
    """
    with opened(as_json=False, debug=debug) as platform:
        token = _token(platform, token_file)
        caller = _caller(platform, token)
        from data_platform.api.service import Limits
        from data_platform.mcp_service.stdio import serve_stdio

        limits = Limits(event_bytes=platform.settings.max_event_bytes, batch_bytes=platform.settings.max_batch_bytes)
        serve_stdio(platform.catalog, limits, token, caller.role, policies=platform.settings.policies)


def _token(platform: Platform, file: Path | None) -> str:
    """Raises: UsageError, if there is no token."""
    token = read_access_token(platform.settings, file)
    if not token:
        raise UsageError(
            "there is no access token: give --access-token-file, or set DATA_PLATFORM_TOKEN "
            "(`data-platform token create NAME --role DATA_CONSUMER` makes one)"
        )
    return token


def _caller(platform: Platform, token: str) -> AccessToken:
    """Raises: RoleError, if the token is not valid."""
    caller = platform.catalog.access.token(token, now=platform.now())
    if caller is None:
        raise RoleError("the access token is invalid, has expired, or was revoked: make another one")
    return caller
