"""``contract export`` writes a file that ``contract import`` reads back as the dataset's bundle."""

from pathlib import Path

import yaml

from data_platform.policies import load_policies
from data_platform_tests.cli.shop import Shop


def test_an_exported_contract_is_imported_as_the_bundle_of_the_dataset(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "orders.odcs.yaml"

    shop.run("contract", "export", "orders", "--output", str(file))

    bundle = load_policies(shop.root / "policies").dataset("orders").bundle
    written = shop.json("contract", "import", str(file))
    assert written["bundle"]["schema"] == bundle.model_dump(mode="json", by_alias=True, exclude_defaults=True)["schema"]
    assert written["not_executable"] == []


def test_the_contract_on_standard_output_is_the_one_in_the_file(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "orders.odcs.yaml"
    shop.run("contract", "export", "orders", "--output", str(file))

    assert yaml.safe_load(shop.run("contract", "export", "sales/orders").stdout) == yaml.safe_load(file.read_text())
    assert shop.json("contract", "export", "orders") == yaml.safe_load(file.read_text())


def test_an_existing_file_is_not_overwritten(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "orders.odcs.yaml"
    file.write_text("mine")

    result = shop.run("contract", "export", "orders", "--output", str(file))

    assert (result.exit_code, file.read_text()) == (2, "mine")
    assert "name a new file" in result.output
