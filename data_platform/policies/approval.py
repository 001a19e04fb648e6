"""The fingerprint to which the approval of an onboarded dataset's policy is bound.

It covers everything that ``dataset.yaml`` and ``policy_bundle.yaml`` declare, and the columns of ``baseline.json``,
which a delivery is compared with. The other figures of the baseline only cause warnings, and are learned anew. Defaults
are not in it, so that a new version of the platform needs no new approval.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from data_platform.model.onboarding import PolicyApproval
    from data_platform.policies.catalog import Dataset


def approval_fingerprint(dataset: Dataset) -> str:
    """16 hexadecimal digits; comments and the order of keys do not count."""
    declared = [
        part.model_dump(mode="json", by_alias=True, exclude_defaults=True) for part in (dataset.policy, dataset.bundle)
    ]
    columns = [(one.name, one.type, one.nullable) for one in dataset.baseline.schema_] if dataset.baseline else []
    return hashlib.sha256(json.dumps([declared, columns], sort_keys=True).encode()).hexdigest()[:16]


def require_approved(dataset: Dataset, approval: PolicyApproval | None) -> None:
    """Raises: UsageError, if ``dataset`` was onboarded, and its policy is not one that is approved."""
    if approval is None:
        return
    fingerprint = approval_fingerprint(dataset)
    if fingerprint in approval.approved:
        return
    if (number := approval.pending.get(fingerprint)) is not None:
        what_to_do = f"somebody other than its author has to run `data-platform catalog approve {number}`"
    else:
        what_to_do = f"request it with `data-platform policy submit {dataset.id.zone}/{dataset.id.name}`"
    raise UsageError(f"the policy of {dataset.urn} ({fingerprint}) is not approved, so nothing runs: {what_to_do}")
