"""Delta table features that a column's type needs before the column can be added to an existing table.

A new table gets them automatically. Delta enables the other features that a policy's types can need (type widening,
variant) when it adds or widens the column.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_BY_TYPE = {"timestamp_ntz": "timestampNtz"}
_WORD = re.compile(r"\w+")


def features_of(types: Iterable[str]) -> set[str]:
    """Returns the features that must be enabled explicitly for ``types``, including nested types."""
    words = {word.lower() for kind in types for word in _WORD.findall(kind)}
    return {feature for word, feature in _BY_TYPE.items() if word in words}
