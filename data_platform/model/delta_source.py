"""A Delta table that the platform does not write, as the source of a dataset."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from data_platform.model.source_format import NESTED_TYPES, FormatTraits
from data_platform.model.table_source import TableSource


class DeltaSource(TableSource):
    """The latest version of the table at ``path``: a URI, an absolute path, or a folder below the landing root."""

    format: Literal["delta"]
    path: str = Field(min_length=1)

    @property
    def traits(self) -> FormatTraits:
        return FormatTraits(endings=(), nested_types=NESTED_TYPES, is_typed=True, is_compressible=False)
