"""A table of a database as the source of a dataset: the ``source`` of ``dataset.yaml`` with ``format: jdbc``.

A password is never in a policy: ``Secret`` names the variable or the file that holds it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.secret import redact
from data_platform.model.source_format import FormatTraits
from data_platform.model.table_source import TableSource

MOST_PARTS = 64
"""The most connections that one read opens; a database has a few hundred for everybody."""
NESTED_AS_JSON = frozenset({"array", "struct"})


class Secret(Closed):
    """Where a password is: in an environment variable, or in a file that holds nothing else."""

    env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    file: str | None = Field(default=None, pattern=r"^/")

    @model_validator(mode="after")
    def _one_place(self) -> Secret:
        if bool(self.env) == bool(self.file):
            raise ValueError("name either env, a variable, or file, an absolute path")
        return self


class Driver(Closed):
    """``class`` is the driver's Java class; ``package`` its Maven coordinates, or ``jar`` the path of its file.

    PostgreSQL needs none of them. Without ``package`` and ``jar`` the driver has to be on Spark's class path.
    """

    class_: str = Field(default="", alias="class", pattern=r"^([A-Za-z_][\w$]*\.)*[\w$]*$")
    package: str = Field(default="", pattern=r"^([\w.-]+:[\w.-]+:[\w.-]+)?$")
    jar: str = Field(default="", pattern=r"^(/.+)?$")

    @model_validator(mode="after")
    def _one_jar(self) -> Driver:
        if self.package and self.jar:
            raise ValueError("name either package or jar")
        return self


class Split(Closed):
    """Reads ``parts`` ranges of a whole-number ``column`` at once.

    The ranges are between ``lower`` and ``upper``, by default the column's own bounds; the first and the last are open,
    so that no row is left out.
    """

    column: str = Field(min_length=1)
    parts: int = Field(ge=2, le=MOST_PARTS)
    lower: int | None = None
    upper: int | None = None

    @model_validator(mode="after")
    def _both_bounds(self) -> Split:
        if (self.lower is None) != (self.upper is None):
            raise ValueError("name both lower and upper, or neither")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError("lower has to be less than upper")
        return self


def _is_url(text: str) -> str:
    if not text.startswith("jdbc:"):
        raise ValueError("expected a JDBC URL such as jdbc:postgresql://host:5432/database")
    if redact(text) != text:
        raise ValueError("it seems to hold a password: remove it, and name where it is with password: {env: NAME}")
    return text


class JdbcSource(TableSource):
    """A ``table`` or a ``query`` (one SELECT) of the database at ``url``, read in one snapshot where it has any.

    ``time_limit_minutes`` bounds each statement. The other keys are those of every table.
    """

    format: Literal["jdbc"]
    url: Annotated[str, AfterValidator(_is_url)]
    user: str | None = None
    password: Secret | None = None
    table: str | None = None
    query: str | None = None
    split: Split | None = None
    fetch_size: int = Field(default=10_000, ge=1)
    time_limit_minutes: int = Field(default=60, ge=1, le=1440)
    driver: Driver = Driver()

    @property
    def traits(self) -> FormatTraits:
        return FormatTraits(endings=(), nested_types=NESTED_AS_JSON, is_typed=True, is_compressible=False)

    @model_validator(mode="after")
    def _reads_one_thing(self) -> JdbcSource:
        if bool(self.table) == bool(self.query):
            raise ValueError("name either table or query")
        return self
