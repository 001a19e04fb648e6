"""An onboarding: a proposed policy of a new dataset, and how far it has come until somebody has approved it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class OnboardingState(StrEnum):
    """PROPOSED has a policy, TRIED has seen the last days with it; PENDING waits for an approval."""

    PROPOSED = "PROPOSED"
    TRIED = "TRIED"
    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, kw_only=True)
class Onboarding:
    """``policy_fingerprint`` is that of the proposed files. ``document`` has the rules with their reasons and counts.

    ``registration`` is the number of the request for approval, None before it; ``review`` is where its files are.
    """

    dataset_urn: str
    state: OnboardingState
    source: str
    author: str
    policy_fingerprint: str
    document: dict[str, Any] = field(default_factory=dict)
    registration: int | None = None
    review: str = ""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class PolicyApproval:
    """The fingerprints of an onboarded dataset's policy that are approved, and the requests that wait."""

    approved: frozenset[str]
    pending: dict[str, int] = field(default_factory=dict)
    """Numbers of registrations by fingerprint."""
