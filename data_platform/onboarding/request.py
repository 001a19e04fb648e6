"""What somebody asks to onboard: deliveries or a Delta table by their path, or a table of a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.onboarding.place import find_place
from data_platform.onboarding.table_place import URL, TableRequest, find_delta_place, find_table_place, is_delta

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.onboarding.place import Place
    from data_platform.onboarding.proposal.proposed_policy import Owner

NO_TABLE = TableRequest()


@dataclass(frozen=True, kw_only=True)
class Request:
    """``path`` is as given: a path, or the URL of a database with the ``table``.

    The last ``profiled`` deliveries are profiled, and the last ``tried`` are tried.
    """

    path: str
    owner: Owner
    table: TableRequest = NO_TABLE
    profiled: int = 60
    tried: int = 3

    @property
    def source(self) -> str:
        """What is onboarded, as the command names it."""
        return f"{self.path} {self.table.options}".rstrip()

    def place(self, landing: Path) -> Place:
        """Raises: UsageError, if the request names neither deliveries nor a table."""
        if self.path.lower().startswith(URL):
            return find_table_place(self.path, self.table)
        if self.table.options:
            raise UsageError(
                f"{self.table.options}: only for a table, which a URL names: jdbc:postgresql://host/database"
            )
        return find_delta_place(landing, self.path) if is_delta(landing, self.path) else find_place(landing, self.path)
