"""Keyed tokens: the same person has the same token in every dataset and run, and nobody can guess the value.

``model.token_text`` has the form of a token, ``model.token_secret`` how it follows from the key. A plain hash is not
enough: there are fewer than 10^9 SSNs, and all can be tried.

The HMAC is built from Spark's own ``sha2``. A reversible token is encrypted by ``AesCbc``, a function in Java, because
Spark's ``aes_encrypt``, which returns the same, asks Java for a new cipher for each value. So no row leaves the JVM.
The two pads of the HMAC and the key of the encryption are literals of the query plan, and whoever reads them can make
or open tokens. They come from keys derived for tokens alone, so the secret itself is in no plan. Spark hides them from
``explain``, the UI and event logs if ``spark.sql.redaction.string.regex`` is ``PLAN_REDACTION``; it does not hide them
from ``repr`` of a column, so do not log columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.gates.expression.java_function import java_function
from data_platform.model.token_secret import SEAL, TAG, derived_key
from data_platform.model.token_text import DIGITS, MOST_VALUE_BYTES, TAG_DIGITS, begin_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

MIN_KEY_BYTES = 32
PLAN_REDACTION = r"(?i)(?:0x|X')(?:[0-9a-f]{64}){1,2}'?"
"""A key of 32 bytes or a pad of 64 in Spark's plans: ``0x…`` in a plan and ``X'…'`` in SQL."""

_SIGNATURE_PURPOSE = b"data-platform signature v1"
_SIGNATURE_DIGITS = 12
_BLOCK = 64
_MARK = "\x1e"  # ASCII's record separator; a text that contains it is split in a slower way
_HOW = (
    f"put at least {MIN_KEY_BYTES} random bytes in a file and name it in DATA_PLATFORM_PII_KEY_FILE "
    "(for example: openssl rand -out pii.key 32), and keep it: another key makes other tokens"
)


class TokenKey:
    """The secret, in a type that never shows it. ``version`` is that of the key, and is in each token.

    Raises:
        PolicyError: There is no secret, or it is too short.
    """

    def __init__(self, secret: bytes | None, purpose: bytes = TAG, version: int = 1) -> None:
        if secret is None:
            raise PolicyError(f"the policy asks for tokenize, and there is no key: {_HOW}")
        if not isinstance(secret, bytes):
            raise PolicyError(f"the key for tokenize is of type {type(secret).__name__}, expected bytes: {_HOW}")
        if len(secret) < MIN_KEY_BYTES:
            raise PolicyError(f"the key for tokenize has {len(secret)} bytes, expected {MIN_KEY_BYTES}: {_HOW}")
        self._version = version
        self._derived, self._seal = derived_key(secret, purpose), derived_key(secret, SEAL)

    def __repr__(self) -> str:
        return "TokenKey(***)"

    def token(self, label: str, normalised: Column, *, reversible: bool = False) -> Column:
        """The token of each value; NULL for NULL. A value that is too long to be encrypted has its tag alone."""
        from pyspark.sql import functions as F

        tag = F.left(self.digest(normalised), F.lit(TAG_DIGITS))
        if reversible:
            is_short = F.octet_length(normalised) <= MOST_VALUE_BYTES
            tag = F.when(is_short, self._sealed(normalised, tag)).otherwise(tag)
        return F.concat(F.lit(begin_of(self._version, label)), tag)

    def _sealed(self, normalised: Column, tag: Column) -> Column:
        """The tag, which is the initialization vector, and the encrypted value."""
        from pyspark.sql import functions as F

        text, key, vector = F.encode(normalised, "UTF-8"), F.lit(self._seal), F.unhex(tag)
        return java_function("AesCbc", text, key, vector).cast("string")

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
    return text.rlike(rf"\Atok_v\d{{1,3}}_{label.lower()}_{DIGITS}\z")


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
