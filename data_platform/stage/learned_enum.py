"""Learns the codes of columns from the version that consumers see, without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.lake.presence import is_remote
from data_platform.lake.value_count import count_values
from data_platform.model.enum_domain import MOST_VALUES, LearnedDomains, learn, why_not_by_name

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies import Dataset


def learn_from_certified(platform: Platform, dataset: Dataset) -> LearnedDomains:
    """The domains of the text columns that no enum is declared for; values of others are not read at all.

    Raises:
        NotCertifiedError: No version has passed. UsageError: It is on storage that only Spark can read.
    """
    pointer = platform.certified(dataset.urn)
    assert pointer.version is not None  # noqa: S101
    if is_remote(pointer.path):
        raise UsageError(f"{pointer.path} is on storage that only Spark reads: declare enum in the policy instead")
    searched, texts = _searched(dataset.bundle), _texts(dataset)
    read = [name for name in texts if name.lower() not in searched and not why_not_by_name(name)]
    counts = count_values(pointer.path, pointer.version, read, most=MOST_VALUES) if read else {}
    return learn({name: counts.get(name, {}) for name in texts}, searched=searched)


def _texts(dataset: Dataset) -> list[str]:
    """The declared text columns that have no enum, limited to those of the baseline if it has columns."""
    registered = dataset.baseline.declared if dataset.baseline and dataset.baseline.schema_ else None
    return [
        c.field
        for c in dataset.bundle.schema_.constraints
        if c.column.type == "string" and not c.enum and (registered is None or registered.get(c.field))
    ]


def _searched(bundle: PolicyBundle) -> set[str]:
    """The text columns in which a PII rule searches, in lower case; a rule without fields searches all of them."""
    texts = {column.name.lower() for column in bundle.schema_.declared.columns}
    names: set[str] = set()
    for rule in bundle.pii.detection:
        names |= {name.lower().partition(".")[0] for name in rule.fields} if rule.fields else texts
    return names
