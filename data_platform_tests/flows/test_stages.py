"""From a landing file to a certified view: rows that pass are visible, others are quarantined, none is lost."""

from pathlib import Path

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Outcome
from data_platform_tests.case import case_file, expected
from data_platform_tests.flows.estate import (
    DAY,
    ORDERS,
    ORDERS_PARTITION,
    ORDERS_SOURCE,
    Estate,
    a_day,
    declare_orders,
    orders,
    set_aside,
)


def test_a_good_delivery_is_certified(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first", "2,3,")

    reports = estate.run("orders")

    assert [(r.stage, r.outcome) for r in reports] == [(stage, Outcome.PASSED) for stage in Stage]
    assert [(row["id"], str(row["amount"]), row["note"], row["day"]) for row in estate.certified_rows("orders")] == [
        (1, "10.50", "first", DAY.value),
        (2, "3.00", None, DAY.value),
    ]
    assert b"first" not in log_of(estate, Stage.BRONZE) + log_of(estate, Stage.SILVER)  # nobody reads a part of a day
    assert b"first" in log_of(estate, Stage.GOLD)


def log_of(estate: Estate, stage: Stage) -> bytes:
    path = Path(estate.platform().table(estate.platform().policies.dataset("orders"), stage).path)
    return b"".join(entry.read_bytes() for entry in path.glob("_delta_log/*.json"))


def test_rows_that_break_a_rule_are_quarantined_and_the_rest_is_certified(estate: Estate) -> None:  # C08
    declare_orders(estate, {"contract_lite": {"min_compliance": 0.4}})
    estate.deliver(f"orders/{DAY}", {"orders.csv": case_file("C08", "orders.csv").read_bytes()})
    want = expected("C08")

    silver = estate.run("orders")[1]

    assert [row["id"] for row in estate.certified_rows("orders")] == want["accepted_ids"]
    assert (silver.rows.read, silver.rows.accepted, silver.rows.quarantined) == (5, 2, 3)
    samples = {row["_line"]: row["_violations"] for row in silver.metadata["samples"]}
    assert samples[3] == ["TYPE_MISMATCH:amount:DECIMAL(10,2)"]
    set_aside = {row["_line"]: row for row in estate.spark.read.format("delta").load(silver.quarantine_path).collect()}
    assert {line: row["_raw"] for line, row in set_aside.items() if row["_raw"]} == {
        item["line"]: item["raw"] for item in want["quarantined"] if "fields" in item["reason"]
    }
    assert set_aside[3]["amount"] == "abc"  # the text that is no number
    assert set_aside[3]["_violations"] == ["TYPE_MISMATCH:amount:DECIMAL(10,2)"]
    assert set_aside[4]["_violations"] == ["MALFORMED_RECORD:2 fields, expected 3"]
    assert set_aside[5]["_violations"] == ["MALFORMED_RECORD:4 fields, expected 3"]


@pytest.mark.parametrize("file", ["header_only.csv", "zero_byte.csv", "blank_lines.csv"])
def test_an_empty_delivery_is_never_certified(estate: Estate, file: str) -> None:  # C16
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    estate.run("orders")
    header = case_file("C16", file).read_bytes().splitlines()[:1]
    content = b"id,amount,note\n" if header else b""
    estate.deliver(f"orders/{DAY}", {"orders.csv": content})

    last = estate.run("orders")[-1]

    assert last.outcome is Outcome.FAILED
    assert last.stage is (Stage.SILVER if content else Stage.BRONZE)
    assert [row["id"] for row in estate.certified_rows("orders")] == [1]  # the day before the fault


def test_an_empty_delivery_replaces_the_day_where_the_contract_allows_it(estate: Estate) -> None:
    declare_orders(estate, {"dq": {"min_rows": 0, "allow_empty": True}})
    orders(estate, "1,10.50,first")
    estate.run("orders")
    orders(estate)

    reports = estate.run("orders")

    assert reports[-1].stage is Stage.CERTIFIED
    assert estate.certified_rows("orders") == []


def test_a_second_run_of_a_delivery_and_a_corrected_row_leave_each_row_once(estate: Estate) -> None:  # C23
    want = expected("C23")
    rules = [
        {"id": "r1", "rule": "qty > 0"},
        {"id": "r2", "rule": "discount <= 100"},
        {"id": "r3", "rule": "ship_date >= order_date"},
        {"id": "r4", "rule": "status IN ('A','B')"},
        {"id": "r5", "rule": "received_at <= current_timestamp()"},
    ]
    columns = {"id": "INT", "qty": "INT", "discount": "INT", "order_date": "DATE", "ship_date": "DATE",
               "status": "STRING", "received_at": "TIMESTAMP"}  # fmt: skip
    required = {"id", "qty", "order_date", "received_at"}
    constraints = [
        {"field": name, "type": kind, **({} if name not in required - {"qty"} else {"nullable": False})}
        for name, kind in columns.items()
    ]
    bundle = {
        "schema": {"constraints": constraints},
        "contract_lite": {"required_fields": ["qty"], "invariants": rules, "min_compliance": 0},
        "contract": {"unique": ["id"]},
    }
    estate.declare(ORDERS, bundle, source=ORDERS_SOURCE, partition=ORDERS_PARTITION)
    estate.deliver(f"orders/{DAY}", {"a.csv": case_file("C23", "rows.csv").read_bytes()})

    def counted() -> dict[str, int]:
        platform = estate.platform()
        open_rows = sum(e.rows - e.resolved_rows for e in platform.catalog.quarantine.entries(ORDERS))
        platform.close()
        return {"valid": len(estate.certified_rows("orders")), "quarantine": open_rows}

    first = estate.run("orders")
    after_first = counted()
    estate.run("orders")
    after_second = counted()
    estate.deliver(f"orders/{DAY}", {"b_released.csv": case_file("C23", "released.csv").read_bytes()})
    estate.run("orders")
    after_release = counted()

    assert after_first == want["after_run_1"]
    assert after_second == want["after_run_2_same_delivery"]
    assert after_release["valid"] == want["after_release"]["valid"]
    assert after_release["quarantine"] == want["after_release"]["quarantine_open"]
    aside = estate.spark.read.format("delta").load(first[1].quarantine_path).collect()
    assert {row["id"] for row in aside} == {"2", "3", "4", "6", "7", "8", "10"}
    assert {row["_file"] for row in aside} == {"a.csv"}
    assert {row["_run_id"] for row in aside} == {first[1].run_id}
    assert {row["_delivery_id"] for row in aside} == {first[0].delivery_id}
    assert next(row for row in aside if row["id"] == "10")["_line"] == 11


def test_a_delivery_that_differs_from_its_manifest_is_held_whole(estate: Estate) -> None:
    declare_orders(estate, source={**ORDERS_SOURCE, "manifest": "manifest.json"})
    orders(estate, "1,10.50,first", "2,3,", producer="shop", files=[{"file": "orders.csv", "record_count": 3}])

    reports = estate.run("orders")

    assert [(r.stage, r.outcome) for r in reports] == [(Stage.BRONZE, Outcome.FAILED)]
    assert reports[0].verdicts[0].signatures == ("RECORD_COUNT:2≠3",)
    assert reports[0].rows.quarantined == 2
    assert estate.certified_rows("orders") == []


def test_a_retyped_column_is_held_at_bronze_with_the_required_signature(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    estate.run("orders")
    orders(estate, "1,ten,first", "2,three,", day=a_day(7))

    report = estate.run("orders", a_day(7))[-1]

    assert report.stage is Stage.BRONZE
    assert "SCHEMA_BREAK:amount:DECIMAL→STRING" in report.verdicts[2].signatures
    platform = estate.platform()
    evidence = platform.catalog.evidence.find(ORDERS, result="FAIL")[0].payload()
    assert evidence["failure_signature"] == "SCHEMA_BREAK:amount:DECIMAL→STRING"
    assert evidence["certified_view_status"] == "HELD_AT_PREVIOUS"
    assert evidence["quarantine_table"] == report.quarantine_table
    platform.close()


def test_a_duplicate_key_holds_the_candidate_at_gold_and_gold_is_as_before(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    estate.run("orders")
    before = estate.certified_rows("orders")
    orders(estate, "1,10.50,first", "1,11.50,again")

    report = estate.run("orders")[-1]

    assert (report.stage, report.outcome) == (Stage.GOLD, Outcome.FAILED)
    assert report.verdicts[1].signatures == ("NOT_UNIQUE:id",)
    assert estate.certified_rows("orders") == before
    platform = estate.platform()
    gold = platform.table(platform.policies.dataset("orders"), Stage.GOLD)
    assert [row["amount"] for row in gold.rows().collect()] == [before[0]["amount"]]  # RESTOREd
    platform.close()


def test_personal_values_are_nowhere_past_bronze(estate: Estate) -> None:
    rules = [
        {"pattern": "EMAIL", "action": "tokenize"},
        {"pattern": "PHONE", "action": "mask"},
        {"pattern": "SSN", "action": "redact"},
    ]
    declare_orders(estate, {"pii": {"detection": rules}})
    secrets = ("ann@example.com", "212-555-0147", "536-22-1234")
    orders(
        estate, "1,10.50,mail ann@example.com", "2,-3,call 212-555-0147", "3,4,536-22-1234", "4,x,ann@example.com,more"
    )

    reports = estate.run("orders")

    assert reports[-1].stage is Stage.CERTIFIED
    seen = [str(row) for row in estate.certified_rows("orders")]
    aside = estate.spark.read.format("delta").load(reports[1].quarantine_path).collect()
    seen += [str(row) for row in aside]
    platform = estate.platform()
    seen += [str(item) for item in platform.catalog.evidence.find(ORDERS)] + [str(report) for report in reports]
    platform.close()
    assert len(aside) == 2
    assert not [secret for secret in secrets for text in seen if secret in text]
    found = {signature: rows for signature, rows in reports[1].verdicts[1].metadata["findings"].items() if rows}
    assert found == {"PII:EMAIL:note": 1, "PII:PHONE:note": 1, "PII:SSN:note": 1}


def test_control_totals_are_carried_from_landing_to_gold(estate: Estate) -> None:
    declare_orders(estate, source={**ORDERS_SOURCE, "manifest": "manifest.json"})
    manifest = {"producer": "shop", "file": "orders.csv", "record_count": 3, "control_totals": {"amount": "9.5"}}
    orders(estate, "1,10.50,first", "2,3.00,", "3,-4,broken", **manifest)

    reports = estate.run("orders")

    assert reports[-1].stage is Stage.CERTIFIED
    assert reports[1].verdicts[0].metadata["control_totals_kept"] == {"amount": "13.5"}


def test_a_delivery_is_compared_with_the_registered_baseline(estate: Estate) -> None:
    declare_orders(estate)
    folder = estate.root / "policies" / "datasets" / "sales" / "orders"
    (folder / "baseline.json").write_text(
        '{"schema": [{"name": "id", "type": "int"}, {"name": "amount", "type": "int"}]}'
    )
    orders(estate, "1,10.50,first")

    report = estate.run("orders")[-1]

    assert report.stage is Stage.BRONZE
    assert report.verdicts[2].signatures == ("SCHEMA_DRIFT:note:ADDED",)


def test_two_zones_have_a_dataset_of_one_name_and_neither_touches_the_other(estate: Estate) -> None:
    declare_orders(estate)
    returned = {
        "schema": {"constraints": [{"field": "id", "type": "STRING", "nullable": False}]},
        "contract_lite": {"invariants": [{"id": "lettered", "rule": "id LIKE 'R%'"}], "min_compliance": 0.5},
    }
    source = {**ORDERS_SOURCE, "path": "returns/{partition}"}
    estate.declare("ds://returns/orders", returned, source=source, partition=ORDERS_PARTITION)
    orders(estate, "1,10.50,first", "2,-1,second")
    estate.deliver(f"returns/{DAY}", {"orders.csv": "id\nR1\n7\n"})

    sales, returns = estate.run("sales/orders"), estate.run("returns/orders")

    assert [[(r.stage, r.outcome) for r in reports] for reports in (sales, returns)] == [
        [(stage, Outcome.PASSED) for stage in Stage]
    ] * 2
    assert [row["id"] for row in estate.certified_rows("sales/orders")] == [1]
    assert [row["id"] for row in estate.certified_rows("returns/orders")] == ["R1"]
    assert [[str(row["id"]) for row in set_aside(estate, reports[1])] for reports in (sales, returns)] == [["2"], ["7"]]
    assert {report.dataset for report in sales}.isdisjoint({report.dataset for report in returns})
    again = estate.run("sales/orders")
    assert again[-1].stage is Stage.CERTIFIED
    assert [row["id"] for row in estate.certified_rows("returns/orders")] == ["R1"]
