"""The fingerprint to which the approval of an onboarded dataset's policy is bound.

It covers everything that ``dataset.yaml`` and ``policy_bundle.yaml`` declare, and the columns of ``baseline.json``,
which a delivery is compared with. The other figures of the baseline only cause warnings, and are learned anew. Defaults
are not in it, so that a new version of the platform needs no new approval.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data_platform.policies.catalog import Dataset


def approval_fingerprint(dataset: Dataset) -> str:
    """16 hexadecimal digits; comments and the order of keys do not count."""
    declared = [
        part.model_dump(mode="json", by_alias=True, exclude_defaults=True) for part in (dataset.policy, dataset.bundle)
    ]
    columns = [(one.name, one.type, one.nullable) for one in dataset.baseline.schema_] if dataset.baseline else []
    return hashlib.sha256(json.dumps([declared, columns], sort_keys=True).encode()).hexdigest()[:16]
