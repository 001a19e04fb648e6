"""One partition of a dataset, as a value: its text, its order, its interval, and the value of its column.

A key is its text, ``2013-01-31``, which Dagster, the catalog, events and notes of commits contain. Today every
partition is a day. Only this module knows it, with ``partition``, which has the partitions that a policy declares, and
``orchestration.dagster_types``, which defines these for Dagster. ``partition_path`` has the paths that contain a
partition, and ``lake.partition`` the rows of one.

Another kind is added here. Its texts sort in the order of time and look like those of no other kind, so that a key is
recognized without a policy: ``2013-01-31T05`` for an hour, ``2013-01`` for a month, ``2013-01-31|EU`` for a named part
of a day. ``value``, ``sql`` and the type of the column then depend on the kind, as do ``shifted`` and ``starts_at``; an
hour adds ``%H`` to ``DIRECTIVES``. A named part has a second column, and so a second condition in ``lake.partition``.

Standard library only: the legacy client uses it.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from data_platform.model.wall_clock import instants

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

EXAMPLE = "2013-01-31"
DEFAULT_FORMAT = "%Y-%m-%d"
DIRECTIVES = {"%Y": r"\d{4}", "%m": r"\d{2}", "%d": r"\d{2}"}
"""The format codes of a partition, each with the pattern of its digits. A path contains each of them once."""
COLUMN_TYPE = "date"
"""The type of the column that holds the partition of a row."""


class PartitionKey(str):
    """The key of one partition. Keys are ordered by time; Dagster itself has such a text, ``MultiPartitionKey``.

    Dagster's serialization accepts plain text only: give it ``str(key)``.

    Raises:
        ValueError: The text is no key.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        try:
            is_key = date.fromisoformat(text).isoformat() == text  # it would also read 20130131 and 2013-W05-4
        except ValueError:
            is_key = False
        if not is_key:
            raise ValueError(f"{text!r} is not a partition; expected a day such as {EXAMPLE}")
        return super().__new__(cls, text)

    @classmethod
    def of_value(cls, value: date) -> Self:
        """The partition of the rows whose column has ``value``."""
        return cls(value.isoformat())

    @classmethod
    def of_parts(cls, parts: Mapping[str, str]) -> Self:
        """The partition of a path; ``parts`` are as in the property.

        Raises:
            ValueError: No calendar has that day.
        """
        return cls("-".join(parts[code] for code in DIRECTIVES))

    @classmethod
    def containing(cls, moment: datetime, time_zone: str) -> Self:
        """The partition that has begun and is not over at ``moment``."""
        return cls.of_value(moment.astimezone(ZoneInfo(time_zone)).date())

    @classmethod
    def of_nominal_start(cls, moment: datetime, time_zone: str) -> Self:
        """The partition of a run that an event reports. Most producers write midnight in UTC, whatever their zone."""
        in_utc = moment.astimezone(UTC)
        return cls.of_value(in_utc.date()) if in_utc.time() == time() else cls.containing(moment, time_zone)

    @property
    def nominal_start(self) -> str:
        """The start of a run's partition in an event, in the form that ``of_nominal_start`` reads."""
        return f"{self}T00:00:00Z"

    @property
    def value(self) -> date:
        """The value of the partition's column."""
        return date.fromisoformat(self)

    @property
    def sql(self) -> str:
        """The value of the partition's column as a literal of SQL."""
        return f"DATE'{self}'"

    def starts_at(self, time_zone: str) -> datetime:
        """The first instant of the partition, in UTC."""
        return instants(datetime.combine(self.value, time()), ZoneInfo(time_zone))[0]

    def ends_at(self, time_zone: str) -> datetime:
        """The first instant after the partition, in UTC."""
        return self.next.starts_at(time_zone)

    @property
    def next(self) -> Self:
        return self.shifted(1)

    @property
    def previous(self) -> Self:
        return self.shifted(-1)

    def shifted(self, steps: int) -> Self:
        return self.of_value(self.value + timedelta(days=steps))

    def steps_to(self, other: PartitionKey) -> int:
        """How many times ``next`` leads from here to ``other``; negative if ``other`` is earlier."""
        return (other.value - self.value).days

    @property
    def parts(self) -> dict[str, str]:
        """Maps each of ``DIRECTIVES`` to its digits."""
        return dict(zip(DIRECTIVES, self.split("-"), strict=True))

    def __format__(self, form: str) -> str:
        """``{key}`` is the text, and ``{key:%Y%m%d}`` the partition in that format."""
        if "%" not in form:
            return super().__format__(form)
        for code, digits in self.parts.items():
            form = form.replace(code, digits)
        return form
