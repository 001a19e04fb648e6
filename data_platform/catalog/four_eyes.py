"""The four-eyes principle: nobody approves their own request, whatever their role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from data_platform.model.registration import Actor


def require_other(what: str, author: str, by: Actor) -> None:
    """``what`` is the request, such as ``registration 3``. Case and surrounding white space make nobody another person.

    Raises:
        UsageError: ``by`` is its author.
    """
    if is_author(author, by.name):
        raise UsageError(f"{what} is {by.name}'s own request: somebody else has to approve it")


def is_author(author: str, name: str) -> bool:
    """Whether ``name`` is the author of a request."""
    return author.strip().casefold() == name.strip().casefold()
