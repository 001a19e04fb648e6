"""The place where changes of incidents become messages for people, in the transaction of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from data_platform.model.incident_event import IncidentEvent


def announce(connection: Connection, events: Sequence[IncidentEvent]) -> None:
    """Is called once at the end of each transaction that changed incidents, with all its events in order.

    The incidents have their new states already. What is stored here is stored exactly if the change is.
    """
