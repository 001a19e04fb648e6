"""The names of columns that Delta accepts."""

from __future__ import annotations

import re

# Delta refuses these characters in a column name; control characters are replaced because they are invisible.
_NOT_IN_DELTA = re.compile(r"[ ,;{}()\n\t=\x00-\x1f]+")


def delta_name(name: str) -> str:
    """``Order ID`` becomes ``Order_ID``; ``a.b`` and ``naïve`` stay, because Delta accepts them."""
    return _NOT_IN_DELTA.sub("_", name)
