"""Maps watched files and jobs to datasets, and declares how these arrive, which JIL cannot (``policies/legacy``)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from data_platform.legacy.jil.grammar import ConditionError, parse_condition
from data_platform.model.closed import Closed, Urn
from data_platform.model.freshness import Freshness  # noqa: TC001 - pydantic reads annotations at run time
from data_platform.model.partition import PartitionRange  # noqa: TC001 - as above
from data_platform.model.source import Watch  # noqa: TC001 - as above


def _is_condition(text: str) -> str:
    try:
        parse_condition(text)
    except ConditionError as error:
        raise ValueError(f"{error}; write it as JIL does, such as 's(LOAD) & s(CHECK)'") from None
    return text


class WatchFileMapping(Closed):
    """``pattern`` matches the watch file as the job has it; ``*`` is any text, also a variable such as ``$$DATE``."""

    pattern: str = Field(min_length=1)
    dataset: Urn


class JobMapping(Closed):
    """``job`` is a name, or a pattern of names with ``*``. Its inputs and outputs replace those inferred for a job.

    ``box``, ``schedule`` and ``condition`` describe a job whose JIL the code location does not read; for a scanned job
    the JIL counts. ``freshness`` is the deadline of its outputs.
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
    def _has_content(self) -> JobMapping:
        if len(self.model_fields_set) < 2:
            raise ValueError(f"{self.job} needs inputs or outputs, or a team or deadline; without them, leave it out")
        return self


class DatasetMapping(Closed):
    """A dataset that the platform does not produce: its partitions, its reported checks, and how its files arrive.

    ``checks`` are the names of the checks whose results legacy jobs may report.
    """

    dataset: Urn
    description: str = ""
    partition: PartitionRange | None = None
    checks: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,100}$")], ...] = ()
    watch: Watch | None = None

    @model_validator(mode="after")
    def _names_differ(self) -> DatasetMapping:
        if len(set(self.checks)) < len(self.checks):
            raise ValueError("a check is listed twice; name each once")
        return self


class LegacyMapping(Closed):
    """For a watch file the first matching pattern counts; for a job all matching patterns count."""

    watch_files: tuple[WatchFileMapping, ...] = ()
    jobs: tuple[JobMapping, ...] = ()
    datasets: tuple[DatasetMapping, ...] = ()
