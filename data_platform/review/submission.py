"""Submits proposed files: a branch for their review, and a request to approve the fingerprint of their policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.errors import ConflictError, PolicyError, UsageError
from data_platform.model.onboarding import OnboardingState
from data_platform.model.registration import RegistrationRequest
from data_platform.policies import load_policies
from data_platform.policies.approval import approval_fingerprint
from data_platform.review.branch import hand_over
from data_platform.review.folder import FOLDER, TRIAL, digest_of

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from data_platform.catalog import Catalog
    from data_platform.model.registration import Actor
    from data_platform.policies import Dataset
    from data_platform.review.branch import Review
    from data_platform.review.folder import OnboardingFolder


def submit(
    catalog: Catalog,
    folder: OnboardingFolder,
    *,
    policies: Path,
    home: Path,
    by: Actor,
    now: datetime,
    stamp: str | None = None,
) -> tuple[Review, int]:
    """Hands the files over for review, and requests their approval; returns where they are and its number.

    A repetition makes neither a second commit nor a second request.

    Raises:
        ConflictError: The files are not those of ``stamp`` any more, or somebody else's request is pending.
        UsageError: Nothing is proposed, or the branch is checked out.
        PolicyError: Somebody has edited a file, and it is wrong now.
    """
    entry = catalog.onboardings.find(folder.id.urn)
    if entry is None:
        raise UsageError(f"no policy of {folder.id.urn} is proposed yet: profile its deliveries first")
    texts, dataset = _read(folder, stamp)
    fallback = home / FOLDER / "for_review" / folder.id.identifier
    review = hand_over(policies, texts, name=folder.id.identifier, author=by.name, fallback=fallback)
    request = approval_request(dataset)
    number = catalog.onboardings.request_approval(request, by=by, now=now).id
    submitted = replace(
        entry,
        state=OnboardingState.PENDING,
        author=by.name,
        policy_fingerprint=approval_fingerprint(dataset),
        registration=number,
        review=review.place,
    )
    catalog.onboardings.save(submitted, now=now)
    return review, number


def _read(folder: OnboardingFolder, stamp: str | None) -> tuple[dict[str, str], Dataset]:
    """The files, and the dataset that they declare."""
    texts = folder.texts()
    if stamp is not None and stamp != digest_of(texts):
        raise ConflictError("the proposed files were changed since you opened the page: read them again, and submit")
    dataset = proposed_dataset(folder)
    if texts != folder.texts():
        raise UsageError(f"somebody is editing the files in {folder.dataset}: run this again")
    return texts, dataset


def proposed_dataset(folder: OnboardingFolder) -> Dataset:
    """The proposed dataset, read as its runs will read it.

    Raises:
        PolicyError: Somebody has edited a proposed file, and it is wrong now.
    """
    try:
        return load_policies(folder.policies).dataset(folder.id.urn)
    except PolicyError as error:
        fix = f"correct the files in {folder.dataset}, or run with --restart"
        raise PolicyError([*error.problems, fix]) from None


def is_tried(folder: OnboardingFolder) -> bool:
    """Whether all days were tried with the files as they are now."""
    trial = folder.read(TRIAL)
    return trial is not None and trial.get("stamp") == folder.stamp() and len(trial["days"]) == trial.get("of")


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
