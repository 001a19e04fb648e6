"""Columns that change on the way: what is let in fits, what is not is held, and nothing is cut, wrapped or lost."""

import json
import shutil
from datetime import timedelta
from typing import Any

import pytest
from typer.testing import CliRunner

from data_platform.cli.main import app
from data_platform.errors import PolicyError
from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform.model.verdict import Outcome
from data_platform.orchestration.instance import environment_of
from data_platform_tests.case import case_file, expected
from data_platform_tests.flows.estate import (
    DAY,
    ORDERS,
    ORDERS_PARTITION,
    ORDERS_SOURCE,
    Estate,
    declare_orders,
    orders,
)

NEXT = DAY.next
THIRD = DAY.shifted(2)


def declare(estate: Estate, columns: dict[str, str], *, file_format: str = "csv", **bundle: Any) -> None:
    """``orders`` of these columns; ``id`` is never NULL."""
    schema = bundle.pop("schema", {})
    constraints = [{"field": name, "type": kind, "nullable": name != "id"} for name, kind in columns.items()]
    estate.declare(
        ORDERS,
        {"schema": {**schema, "constraints": constraints}, **bundle},
        source={**ORDERS_SOURCE, "format": file_format},
        partition=ORDERS_PARTITION,
    )


def deliver(estate: Estate, case: str, file: str, day: Any = DAY) -> list[StageReport]:
    """Deliver a case's file for ``day`` and run it."""
    estate.deliver(f"orders/{day}", {file: case_file(case, file).read_bytes()})
    return estate.run("orders", day)


def types(estate: Estate, stage: Stage = Stage.GOLD) -> dict[str, tuple[str, bool]]:
    """Column to type and whether it may be NULL."""
    platform = estate.platform()
    columns = platform.table(platform.policies.dataset("orders"), stage).schema().columns
    platform.close()
    return {column.name: (column.type, column.nullable) for column in columns}


@pytest.mark.parametrize(
    "files", [("day1.parquet", "day2.parquet"), ("day2.parquet", "day1.parquet")], ids=["in order", "reverse"]
)
def test_an_int_that_becomes_a_bigint_widens_the_table_in_either_order(
    estate: Estate, files: tuple[str, str]
) -> None:  # C15
    declare(estate, {"id": "INT", "qty": "INT"}, file_format="parquet", schema={"widening": True})
    want = expected("C15")["widening_allowed"]

    ends = [deliver(estate, "C15", file, day)[-1] for file, day in zip(files, (DAY, NEXT), strict=True)]

    assert [end.stage for end in ends] == [Stage.CERTIFIED] * 2
    assert [[row["id"], row["qty"]] for row in estate.certified_rows("orders")] == want["rows"]
    assert types(estate)["qty"] == (want["type"], True)
    held = deliver(estate, "C15", "day3.parquet", THIRD)[-1]
    assert (held.stage, held.outcome, held.rows.quarantined) == (Stage.BRONZE, Outcome.FAILED, 1)
    assert "(breaking)" in held.verdicts[2].reason
    assert held.verdicts[2].signatures == ("SCHEMA_BREAK:qty:INT→STRING",)


def test_an_int_that_becomes_a_bigint_is_held_where_widening_is_not_allowed(estate: Estate) -> None:  # C15
    declare(estate, {"id": "INT", "qty": "INT"}, file_format="parquet")
    deliver(estate, "C15", "day1.parquet")

    held = deliver(estate, "C15", "day2.parquet", NEXT)[-1]

    assert (held.stage, held.outcome, held.rows.quarantined) == (Stage.BRONZE, Outcome.FAILED, 1)
    assert held.verdicts[2].reason == "day2.parquet: qty: INT -> BIGINT (safe)"
    assert [(row["id"], row["qty"]) for row in estate.certified_rows("orders")] == [(1, 100)]
    assert types(estate)["qty"] == ("int", True)
    aside = estate.spark.read.format("delta").load(held.quarantine_path).collect()
    assert [row["qty"] for row in aside] == [5_000_000_000]


def test_columns_are_bound_by_name_in_any_order_and_case(estate: Estate) -> None:  # C11
    declare(estate, {"id": "INT", "amount": "INT"})
    want = expected("C11")

    deliver(estate, "C11", "reordered.csv")
    renamed = deliver(estate, "C11", "renamed.csv", NEXT)

    rows = [{"id": row["id"], "amount": row["amount"], "day": row["day"]} for row in estate.certified_rows("orders")]
    assert [row for row in rows if row["day"] == DAY.value] == [
        {**r, "day": DAY.value} for r in want["reordered.csv"]["rows"]
    ]
    assert [row for row in rows if row["day"] == NEXT.value] == [
        {**r, "day": NEXT.value} for r in want["renamed.csv"]["rows"]
    ]
    assert want["renamed.csv"]["drift"] in " ".join(renamed[0].verdicts[2].metadata["changes"])
    assert list(types(estate)) == ["id", "amount", "day"]  # no second column, and the table's own spelling


