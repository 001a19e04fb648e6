"""A publish group: datasets whose certified versions consumers see change together, or not at all.

``data_platform.policies.group`` reads the file and checks it with the datasets. ``publication`` has what is recorded.
"""

from __future__ import annotations

from pydantic import Field, field_validator

from data_platform.model.closed import Closed


class PublishGroup(Closed):
    """``groups/<name>.yaml``. ``members`` are URNs, ``zone/name``, or short names; once loaded they are URNs, sorted.

    A day is published when every member whose partitions include it has passed its gates for it. Members without
    partitions are published when each of them has passed again since the last time.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)
    description: str = ""
    owner_team: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    members: tuple[str, ...]

    @field_validator("members")
    @classmethod
    def _several(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        if len(members) < 2:
            raise ValueError(f"found {len(members)}, expected at least 2 datasets: one is published alone anyway")
        return members
