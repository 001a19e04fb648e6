"""Values that a page gives to a browser, and gets back unchanged: texts with a signature of this installation."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Seal:
    """``purpose`` keeps a value of one page from being accepted by another."""

    key: bytes = field(repr=False)
    purpose: str

    def sealed(self, value: Any) -> str:
        """``value`` is one of JSON's own kinds."""
        text = json.dumps([self.purpose, value], separators=(",", ":"))
        return f"{base64.urlsafe_b64encode(text.encode()).decode().rstrip('=')}.{self._sign(text)}"

    def opened(self, sealed: str) -> Any:
        """The value; None if the text was not sealed here for the same purpose."""
        encoded, _, signature = sealed.partition(".")
        try:
            text = base64.b64decode(encoded + "=" * (-len(encoded) % 4), b"-_", validate=True).decode()
        except (ValueError, binascii.Error):
            return None
        if not hmac.compare_digest(self._sign(text).encode(), signature.encode(errors="replace")):
            return None
        purpose, value = json.loads(text)
        return value if purpose == self.purpose else None

    def _sign(self, text: str) -> str:
        return hmac.digest(self.key, b"seal v1\0" + text.encode(errors="surrogatepass"), hashlib.sha256).hex()
