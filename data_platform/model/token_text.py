"""The text of a token: ``tok_v<key version>_<kind>_<digits>``, all in lower case.

The first 32 hexadecimal digits are the tag: HMAC-SHA256 of the normalised value, truncated to 128 bits. A token of a
rule with ``reversible`` has more, in steps of 32: the value itself, encrypted (``token_secret``). So two tokens of one
value and key have the same tag, whether they are reversible or not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

TAG_DIGITS = 32
MOST_VALUE_BYTES = 1024
"""A longer value has a token without the encrypted value, so that no token is longer than a reader expects."""
MOST_VERSION = 999

DIGITS = rf"(?:[0-9a-f]{{{TAG_DIGITS}}}){{1,{MOST_VALUE_BYTES // 16 + 2}}}"
PATTERN = rf"tok_v\d{{1,3}}_[a-z0-9_]+_{DIGITS}"
_TOKEN = re.compile(rf"tok_v([1-9]\d{{0,2}})_([a-z][a-z0-9_]{{0,31}})_({DIGITS})", re.ASCII)


@dataclass(frozen=True)
class Token:
    """``tag`` has 16 bytes; ``sealed`` is the encrypted value, empty if the token is not reversible."""

    version: int
    label: str
    tag: bytes
    sealed: bytes = field(repr=False)

    @property
    def is_reversible(self) -> bool:
        return bool(self.sealed)

    @property
    def short(self) -> str:
        """The token without the encrypted value, which identifies it."""
        return begin_of(self.version, self.label) + self.tag.hex()


def begin_of(version: int, label: str) -> str:
    return f"tok_v{version}_{label.lower()}_"


def parse_token(text: str) -> Token | None:
    """The token that ``text`` is; None if it is something else."""
    match = _TOKEN.fullmatch(text)
    if match is None:
        return None
    digits = bytes.fromhex(match[3])
    return Token(int(match[1]), match[2], digits[: TAG_DIGITS // 2], digits[TAG_DIGITS // 2 :])
