"""How a derived dataset is made: certified inputs, named Spark SQL steps, one output (``policies/processes``)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator

from data_platform.model.closed import Closed, Urn


class TriggerMode(StrEnum):
    """Who starts it: its own schedule, its inputs' certification, or both."""

    PROCESS = "PROCESS"
    DATASET = "DATASET"
    HYBRID = "HYBRID"


class InputRows(StrEnum):
    SAME_PARTITION = "same_partition"
    ALL = "all"


class Input(Closed):
    """A dataset whose certified view the steps read as ``name`` (default: the dataset's own name).

    ``rows`` is the day that is being made, or everything; of an unpartitioned dataset it is always everything.
    """

    dataset: Urn
    name: str = Field(default="", pattern=r"^([a-z_][a-z0-9_]*)?$")
    rows: InputRows = InputRows.SAME_PARTITION

    @property
    def view(self) -> str:
        return self.name or self.dataset.rsplit("/", 1)[-1]


class Step(Closed):
    """One SELECT, read by later steps under its ``name``. ``:partition`` is the day, a DATE.

    The query stands in ``sql``, or in the file ``sql_file`` beside the process's own.
    """

    name: str = Field(pattern=r"^[a-z_][a-z0-9_]*$")
    description: str = ""
    sql: str = ""
    sql_file: str = ""

    @model_validator(mode="after")
    def _one_query(self) -> Step:
        if bool(self.sql) == bool(self.sql_file):
            raise ValueError(f"step {self.name} needs sql or sql_file, one of the two")
        return self


class Process(Closed):
    """The last step's rows are the output."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    description: str = ""
    owner_team: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    output: Urn
    inputs: tuple[Input, ...] = Field(min_length=1)
    steps: tuple[Step, ...] = Field(min_length=1)
    trigger: TriggerMode = TriggerMode.DATASET

    @model_validator(mode="after")
    def _names_differ(self) -> Process:
        seen: set[str] = set()
        for name in [item.view for item in self.inputs] + [step.name for step in self.steps]:
            if name in seen:
                raise ValueError(f"{name} names two things: give each input and step a name of its own")
            seen.add(name)
        return self
