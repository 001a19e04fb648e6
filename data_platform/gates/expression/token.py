"""Keyed tokens: the same person has the same token in every dataset and run, and nobody can guess the value.

A token is ``tok_v1_<label>_<32 hexadecimal digits>``: HMAC-SHA256 of the normalised value, truncated to 128 bits. A
plain hash is not enough: there are fewer than 10^9 SSNs, and all can be tried. ``v1`` names the key and this method; a
new key is a new version. Resolving a token needs a vault, which is not part of this; its entries can be found by the
token.

The HMAC is built from Spark's own ``sha2``, so that no row leaves the JVM. Its two pads are literals of the query plan,
and whoever reads them can make tokens. They come from a key derived for tokens alone, so the secret itself is in no
plan. Spark hides them from ``explain``, the UI and event logs if ``spark.sql.redaction.string.regex`` is
``PLAN_REDACTION``; it does not hide them from ``repr`` of a column, so do not log columns.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

VERSION = "v1"
MIN_KEY_BYTES = 32
PLAN_REDACTION = r"(?i)(?:0x|X')[0-9a-f]{128}'?"
"""The form of a pad in Spark's plans: 64 bytes, as ``0x…`` in a plan and as ``X'…'`` in SQL."""

_PURPOSE = b"data-platform token " + VERSION.encode()
_SIGNATURE_PURPOSE = b"data-platform signature " + VERSION.encode()
_SIGNATURE_DIGITS = 12
_BLOCK = 64
_DIGITS = 32
_MARK = "\x1e"  # ASCII's record separator; a text that contains it is split in a slower way
_HOW = (
    f"put at least {MIN_KEY_BYTES} random bytes in a file and name it in DATA_PLATFORM_PII_KEY_FILE "
    "(for example: openssl rand -out pii.key 32), and keep it: another key makes other tokens"
)


class TokenKey:
    """The secret, in a type that never shows it.

    Raises:
        PolicyError: There is no secret, or it is too short.
    """

    def __init__(self, secret: bytes | None, purpose: bytes = _PURPOSE) -> None:
        if secret is None:
            raise PolicyError(f"the policy asks for tokenize, and there is no key: {_HOW}")
        if not isinstance(secret, bytes):
            raise PolicyError(f"the key for tokenize is of type {type(secret).__name__}, expected bytes: {_HOW}")
        if len(secret) < MIN_KEY_BYTES:
            raise PolicyError(f"the key for tokenize has {len(secret)} bytes, expected {MIN_KEY_BYTES}: {_HOW}")
        self._derived = hmac.digest(secret, purpose, hashlib.sha256)

    def __repr__(self) -> str:
        return "TokenKey(***)"

    def token(self, label: str, normalised: Column) -> Column:
        """The token of each value; NULL for NULL."""
        from pyspark.sql import functions as F

        return F.concat(F.lit(_begin(label)), F.left(self.digest(normalised), F.lit(_DIGITS)))

    def digest(self, text: Column) -> Column:
        """HMAC-SHA256 of each text, in hexadecimal digits."""
        from pyspark.sql import functions as F

        inner = F.sha2(F.concat(self._pad(0x36), F.encode(text, "UTF-8")), 256)
        return F.sha2(F.concat(self._pad(0x5C), F.unhex(inner)), 256)

    def _pad(self, byte: int) -> Column:
        from pyspark.sql import functions as F

        return F.lit(bytes(b ^ byte for b in self._derived.ljust(_BLOCK, b"\0")))


def stand_in(secret: bytes, dataset: str) -> Callable[[Column], Column]:
    """Gives each value of ``dataset`` a short token that distinguishes it from others in a signature.

    It differs from all tokens of personal values, and the same value has another one in another dataset.
    """
    key = TokenKey(secret, _SIGNATURE_PURPOSE + b" " + dataset.encode())

    def short(value: Column) -> Column:
        from pyspark.sql import functions as F

        return F.left(key.digest(value), F.lit(_SIGNATURE_DIGITS))

    return short


def is_one(text: Column, label: str) -> Column:
    """Whether ``text``, if remediation has changed it, is one token of ``label`` and nothing else."""
    from pyspark.sql import functions as F

    # No other text that contains a token is as short: so the value was a single one of this kind, and nothing else.
    return text.startswith(_begin(label)) & (F.length(text) == len(_begin(label)) + _DIGITS)


def _begin(label: str) -> str:
    return f"tok_{VERSION}_{label.lower()}_"


def spliced(text: Column, pattern: str, token: Callable[[Column], Column]) -> Column:
    """``text`` with each match replaced by its ``token``.

    ``replace`` is not enough: one match may be a part of another, or of a word that is no match.
    """
    from pyspark.sql import functions as F

    def rejoined(it: Column) -> Column:
        marked = F.split(F.regexp_replace(it, pattern, _MARK), _MARK, -1)
        # Splitting by the pattern itself compiles it for each row; only a text with a mark of its own needs it.
        around = F.when(it.contains(_MARK), F.split(it, pattern, -1)).otherwise(marked)
        matches = F.regexp_extract_all(it, F.lit(pattern), F.lit(0))
        pieces = F.zip_with(
            around, matches, lambda before, match: F.concat(before, F.coalesce(token(match), F.lit("")))
        )
        return F.when(it.rlike(pattern), F.array_join(pieces, "")).otherwise(it)

    # A lambda's variable is computed once; ``text`` itself would be computed at every use.
    return F.element_at(F.transform(F.array(text), rejoined), 1)