@pytest.mark.parametrize("file", ["duplicate.csv", "case_collision.csv", "blank.csv"])
def test_a_header_that_binds_no_column_surely_is_held_at_bronze(estate: Estate, file: str) -> None:  # C11
    declare(estate, {"id": "INT", "amount": "INT"})

    [held] = deliver(estate, "C11", file)

    assert (held.stage, held.outcome) == (Stage.BRONZE, Outcome.FAILED)
    assert held.verdicts[2].signatures == (f"UNREADABLE:{file}",)


def test_a_reload_with_a_column_more_keeps_not_null(estate: Estate) -> None:  # C19
    compatible = {"mode": "compatible"}
    declare(estate, {"id": "INT", "amount": "DECIMAL(10,2)"}, schema=compatible)
    deliver(estate, "C19", "seed.csv")
    declare(
        estate,
        {"id": "INT", "amount": "DECIMAL(10,2)", "newc": "STRING"},
        schema=compatible,
        contract_lite={"min_compliance": 0},
    )

    reload = deliver(estate, "C19", "reload.csv", NEXT)
    bad = deliver(estate, "C19", "bad.csv", THIRD)[-1]

    assert reload[-1].stage is Stage.CERTIFIED
    assert reload[2].verdicts[0].metadata["changes"] == ["newc: added (safe)"]
    assert {row["day"]: row["newc"] for row in estate.certified_rows("orders")} == {DAY.value: None, NEXT.value: "n"}
    for stage in (Stage.SILVER, Stage.GOLD):
        assert types(estate, stage)["id"][1] is expected("C19")["after_reload"]["id_nullable"]
    assert (bad.stage, bad.rows.accepted, bad.rows.quarantined) == (Stage.SILVER, 0, 1)
    assert "MISSING_FIELD:id" in bad.verdicts[0].signatures


def test_a_policy_that_adds_a_column_is_held_by_a_strict_schema_and_passes_a_compatible_one(estate: Estate) -> None:
    declare(estate, {"id": "INT"})
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id\n1\n"})
    estate.run("orders")
    estate.deliver(f"orders/{NEXT}", {"orders.csv": "id,note\n2,new\n"})

    declare(estate, {"id": "INT", "note": "STRING"})
    strict = estate.run("orders", NEXT)[-1]
    declare(estate, {"id": "INT", "note": "STRING"}, schema={"mode": "compatible"})
    compatible = estate.run("orders", NEXT)[-1]

    assert (strict.stage, strict.outcome) == (Stage.GOLD, Outcome.FAILED)
    assert strict.verdicts[0].signatures == ("SCHEMA_DRIFT:note:ADDED",)
    assert compatible.stage is Stage.CERTIFIED
    assert [(row["id"], row["note"]) for row in estate.certified_rows("orders")] == [(1, None), (2, "new")]


def test_a_policy_that_changes_a_column_incompatibly_is_a_clear_error(estate: Estate) -> None:
    declare(estate, {"id": "INT", "amount": "DECIMAL(10,2)"})
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount\n1,1.00\n"})
    estate.run("orders")
    before = estate.certified_rows("orders")
    declare(estate, {"id": "INT", "amount": "DATE"})
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount\n1,2025-01-01\n"})

    with pytest.raises(PolicyError, match=r"column amount of .* is DECIMAL\(10,2\), but DATE in the policy"):
        estate.run("orders")

    assert estate.certified_rows("orders") == before
    declare(estate, {"id": "INT", "amount": "DECIMAL(10,2)"})
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount\n1,2.00\n"})
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    assert [str(row["amount"]) for row in estate.certified_rows("orders")] == ["2.00"]


def test_rows_of_another_day_are_quarantined(estate: Estate) -> None:
    declare(estate, {"id": "INT", "day": "DATE"}, contract_lite={"min_compliance": 0})
    estate.deliver(f"orders/{DAY}", {"orders.csv": f"id,day\n1,{DAY}\n2,{NEXT}\n3,\n"})

    silver = estate.run("orders")[1]

    assert [(row["id"], row["day"]) for row in estate.certified_rows("orders")] == [(1, DAY.value)]
    assert (silver.rows.read, silver.rows.accepted, silver.rows.quarantined) == (3, 1, 2)
    aside = estate.spark.read.format("delta").load(silver.quarantine_path).collect()
    assert {row["id"]: row["_violations"] for row in aside} == {
        "2": ["WRONG_PARTITION:day"],
        "3": ["WRONG_PARTITION:day"],
    }


