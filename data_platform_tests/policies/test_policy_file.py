"""Policy files are replaced as a whole, validated, and never over the edit of somebody else."""

from pathlib import Path

import pytest

from data_platform.errors import PolicyError, UsageError
from data_platform.model.dataset import DatasetId
from data_platform.policies.policy_file import BUNDLE, PolicyFiles, read_files, require_valid, write_files

DATASET = (
    "urn: ds://sales/orders\nowner_team: sales\ntier: TIER_3\nsource: {format: csv, path: orders, producer: shop}\n"
)
TEXT = "schema:\n  constraints:\n    - {field: id, type: INT}\n"
NEW = TEXT + "    - {field: note, type: STRING}\n"


@pytest.fixture
def files(tmp_path: Path) -> PolicyFiles:
    folder = tmp_path / "policies" / "datasets" / "sales" / "orders"
    folder.mkdir(parents=True)
    (folder / "dataset.yaml").write_text(DATASET)
    (folder / BUNDLE).write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    (folder / BUNDLE).chmod(0o640)
    return read_files(tmp_path / "policies", DatasetId.parse("ds://sales/orders"))


def test_a_file_is_replaced_with_its_mode_and_byte_order_mark_kept(files: PolicyFiles) -> None:
    require_valid(files, {BUNDLE: NEW})

    [path] = write_files(files, {BUNDLE: NEW})

    assert path.read_bytes() == b"\xef\xbb\xbf" + NEW.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(file.name for file in files.folder.iterdir()) == ["dataset.yaml", BUNDLE]


def test_an_edit_that_is_not_valid_is_refused_with_file_and_line(files: PolicyFiles) -> None:
    with pytest.raises(PolicyError, match=r"policies/datasets/sales/orders/policy_bundle.yaml:4: .*MONEY"):
        require_valid(files, {BUNDLE: NEW.replace("STRING", "MONEY")})

    assert files.text(BUNDLE) == TEXT


def test_what_somebody_else_has_edited_meanwhile_is_left_as_it_is(files: PolicyFiles) -> None:
    (files.folder / BUNDLE).write_text("# mine\n" + TEXT)

    with pytest.raises(UsageError, match="was edited meanwhile"):
        write_files(files, {BUNDLE: NEW})

    assert (files.folder / BUNDLE).read_text() == "# mine\n" + TEXT


def test_a_link_stays_a_link_to_the_new_content(files: PolicyFiles, tmp_path: Path) -> None:
    target = tmp_path / "shared.yaml"
    (files.folder / BUNDLE).rename(target)
    (files.folder / BUNDLE).symlink_to(target)

    write_files(files, {BUNDLE: NEW})

    assert (files.folder / BUNDLE).is_symlink()
    assert target.read_text(encoding="utf-8-sig") == NEW
