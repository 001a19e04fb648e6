"""Finds a dataset of the catalog by its name, and its name by its URN, also if its policy is gone or has errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import PolicyError, UsageError
from data_platform.model.dataset import SEPARATOR, DatasetId, Stage

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.policies import Policies


def recorded_urn(platform: Platform, name: str) -> str:
    """The URN of the dataset that ``name`` means: ds://zone/name, zone/name, zone__name or a table's name.

    A full name is looked up in the catalog only. A short one is looked up in the policies, and then in the catalog.

    Raises:
        UsageError: No dataset has this name, or several have.
        PolicyError: The policies have errors, and the catalog has no dataset of this name.
    """
    wanted = name.removeprefix(f"{Stage.CERTIFIED}.")
    urn = _full_name(wanted)
    if urn is not None and platform.catalog.certifications.get(urn) is not None:
        return urn
    try:
        return platform.policies.dataset(name).urn
    except (UsageError, PolicyError):
        urns = [pointer.dataset_urn for pointer in platform.catalog.certifications.all()]
        same = [urn for urn in urns if urn.rpartition("/")[2] == wanted]
        if len(same) != 1:
            raise
        return same[0]


def certified_name(policies: Policies, urn: str) -> str:
    """The shortest name of its certified view, or the URN if the dataset is no longer declared."""
    declared = policies.find(urn)
    return f"{Stage.CERTIFIED}.{policies.view_names(declared)[0]}" if declared else urn


def _full_name(name: str) -> str | None:
    zone, separator, rest = name.removeprefix("ds://").partition("/")
    if not separator:
        zone, _, rest = name.partition(SEPARATOR)
    try:
        return DatasetId.parse(f"ds://{zone}/{rest}").urn
    except ValueError:
        return None
