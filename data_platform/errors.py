"""What can go wrong, by what the reader can do about it.

A message contains what was found, what was expected, what to do, and never a value from
the data. ``retryable`` answers the question asked at night: does a rerun help?
"""

from __future__ import annotations

from typing import ClassVar


class DataPlatformError(Exception):
    """Base class, so that callers can catch ours and nothing else."""

    retryable: ClassVar[bool] = False


class UsageError(DataPlatformError):
    """The command or call was wrong. Nothing was done."""


class InputError(UsageError):
    """A document that was sent is wrong. ``field`` is the place in it, such as ``run.runId``; nothing of it is kept."""

    def __init__(self, field: str, problem: str) -> None:
        self.field, self.problem = field, problem
        super().__init__(f"{field}: {problem}" if field else problem)


class NotFoundError(UsageError):
    """What was asked for by name is not in the catalog."""


class RoleError(UsageError):
    """The role of the user does not allow what was asked for."""


class RateError(UsageError):
    """The user has asked for too much in too short a time. Later the same request is allowed."""


class PolicyError(DataPlatformError):
    """Policy files are wrong. Fix the files; a rerun cannot help.

    ``problems`` holds every problem of every file, each a whole sentence with its place.
    """

    def __init__(self, problems: str | list[str] | tuple[str, ...]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class SourceError(DataPlatformError):
    """A delivery cannot be read as what its dataset declares."""


class VanishedInputError(SourceError):
    """What a stage reads was there when the stage was planned, and is gone. ``inputs`` are the names of the missing."""

    def __init__(self, message: str, inputs: tuple[str, ...] = ()) -> None:
        self.inputs = inputs
        super().__init__(message)


class SourceUnavailableError(DataPlatformError):
    """A source system or file did not answer, or has not arrived. It may answer next time."""

    retryable = True


class UnknownOutcomeError(SourceUnavailableError):
    """The connection broke while a change was being committed, which may be stored or not. A rerun finds out."""


class TableNotFoundError(DataPlatformError):
    """There is no Delta table at this place yet."""


class UnreadableVersionError(DataPlatformError):
    """A version that the catalog refers to can no longer be read: its files or its log are gone.

    ``inputs`` has the name of the table, if it was to be read and not to be restored.
    """

    def __init__(self, message: str, inputs: tuple[str, ...] = ()) -> None:
        self.inputs = inputs
        super().__init__(message)


class NotCertifiedError(DataPlatformError):
    """No version of the dataset has ever passed its gates."""


class ContractError(DataPlatformError):
    """Rows of a user's own frame break the contract of its dataset. The message has each broken rule and its rows."""


class ConservationError(DataPlatformError):
    """Rows read are not rows accepted plus rows quarantined. The batch is held."""


class ConflictError(DataPlatformError):
    """Another writer got there first. A rerun reads its result and tries again."""

    retryable = True


class LeaseHeldError(ConflictError):
    """Another run is writing this dataset."""


class StoppedError(DataPlatformError):
    """The process was asked to end, and the run gave up what it was doing. A rerun starts it anew."""

    retryable = True


class EnvironmentProblem(DataPlatformError):  # noqa: N818 - it is the machine's problem, and reads so
    """The machine lacks something: Java, a jar, disk space."""
