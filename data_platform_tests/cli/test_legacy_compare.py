"""``legacy compare`` ends with 0 on parity and 3 on differences, and writes what it found, without personal values."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from data_platform.cli.main import app
from data_platform.installation import Platform
from data_platform_tests.cli.shop import ORDERS, Shop
from data_platform_tests.flows.estate import Estate, declare_orders, orders


@pytest.fixture
def certified(estate: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certified day; the command finds it by the environment, and uses the tests' session."""
    declare_orders(estate)
    orders(estate, "1,10.50,first", "2,20.00,second", "3,30.00,")
    estate.run("orders")
    monkeypatch.setenv("DATA_PLATFORM_HOME", str(estate.root))
    monkeypatch.setenv("DATA_PLATFORM_POLICIES", str(estate.root / "policies"))
    monkeypatch.setattr(Platform, "spark", estate.spark)


def compare(legacy: Path, *lines: str, said: tuple[str, ...] = ()) -> Result:
    legacy.write_text("\n".join(("ID,amount,note", *lines)) + "\n")
    arguments = ("legacy", "compare", "--legacy", str(legacy), "--new", ORDERS, "--partition", "2025-01-06", *said)
    return CliRunner().invoke(app, arguments, prog_name="data-platform")


@pytest.mark.usefixtures("certified")
def test_parity_differences_and_what_is_allowed(tmp_path: Path) -> None:
    out, folder = tmp_path / "orders.csv", tmp_path / "parity"
    apart = ("1,10.50,first ", "2,20.01,second", "4,1,x")

    same = compare(out, "1,10.5,first", "2,20,second", "3,30.00,")
    differ = compare(out, *apart, said=("--samples", "1", "--report", str(folder)))
    allowed = compare(out, *apart, said=("--trim", "--tolerance", "amount=0.01", "--allow", "50%", "--json"))

    assert (same.exit_code, differ.exit_code, allowed.exit_code) == (0, 3, 0), same.output + differ.output
    assert same.stdout.splitlines()[-2:] == ["2 of 2 columns are equal", "PARITY: all 3 keys agree"]
    assert ["renamed", "ID", "→", "id"] in [line.split() for line in same.stdout.splitlines()]
    assert differ.stdout.splitlines()[-1] == "DIFFERENT: 4 of 4 keys (100.0000%) differ"
    rows = [line.split() for line in differ.stdout.splitlines()]
    assert ["amount", "STRING", "DECIMAL(10,2)", "1", "0.01", "0.01", "0.00049975"] in rows
    assert ["id=1", "different", "note:", "first", "→", "first"] in rows
    assert ["keys", "only", "in", "new", "1"] in rows
    assert (folder / "parity.md").read_text().startswith("# DIFFERENT: ds://sales/orders 2025-01-06\n")
    written = json.loads((folder / "parity.json").read_text())
    assert (written["verdict"], written["exit_code"], written["rows"]["different"]) == ("DIFFERENT", 3, 2)
    assert sorted(path.name for path in folder.iterdir()) == ["parity.json", "parity.md"]
    told = json.loads(allowed.stdout)
    assert (told["verdict"], told["rows"]["within_tolerance"], told["samples"]) == ("WITHIN_ALLOWANCE", 1, [])
    assert told["rules"] == {"tolerance amount": "0.01", "trim": True, "allow": "50%"}


LEGACY = ("legacy", "compare", "--new", ORDERS, "--legacy")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param((*LEGACY, "none.csv"), "none.csv does not exist", id="no output"),
        pytest.param((*LEGACY, "."), "cannot be guessed from its name", id="no format"),
        pytest.param((*LEGACY, "a", "--format", "xls"), "expected csv, jsonl, parquet, delta", id="unknown format"),
        pytest.param((*LEGACY, "a", "--format", "csv", "--tolerance", "x"), "expected a number", id="no tolerance"),
        pytest.param((*LEGACY, "a", "--format", "csv", "--allow", "1"), "expected a percentage", id="no percentage"),
        pytest.param((*LEGACY, "a", "--format", "csv", "--map", "x"), "expected legacy_name=new_name", id="no mapping"),
        pytest.param((*LEGACY, "a", "--format", "csv", "--map", "a=b,a=c"), "a is mapped twice", id="mapped twice"),
        pytest.param((*LEGACY, "a", "--format", "csv", "--samples", "-1"), "--samples", id="fewer than none"),
        pytest.param((*LEGACY, "a", "--format", "csv", "--report", "README.md/x"), "cannot be created", id="folder"),
        pytest.param(("legacy", "compare", "--new", ORDERS), "Missing option '--legacy'", id="no legacy side"),
    ],
)
def test_wrong_use_is_2_before_spark_is_opened(shop: Shop, arguments: tuple[str, ...], said: str) -> None:
    result = shop.run(*arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert said in shop.json(*arguments, exit_code=2)["error"]


def test_a_dataset_that_was_never_certified_is_an_error(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")

    result = shop.run(*LEGACY, str(tmp_path / "a.csv"))

    assert result.exit_code == 1
    assert f"{ORDERS} has no certified version yet" in result.stderr
