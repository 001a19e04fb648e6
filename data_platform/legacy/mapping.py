"""What JIL cannot say: which watched files and which jobs are which datasets (``policies/legacy/*.yaml``)."""

from __future__ import annotations

from pydantic import Field, model_validator

from data_platform.model.closed import Closed, Urn


class WatchFileMapping(Closed):
    """``pattern`` is of the watch file as the job writes it; ``*`` is any text, variables such as ``$$DATE`` too."""

    pattern: str = Field(min_length=1)
    dataset: Urn


class JobMapping(Closed):
    """``job`` is a name, or a pattern of names with ``*``. What it says of a job counts instead of what is inferred."""

    job: str = Field(min_length=1)
    inputs: tuple[Urn, ...] = ()
    outputs: tuple[Urn, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> JobMapping:
        if not self.inputs and not self.outputs:
            raise ValueError(f"{self.job} needs inputs or outputs; without them, leave it out")
        return self


class LegacyMapping(Closed):
    """The first pattern that matches a watch file counts; of a job, all that match."""

    watch_files: tuple[WatchFileMapping, ...] = ()
    jobs: tuple[JobMapping, ...] = ()