def test_an_undeclared_column_is_held_if_strict_and_stays_in_bronze_if_compatible(estate: Estate) -> None:
    declare_orders(estate)
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount,note,extra\n1,1.00,a,more\n"})

    [strict] = estate.run("orders")
    columns = [{"field": "id", "type": "INT", "nullable": False}, {"field": "amount", "type": "DECIMAL(10,2)"}]
    declare_orders(
        estate, {"schema": {"mode": "compatible", "constraints": [*columns, {"field": "note", "type": "STRING"}]}}
    )
    compatible = estate.run("orders")

    assert (strict.stage, strict.verdicts[2].signatures) == (Stage.BRONZE, ("SCHEMA_DRIFT:extra:ADDED",))
    assert compatible[-1].stage is Stage.CERTIFIED
    assert "extra" in types(estate, Stage.BRONZE)
    assert list(types(estate)) == ["id", "amount", "note", "day"]
    orders(estate, "1,1.00,a")  # without it again: bronze keeps the column, and the row has NULL
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED


def test_gold_that_is_moved_in_the_policy_alone_is_refused_and_goes_on_once_its_folder_is_there(estate: Estate) -> None:
    other = DAY.next
    declare_orders(estate)
    orders(estate, "1,10.50,a")
    old = estate.run("orders")[-1]
    estate.now += timedelta(days=1)
    declare_orders(estate, storage={"gold": "elsewhere/orders"})
    orders(estate, "2,20.00,b", day=other)

    with pytest.raises(PolicyError, match=r"v1 of .*/gold/sales/orders, .*/elsewhere/orders .*move the whole"):
        estate.run("orders", other)

    lake = estate.root / "lake"
    assert not (lake / "elsewhere").exists()
    shutil.copytree(lake / "gold" / "sales" / "orders", lake / "elsewhere" / "orders")
    new = estate.run("orders", other)[-1]
    assert (new.stage, new.version, new.path) == (Stage.CERTIFIED, 2, f"{lake}/elsewhere/orders")
    assert old.path == f"{lake}/gold/sales/orders"
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 2]


def test_held_drift_passes_once_its_edit_is_accepted_and_a_new_code_is_a_warning_with_its_place(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(estate, {"id": "INT", "kind": "STRING"})
    folder = estate.root / "policies" / "datasets" / "sales" / "orders"
    (folder / "baseline.json").write_text('{"enum_domains": {"kind": ["A"]}}')
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,kind\n1,A\n"})
    estate.run("orders")
    estate.deliver(f"orders/{NEXT}", {"orders.csv": "id,kind,note\n2,A,x\n3,GIFT,y\n4,GIFT,z\n5,Anna,z\n"})
    [held] = estate.run("orders", NEXT)
    for name, value in environment_of(estate.settings).items():
        monkeypatch.setenv(name, value)

    def accept() -> Any:
        result = CliRunner().invoke(app, ["policy", "accept-drift", "orders", "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    first = accept()
    passed = estate.run("orders", NEXT)
    second = accept()

    assert held.verdicts[2].metadata["victims"] == {"columns": [], "select_all": []}
    assert first["accepted"] == ["SCHEMA_DRIFT:note:ADDED"]
    assert passed[-1].stage is Stage.CERTIFIED
    assert passed[2].verdicts[0].signatures == ("SCHEMA_DRIFT:note:ADDED",)  # of what consumers see: accepted
    codes = {r.signature: (r.rows, r.reason.rpartition("first at ")[2]) for r in passed[1].verdicts[2].results
             if r.signature.startswith("UNKNOWN_ENUM")}  # fmt: skip
    token = next(signature for signature in codes if "GIFT" not in signature)
    assert codes == {"UNKNOWN_ENUM:kind:GIFT": (2, "orders.csv:3"), token: (1, "orders.csv:5")}
    assert "Anna" not in token
    assert (second["accepted"], list(second["refused"])) == (
        ["SCHEMA_DRIFT:note:ADDED", "UNKNOWN_ENUM:kind:GIFT"],
        [token],
    )
    assert json.loads((folder / "baseline.json").read_text()) == {"enum_domains": {"kind": ["A", "GIFT"]}}
