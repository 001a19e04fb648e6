"""The request to approve a policy, of an onboarding or of an edit after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.registration import RegistrationRequest
from data_platform.policies.approval import approval_fingerprint

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.registration import Actor, RegistrationEntry
    from data_platform.policies import Dataset


def approval_request(dataset: Dataset) -> RegistrationRequest:
    policy = dataset.policy
    return RegistrationRequest(
        namespace=f"ds://{dataset.id.zone}",
        name=dataset.id.name,
        description=policy.description or None,
        owner_team=policy.owner_team,
        owner_email=policy.owner_email,
        partitioning=policy.partition.scheme if policy.partition else None,
        policy_fingerprint=approval_fingerprint(dataset),
    )


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
