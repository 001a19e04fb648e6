"""Computes keys that are equal for dataset names that are easily mixed up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from data_platform.catalog.search.term import fold

if TYPE_CHECKING:
    from data_platform.model.lineage import Name

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/+|(file)/+")
_SLASHES = re.compile(r"/+")
_SAME_SCHEME = {
    **dict.fromkeys(("s3a", "s3n"), "s3"),
    **dict.fromkeys(("abfss", "wasb", "wasbs"), "abfs"),
    **dict.fromkeys(("webhdfs", "viewfs", "swebhdfs"), "hdfs"),
    **dict.fromkeys(("https",), "http"),
    **dict.fromkeys(("postgresql",), "postgres"),
}


def similar_full(name: Name) -> str:
    """The key of the joined text: one scheme for each store, one case, single slashes, none at the end."""
    scheme, rest = scheme_of(name.full)
    scheme = scheme.lower()
    return fold(f"{_SAME_SCHEME.get(scheme, scheme)}:{slashed(rest)}")


def similar_name(name: Name) -> str:
    """The key of the name within its namespace."""
    return fold(slashed(name.name))


def scheme_of(full: str) -> tuple[str, str]:
    """Splits ``s3://lake/orders`` into ``s3`` and ``lake/orders``; the scheme is empty if there is none."""
    match = _SCHEME.match(full)
    if match is None:
        return "", full
    return match[1] or match[2], full[match.end() :]


def slashed(text: str) -> str:
    return _SLASHES.sub("/", text).strip("/")
