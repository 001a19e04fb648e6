"""``catalog.deployments``: which code was deployed, when, and by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import deployment

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.deployment import Deployment
    from data_platform.model.registration import Actor


class Deployments:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, deployed: Deployment, *, by: Actor, now: datetime) -> tuple[Deployment, bool]:
        """Record a deployment, and say whether it is new. The first report of a reference and target counts.

        Raises:
            InputError: A field is invalid.
        """
        with self._database.writing() as connection:
            return deployment.add_deployment(connection, deployed, by=by, now=now)

    def find(self, target: str | None = None, *, limit: int = 100) -> tuple[Deployment, ...]:
        """Newest first.

        Raises:
            InputError: ``limit`` is out of range.
        """
        with self._database.reading() as connection:
            return deployment.find_deployments(connection, target, limit)

    def between(self, since: datetime, until: datetime) -> tuple[Deployment, ...]:
        """Oldest first."""
        with self._database.reading() as connection:
            return deployment.find_deployed_between(connection, since, until)
