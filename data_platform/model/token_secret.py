"""How tokens follow from a secret key, and how a reversible one is opened again.

The tag of a token is an HMAC of the value, and is also the initialization vector with which the value is encrypted
(AES-256 in CBC mode). That is the construction of SIV: equal values have equal tokens, which still join, and a token
that was changed, or made with another key, is recognised, because the opened value has another tag. AES-SIV itself
(RFC 5297) has no expression in Spark, and would move each row to a Python process. So the key is the vault: there is no
table of values that a run must fill, or that a crash may leave incomplete.

Each purpose has a key of its own, derived from the secret, which is itself in no plan of a query.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from data_platform.model.token_text import TAG_DIGITS

if TYPE_CHECKING:
    from data_platform.model.token_text import Token

TAG = b"data-platform token v1"
SEAL = b"data-platform token value v1"
_BLOCK_BITS = 128


def derived_key(secret: bytes, purpose: bytes) -> bytes:
    """32 bytes."""
    return hmac.digest(secret, purpose, hashlib.sha256)


def opened(token: Token, secret: bytes) -> str | None:
    """The normalised value of a reversible token; None if it was not made with ``secret``, or is not reversible."""
    if not token.is_reversible or (value := _decrypted(token, derived_key(secret, SEAL))) is None:
        return None
    tag = hmac.digest(derived_key(secret, TAG), value, hashlib.sha256)[: TAG_DIGITS // 2]
    if not hmac.compare_digest(tag, token.tag):
        return None
    return value.decode()


def _decrypted(token: Token, key: bytes) -> bytes | None:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.padding import PKCS7

    decryptor = Cipher(algorithms.AES256(key), modes.CBC(token.tag)).decryptor()
    unpadder = PKCS7(_BLOCK_BITS).unpadder()
    try:
        return unpadder.update(decryptor.update(token.sealed) + decryptor.finalize()) + unpadder.finalize()
    except ValueError:  # wrong padding: another key, or a changed token
        return None
