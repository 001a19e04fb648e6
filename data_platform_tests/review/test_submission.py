"""What is submitted is what was read and tried, once, whatever happens between the steps."""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import ConflictError, PolicyError, UsageError
from data_platform.model.dataset import DatasetId
from data_platform.model.onboarding import Onboarding, OnboardingState
from data_platform.model.registration import Actor
from data_platform.review import submission
from data_platform.review.folder import TRIAL, OnboardingFolder
from data_platform.review.submission import is_tried, submit
from data_platform_tests.catalog.template import new_catalog
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
ANN = Actor(name="ann", role="DATA_OWNER")
URN = "ds://shop/orders"
SOURCE = "source: {format: csv, path: orders, producer: shop}"


@pytest.fixture
def folder(tmp_path: Path) -> OnboardingFolder:
    made = OnboardingFolder(tmp_path / "home", DatasetId("shop", "orders"))
    made.make()
    texts = {"dataset.yaml": dataset_yaml(URN, SOURCE), "policy_bundle.yaml": bundle_yaml("id INT")}
    made.write_texts({**texts, "baseline.json": '{"schema": [{"name": "id", "type": "int", "nullable": true}]}'})
    return made


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.db") as opened:
        entry = Onboarding(
            dataset_urn=URN, state=OnboardingState.TRIED, source="orders", author="ann", policy_fingerprint="f",
            document={}, created_at=NOW, updated_at=NOW,
        )  # fmt: skip
        opened.onboardings.save(entry, now=NOW)
        yield opened


def interrupted(_: object) -> None:
    raise KeyboardInterrupt


def submitted(catalog: Catalog, folder: OnboardingFolder, policies: Path, stamp: str | None = None) -> int:
    home = folder.root.parents[1]
    return submit(catalog, folder, policies=policies, home=home, by=ANN, now=NOW, stamp=stamp)[1]


def test_a_stop_between_the_branch_and_the_request_is_repaired_by_a_repetition(
    catalog: Catalog, folder: OnboardingFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies = tmp_path / "repository"
    policies.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=policies, check=True)  # noqa: S607
    requesting = submission.approval_request
    monkeypatch.setattr(submission, "approval_request", interrupted)
    with pytest.raises(KeyboardInterrupt):
        submitted(catalog, folder, policies)
    monkeypatch.setattr(submission, "approval_request", requesting)
    assert catalog.registry.registrations().entries == ()

    numbers = {submitted(catalog, folder, policies) for _ in range(2)}

    [entry] = catalog.onboardings.all()
    assert (len(numbers), entry.state, entry.registration in numbers) == (1, OnboardingState.PENDING, True)
    commits = ["git", "rev-list", "--count", "onboard/shop__orders"]
    assert subprocess.check_output(commits, cwd=policies, text=True) == "1\n"  # noqa: S603
    assert [one.name for one in policies.iterdir()] == [".git"]


def test_files_that_were_edited_since_they_were_read_are_not_submitted(
    catalog: Catalog, folder: OnboardingFolder, tmp_path: Path
) -> None:
    stamp = folder.stamp()
    folder.write_texts({"dataset.yaml": dataset_yaml(URN, SOURCE, "description: other")})

    with pytest.raises(ConflictError, match="changed since you opened the page"):
        submitted(catalog, folder, tmp_path / "none", stamp)
    folder.write_texts({"dataset.yaml": "urn: ["})
    with pytest.raises(PolicyError, match="--restart"):
        submitted(catalog, folder, tmp_path / "none")
    assert catalog.registry.registrations().entries == ()


def test_nothing_is_submitted_before_something_is_proposed(folder: OnboardingFolder, tmp_path: Path) -> None:
    with new_catalog(tmp_path / "empty.db") as empty, pytest.raises(UsageError, match="profile its deliveries first"):
        submitted(empty, folder, tmp_path / "none")


def test_a_trial_is_that_of_the_files_as_they_are_now_and_of_every_day(folder: OnboardingFolder) -> None:
    assert not is_tried(folder)
    folder.write(TRIAL, {"key": "k", "stamp": folder.stamp(), "of": 2, "days": [{}]})
    assert not is_tried(folder), "it was stopped"
    folder.write(TRIAL, {"key": "k", "stamp": folder.stamp(), "of": 2, "days": [{}, {}]})
    assert is_tried(folder)
    folder.write_texts({"dataset.yaml": "edited"})
    assert not is_tried(folder)
