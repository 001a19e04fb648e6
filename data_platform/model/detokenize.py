"""Opens tokens of personal values for a person who may see them: who may, how many at once, and what is recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.access import Role
from data_platform.model.token_secret import opened
from data_platform.model.token_text import parse_token

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.model.access import AccessToken
    from data_platform.model.key_ring import KeyVersion

ACTION = "pii.detokenize"
REFUSED = f"{ACTION}.refused"
SUBJECT = "pii tokens"
"""Of all entries of the audit log about opened tokens."""

ROLE = Role.DATA_STEWARD
"""Not administrators: who handles the keys and who sees the values are two people."""
MOST_TOKENS = 1000
"""In one request. The audit log has each of them."""
MOST_AN_HOUR, HOUR = 10_000, timedelta(hours=1)
"""Of one user, by the audit log: enough for a case, too few to copy a table."""


@dataclass(frozen=True, kw_only=True)
class OpenedToken:
    """``token`` is without the encrypted value; None if the text was no token, and is then in no answer or log.

    ``value`` is the normalised value, or None with a ``problem``.
    """

    token: str | None
    value: str | None = field(default=None, repr=False)
    problem: str = ""


def may_detokenize(caller: AccessToken) -> bool:
    """A steward whose token is limited to teams may not: a token does not say whose dataset it is from."""
    return caller.role is ROLE and caller.may_edit(None)


def opened_tokens(texts: Iterable[str], keys: Iterable[KeyVersion]) -> tuple[OpenedToken, ...]:
    secrets = {key.number: key.secret for key in keys}
    return tuple(_opened(text.strip(), secrets) for text in texts)


def _opened(text: str, secrets: Mapping[int, bytes]) -> OpenedToken:
    token = parse_token(text)
    if token is None:
        return OpenedToken(token=None, problem="not a token: expected one such as tok_v1_email_… in full length")
    if not token.is_reversible:
        return OpenedToken(token=token.short, problem="made by a rule without `reversible`: its value is not stored")
    if (secret := secrets.get(token.version)) is None:
        return OpenedToken(token=token.short, problem=f"v{token.version} of the key is not here")
    value = opened(token, secret)
    if value is None:
        return OpenedToken(
            token=token.short, problem=f"changed, or made with another key than v{token.version} of this installation"
        )
    return OpenedToken(token=token.short, value=value)
