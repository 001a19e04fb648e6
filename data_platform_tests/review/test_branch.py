"""Proposed files become one commit on a branch of their own; what somebody is editing stays as it is."""

import subprocess
from pathlib import Path

import pytest

from data_platform.errors import UsageError
from data_platform.review.branch import Review, hand_over

TEXTS = {"datasets/sales/orders/dataset.yaml": "urn: ds://sales/orders\n", "datasets/sales/orders/ü.md": "é\n"}


def git(folder: Path, *words: str) -> str:
    command = ("git", "-C", str(folder), "-c", "user.name=ann", "-c", "user.email=ann@example.com", *words)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


@pytest.fixture
def policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in a repository with one commit, whose user has no git configuration."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    folder = tmp_path / "repository" / "conf" / "policies"
    folder.mkdir(parents=True)
    (folder / "platform.yaml").write_text("environment: test\n")
    git(tmp_path / "repository", "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def handed_over(policies: Path, texts: dict[str, str] = TEXTS) -> Review:
    fallback = policies.parents[2] / "review"
    return hand_over(policies, texts, name="sales__orders", author="ann b", fallback=fallback)


def test_the_files_are_one_commit_on_top_of_the_present_one(policies: Path) -> None:
    review = handed_over(policies)

    assert review.branch == "onboard/sales__orders"
    assert git(policies, "rev-parse", f"{review.branch}~1") == git(policies, "rev-parse", "main")
    for place, text in TEXTS.items():
        assert git(policies, "show", f"{review.branch}:conf/policies/{place}") == text.strip()
    assert git(policies, "show", f"{review.branch}:conf/policies/platform.yaml") == "environment: test"


def test_what_somebody_is_editing_stays_as_it_is(policies: Path) -> None:
    (policies / "platform.yaml").write_text("environment: edited\n")
    (policies / "staged.yaml").write_text("new\n")
    git(policies, "add", "staged.yaml")
    before = git(policies, "status", "--porcelain")

    handed_over(policies)

    assert git(policies, "status", "--porcelain") == before
    assert git(policies, "branch", "--show-current") == "main"
    assert not (policies / "datasets").exists()


def test_a_repetition_makes_no_second_commit_and_an_edit_one_on_top(policies: Path) -> None:
    first = handed_over(policies)

    assert handed_over(policies) == first
    second = handed_over(policies, {**TEXTS, "datasets/sales/orders/dataset.yaml": "urn: ds://sales/orders\n# more\n"})
    assert git(policies, "rev-parse", f"{second.commit}~1") == first.commit


def test_a_branch_that_is_checked_out_is_not_changed(policies: Path) -> None:
    handed_over(policies)
    git(policies, "checkout", "-q", "onboard/sales__orders")

    with pytest.raises(UsageError, match="is checked out"):
        handed_over(policies)


def test_a_repository_without_a_commit_gets_its_first_one(policies: Path) -> None:
    other = policies.parents[2] / "empty" / "policies"
    other.mkdir(parents=True)
    git(other, "init", "-q", "-b", "main")

    assert git(other, "rev-list", "--count", handed_over(other).branch) == "1"


def test_without_a_repository_the_files_are_in_a_folder(tmp_path: Path) -> None:
    policies = tmp_path / "policies"
    policies.mkdir()

    review = hand_over(policies, TEXTS, name="sales__orders", author="ann", fallback=tmp_path / "review")

    assert (review.branch, review.folder) == ("", str(tmp_path / "review"))
    assert "not a git repository" in review.why
    assert (tmp_path / "review" / "datasets/sales/orders/dataset.yaml").read_text() == "urn: ds://sales/orders\n"


def test_a_folder_that_the_repository_ignores_has_no_branch(policies: Path) -> None:
    ignored = policies.parents[1] / "ignored"
    ignored.mkdir()
    (policies.parents[1] / ".gitignore").write_text("ignored/\n")

    assert "ignores it" in handed_over(ignored).why
