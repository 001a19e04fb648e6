"""How a derived dataset is made: certified inputs, named Spark SQL steps, one output (``policies/processes``)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from data_platform.model.closed import Closed, Urn
from data_platform.model.schedule import parse_schedule


class TriggerMode(StrEnum):
    """What starts it.

    PROCESS: its own schedule, whether its inputs exist or not, as in a legacy scheduler; without a schedule, people.
    DATASET: the certification of its inputs. HYBRID: whichever comes first; the schedule starts what has not started.
    """

    PROCESS = "PROCESS"
    DATASET = "DATASET"
    HYBRID = "HYBRID"


class InputRows(StrEnum):
    SAME_PARTITION = "same_partition"
    ALL = "all"


class Input(Closed):
    """A dataset whose certified view the steps read as ``name`` (default: the dataset's own name).

    ``rows`` is the current day, or all rows; for an unpartitioned dataset it is always all rows.
    """

    dataset: Urn
    name: str = Field(default="", pattern=r"^([a-z_][a-z0-9_]*)?$")
    rows: InputRows = InputRows.SAME_PARTITION

    @property
    def view(self) -> str:
        return self.name or self.dataset.rsplit("/", 1)[-1]


class Step(Closed):
    """One SELECT, read by later steps under its ``name``. ``:partition`` is the day, a DATE.

    The query is in ``sql``, or in the file ``sql_file`` beside the process's own.
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


def _is_schedule(text: str) -> str:
    parse_schedule(text)
    return text


class Process(Closed):
    """The last step's rows are the output.

    ``schedule`` is ``02:00 ET daily``, or a cron in the time zone of the output's days (UTC, if it has none); each tick
    starts the last day that is over. DATASET has none, HYBRID needs one, PROCESS without one is started by hand.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    description: str = ""
    owner_team: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    output: Urn
    inputs: tuple[Input, ...] = Field(min_length=1)
    steps: tuple[Step, ...] = Field(min_length=1)
    trigger: TriggerMode = TriggerMode.DATASET
    schedule: Annotated[str, AfterValidator(_is_schedule)] | None = Field(default=None, validate_default=True)

    @field_validator("schedule")
    @classmethod
    def _fits_the_trigger(cls, schedule: str | None, info: ValidationInfo) -> str | None:
        trigger = info.data.get("trigger")  # absent if it is wrong itself
        if schedule and trigger is TriggerMode.DATASET:
            raise ValueError(
                "trigger DATASET has no schedule: leave it out, or use HYBRID for both or PROCESS for it alone"
            )
        if not schedule and trigger is TriggerMode.HYBRID:
            raise ValueError("trigger HYBRID needs a schedule, such as '02:00 ET daily': add one, or use DATASET")
        return schedule

    @model_validator(mode="after")
    def _names_differ(self) -> Process:
        seen: set[str] = set()
        for name in [item.view for item in self.inputs] + [step.name for step in self.steps]:
            if name in seen:
                raise ValueError(f"{name} names two things: give each input and step a name of its own")
            seen.add(name)
        return self
