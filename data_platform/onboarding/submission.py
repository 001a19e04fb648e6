"""The request to approve an edit of an onboarded dataset's policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.review.submission import approval_request

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.registration import Actor, RegistrationEntry
    from data_platform.policies import Dataset


def submit_edit(platform: Platform, dataset: Dataset, by: Actor) -> RegistrationEntry:
    """Requests the approval of the policy files of an onboarded dataset as they are now.

    Raises:
        UsageError: The dataset was never onboarded, or this policy is approved.
    """
    approval = platform.catalog.onboardings.approval(dataset.urn)
    if approval is None:
        raise UsageError(f"{dataset.urn} was not onboarded, so its policy needs no approval here")
    request = approval_request(dataset)
    if request.policy_fingerprint in approval.approved:
        raise UsageError(f"the policy of {dataset.urn} ({request.policy_fingerprint}) is approved already")
    return platform.catalog.onboardings.request_approval(request, by=by, now=platform.now())
