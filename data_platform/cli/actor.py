"""The user of a command that requests or decides something.

A user with access to the catalog's database may do everything there, so commands are recorded as an administrator's.
"""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from data_platform.errors import UsageError
from data_platform.model.registration import Actor

By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it; this machine's user by default.")]
Comment = Annotated[str, typer.Option("--comment", help="Why; stored with the decision.")]


def actor(name: str | None) -> Actor:
    """Raises: UsageError, if this machine does not report a user name and none was given."""
    try:
        return Actor(name=name or getpass.getuser(), role="PLATFORM_ADMIN")
    except (KeyError, OSError):
        raise UsageError("this machine does not report a user name: give yours with --by") from None
