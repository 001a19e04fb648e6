"""The kinds of ``source`` that a dataset may have: files in the landing zone, or a table.

All have ``producer``, ``traits``, ``kind``, ``arrival``, ``names_producer``, ``names_partition``, ``is_of_partition``,
``exponents`` and ``rounding``; only what finds a delivery and reads its rows has to know which of them it is.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Tag, TypeAdapter

from data_platform.model.delta_source import DeltaSource
from data_platform.model.jdbc_source import JdbcSource
from data_platform.model.source import Source

TABLES = {"jdbc": JdbcSource.__name__, "delta": DeltaSource.__name__}
"""The class of each format that is no format of files."""
KINDS = (Source.__name__, *TABLES.values())


def _kind_of(value: Any) -> str:
    named = value.get("format") if isinstance(value, dict) else getattr(value, "format", None)
    return TABLES.get(str(named), Source.__name__)


AnySource = Annotated[
    Annotated[Source, Tag(Source.__name__)]
    | Annotated[JdbcSource, Tag(JdbcSource.__name__)]
    | Annotated[DeltaSource, Tag(DeltaSource.__name__)],
    Discriminator(_kind_of),
]
SOURCE: TypeAdapter[Source | JdbcSource | DeltaSource] = TypeAdapter(AnySource)
