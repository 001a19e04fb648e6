"""A new repository is whole, its policies are without a problem, and nothing that exists is overwritten."""

from pathlib import Path

import pytest
import yaml

from data_platform.errors import EnvironmentProblem, UsageError
from data_platform.ingestion.manifest.document import read_manifest
from data_platform.policies import json_schemas, load_policies
from data_platform.starter.repository import write_repository

ROOT = Path(__file__).parents[2]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_policies_of_a_new_repository_have_no_problem(tmp_path: Path) -> None:
    written = write_repository(tmp_path / "new", tmp_path / "landing")

    assert [dataset.urn for dataset in load_policies(tmp_path / "new" / "policies").datasets] == ["ds://sales/orders"]
    assert sorted(str(path.relative_to(tmp_path / "new")) for path in written) == sorted(contents(tmp_path / "new"))
    assert {".gitignore", ".github/workflows/check.yml", "Makefile", "workspace.yaml"} <= set(
        contents(tmp_path / "new")
    )


def test_the_sample_matches_its_manifest(tmp_path: Path) -> None:
    write_repository(tmp_path / "new", tmp_path / "landing")

    day = tmp_path / "landing" / "orders" / "2025-01-01"
    manifest = read_manifest(day / "manifest.json")
    assert manifest.files[0].bytes == (day / "orders.csv").stat().st_size
    assert contents(day) == contents(tmp_path / "new" / "sample" / "orders" / "2025-01-01")


def test_the_workspace_names_the_location_as_this_repository_does(tmp_path: Path) -> None:
    write_repository(tmp_path / "new", tmp_path / "landing")

    ours = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"][0]["python_module"]
    theirs = yaml.safe_load((tmp_path / "new" / "workspace.yaml").read_text())["load_from"][0]["python_module"]
    assert theirs == ours


def test_editors_find_the_schemas_that_the_policies_name(tmp_path: Path) -> None:
    write_repository(tmp_path / "new", tmp_path / "landing")

    files = list((tmp_path / "new" / "policies").rglob("*.yaml"))
    assert len(files) > 1
    for path in files:
        named = path.read_text().splitlines()[0].partition("$schema=")[2]
        assert (path.parent / named).resolve().name in json_schemas()
        assert (path.parent / named).is_file()


@pytest.mark.parametrize("existing", ["new/README.md", "landing/orders/2025-01-01/orders.csv"])
def test_no_file_is_overwritten_and_nothing_is_half_made(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).parent.mkdir(parents=True)
    (tmp_path / existing).write_text("mine")

    with pytest.raises(UsageError, match="already exists"):
        write_repository(tmp_path / "new", tmp_path / "landing")

    assert contents(tmp_path) == {existing: b"mine"}


def test_a_file_in_place_of_the_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("a file")

    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        write_repository(tmp_path / "new", tmp_path / "landing")
