"""A step's result is there whole or not at all, and only the platform's user reads the folder."""

import stat
from pathlib import Path

import pytest

from data_platform.model.dataset import DatasetId
from data_platform.review.folder import OnboardingFolder

ORDERS = DatasetId("sales", "orders")


@pytest.fixture
def folder(tmp_path: Path) -> OnboardingFolder:
    made = OnboardingFolder(tmp_path, ORDERS)
    made.make()
    made.write_texts({name: name for name in ("dataset.yaml", "policy_bundle.yaml", "baseline.json")})
    return made


def test_a_process_that_died_while_it_wrote_leaves_no_result(folder: OnboardingFolder) -> None:
    (folder.root / ".proposal.json.77").write_text('{"rows": 1')

    assert folder.read("proposal") is None
    folder.write("proposal", {"rows": 1})
    assert folder.read("proposal") == {"rows": 1}


def test_a_left_over_part_of_a_file_is_no_policy_file(folder: OnboardingFolder) -> None:
    before = folder.stamp()
    (folder.dataset / ".dataset.yaml.77").write_text("urn: ds")

    assert folder.stamp() == before


def test_an_edit_changes_the_stamp(folder: OnboardingFolder) -> None:
    before = folder.stamp()
    (folder.dataset / "dataset.yaml").write_text("edited")

    assert folder.stamp() != before
    assert folder.texts()["datasets/sales/orders/dataset.yaml"] == "edited"


def test_to_forget_leaves_the_lock_that_this_process_holds(folder: OnboardingFolder) -> None:
    (folder.root / ".lock").touch()
    folder.write("proposal", {})

    folder.forget()

    assert [one.name for one in folder.root.iterdir()] == [".lock"]


def test_only_the_user_of_the_platform_reads_it(folder: OnboardingFolder) -> None:
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700
