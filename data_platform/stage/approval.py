"""Nothing of an onboarded dataset runs before somebody has approved its policy as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.policies.approval import approval_fingerprint

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.policies import Dataset


def require_approved(platform: Platform, dataset: Dataset) -> None:
    """Raises: UsageError, if ``dataset`` was onboarded, and its policy is not one that is approved."""
    approval = platform.catalog.onboardings.approval(dataset.urn)
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
