"""Parts of pages that take long to render, kept compressed: the drawing of a graph is opened again and again.

The key of a fragment is everything that it is made of, so a kept one is never out of date.
"""

from __future__ import annotations

import hashlib
import json
import threading
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 16_000_000
"""Of all kept fragments; a graph of 500 nodes has some 60 kB."""
_LEVEL = 3


class Fragments:
    """Thread-safe. The one that was asked for longest ago is dropped first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes = 0

    def render(self, *parts: Any, caller: Callable[[], str]) -> str:
        """The HTML that ``caller`` renders, which depends on ``parts`` alone; they are values of JSON.

        A template calls it with ``{% call fragment(…) %}``, whose text is not escaped again.
        """
        key = hashlib.sha256(json.dumps(parts).encode()).digest()
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is not None:
            return zlib.decompress(kept).decode()
        text = caller().encode(errors="replace")
        self._keep(key, zlib.compress(text, _LEVEL))
        return text.decode()

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _keep(self, key: bytes, fragment: bytes) -> None:
        with self._lock:
            self._bytes += len(fragment) - len(self._kept.pop(key, b""))
            self._kept[key] = fragment
            while self._bytes > self._most_bytes:
                self._bytes -= len(self._kept.popitem(last=False)[1])


FRAGMENTS = Fragments()
