"""What JIL cannot say: which watched files and jobs are which datasets, and how those arrive (``policies/legacy``)."""

from __future__ import annotations

from datetime import date  # noqa: TC003 - pydantic reads annotations at run time
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from data_platform.legacy.jil.grammar import ConditionError, parse_condition
from data_platform.model.closed import Closed, Urn
from data_platform.model.freshness import Freshness, known_zone
from data_platform.model.source import Watch  # noqa: TC001 - as above


def _is_condition(text: str) -> str:
    try:
        parse_condition(text)
    except ConditionError as error:
        raise ValueError(f"{error}; write it as JIL does, such as 's(LOAD) & s(CHECK)'") from None
    return text


class WatchFileMapping(Closed):
    """``pattern`` is of the watch file as the job writes it; ``*`` is any text, variables such as ``$$DATE`` too."""

    pattern: str = Field(min_length=1)
    dataset: Urn


class JobMapping(Closed):
    """``job`` is a name, or a pattern of names with ``*``. What it says of a job counts instead of what is inferred.

    ``box``, ``schedule`` and ``condition`` are for what is shown of a job whose JIL the code location does not read;
    of a scanned job the JIL counts. ``freshness`` is by when its outputs should be there.
    """

    job: str = Field(min_length=1)
    inputs: tuple[Urn, ...] = ()
    outputs: tuple[Urn, ...] = ()
    team: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,59})?$")
    description: str = ""
    box: str | None = Field(default=None, min_length=1)
    schedule: str = ""
    condition: Annotated[str, AfterValidator(_is_condition)] | None = None
    freshness: Freshness | None = None

    @model_validator(mode="after")
    def _says_something(self) -> JobMapping:
        if len(self.model_fields_set) < 2:
            raise ValueError(f"{self.job} needs inputs or outputs, or a team or deadline; without them, leave it out")
        return self


class Days(Closed):
    """Daily partitions from ``start`` on, days in ``time_zone``."""

    start: date
    time_zone: Annotated[str, AfterValidator(known_zone)] = "UTC"


class DatasetMapping(Closed):
    """A dataset that the platform does not make: what days it has, what is reported of it, how its files arrive.

    ``checks`` are the names of checks that legacy jobs may report results of.
    """

    dataset: Urn
    description: str = ""
    partition: Days | None = None
    checks: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,100}$")], ...] = ()
    watch: Watch | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> DatasetMapping:
        if len(set(self.checks)) < len(self.checks):
            raise ValueError("a check stands twice; name each once")
        return self


class LegacyMapping(Closed):
    """The first pattern that matches a watch file counts; of a job, all that match."""

    watch_files: tuple[WatchFileMapping, ...] = ()
    jobs: tuple[JobMapping, ...] = ()
    datasets: tuple[DatasetMapping, ...] = ()
