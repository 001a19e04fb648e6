"""Sessions of signed-in people, as signed cookies, and the tokens that protect forms.

A cookie names the access token's row, never the token itself, and is valid until the token is revoked, somebody signs
out or twelve hours have passed. The key is a file of the installation, so every worker accepts it, and a restart signs
nobody out.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

COOKIE = "data_platform_session"
LIFETIME = timedelta(hours=12)
_SESSION, _FORM = b"session v1", b"form v1"
_NONCE_BYTES = 16


@dataclass(frozen=True)
class Session:
    """``nonce`` distinguishes two sessions of one access token."""

    token_id: int
    expires_at: datetime
    nonce: str

    @property
    def text(self) -> str:
        return f"{self.token_id}.{int(self.expires_at.timestamp())}.{self.nonce}"


class Sessions:
    def __init__(self, key: bytes) -> None:
        self._key = key

    def open(self, token_id: int, now: datetime) -> tuple[Session, str]:
        """A new session, and the value of its cookie."""
        expires = datetime.fromtimestamp(int((now + LIFETIME).timestamp()), UTC)
        session = Session(token_id, expires, secrets.token_urlsafe(_NONCE_BYTES))
        return session, f"{session.text}.{self._sign(_SESSION, session.text)}"

    def read(self, cookie: str, now: datetime) -> Session | None:
        """The session of a cookie; None if it is forged or has expired."""
        text, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._sign(_SESSION, text).encode(), signature.encode(errors="replace")):
            return None
        token_id, expires, nonce = text.split(".", 2)
        session = Session(int(token_id), datetime.fromtimestamp(int(expires), UTC), nonce)
        return session if now < session.expires_at else None

    def form_token(self, session: Session) -> str:
        """A text for a form of the session. It differs each time, so that a compressed page does not reveal it."""
        digest = self._digest(_FORM, session.text)
        mask = secrets.token_bytes(len(digest))
        masked = bytes(one ^ other for one, other in zip(mask, digest, strict=True))
        return base64.urlsafe_b64encode(mask + masked).decode()

    def accepts(self, session: Session, form_token: str) -> bool:
        """Whether a form of this session has the text."""
        expected = self._digest(_FORM, session.text)
        try:
            raw = base64.b64decode(form_token.encode(errors="replace"), b"-_", validate=True)
        except (ValueError, binascii.Error):
            return False
        if len(raw) != 2 * len(expected):
            return False
        mask, masked = raw[: len(expected)], raw[len(expected) :]
        return hmac.compare_digest(bytes(one ^ other for one, other in zip(mask, masked, strict=True)), expected)

    def _sign(self, purpose: bytes, text: str) -> str:
        return base64.urlsafe_b64encode(self._digest(purpose, text)).decode().rstrip("=")

    def _digest(self, purpose: bytes, text: str) -> bytes:
        return hmac.digest(self._key, purpose + b"\0" + text.encode(errors="surrogatepass"), hashlib.sha256)
