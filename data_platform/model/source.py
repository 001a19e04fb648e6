"""``source`` of ``dataset.yaml``: where a dataset's deliveries land, and how they are written."""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import Field, field_validator

from data_platform.model.closed import Closed


class SourceFormat(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


class Source(Closed):
    """Where deliveries land: ``path`` is below the landing root, and ``{partition}`` in it is the day, ``2013-01-01``.

    With a ``manifest`` (JSON beside the files) only the files that it names are read, and each is checked against it.
    ``exponents`` lets a decimal be written ``1e3``, ``rounding`` lets it have more digits than its scale.
    """

    format: SourceFormat
    path: str = Field(min_length=1)
    files: str = ""  # a glob below ``path``; the default is every file of the format
    manifest: str | None = None
    producer: str | None = None
    encoding: str = "utf-8"
    delimiter: str = Field(default=",", min_length=1, max_length=1)
    quote: str = Field(default='"', min_length=1, max_length=1)
    exponents: bool = False
    rounding: bool = False

    @property
    def glob(self) -> str:
        return self.files or f"*.{self.format.value}"

    @field_validator("path")
    @classmethod
    def _below_landing(cls, path: str) -> str:
        if path.startswith("/") or ".." in path.split("/"):
            raise ValueError("a source's path lies below the landing root: neither absolute nor with ..")
        if left := set(re.findall(r"{(\w*)}", path)) - {"partition"}:
            raise ValueError(f"{{{left.pop()}}} is not known in a path; allowed: {{partition}}")
        return path
