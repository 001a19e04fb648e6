"""What lies in the landing folder, from its files to the certified rows, or to the reason why not."""

import gzip
import shutil
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform.model.verdict import Gate
from data_platform_tests.case import CASES
from data_platform_tests.flows.estate import Estate

CONSTRAINTS = [
    {"field": "account", "type": "STRING", "nullable": False},
    {"field": "qty", "type": "INT"},
    {"field": "amount", "type": "DECIMAL(10,2)"},
    {"field": "note", "type": "STRING"},
]
TRAILER = {"prefix": "T", "count": 2, "totals": {"amount": 3}}
NAMES = ("or ders", "übung", "orders%20x", "orders#1", "orders[1]", "orders+a&b", "orders?", "a'b\"", "two\nlines")


def ledger(estate: Estate, content: str, name: str = "ledger.csv", **said: Any) -> list[StageReport]:
    """One delivery of ``content``, with ``said`` added to the source."""
    source = {"format": "csv", "path": "ledger", "producer": "vendor-a", "delimiter": "|", **said}
    estate.declare("ds://c44/ledger", {"schema": {"constraints": CONSTRAINTS}}, source=source)
    shutil.rmtree(estate.root / "landing" / "ledger", ignore_errors=True)
    packed = gzip.compress(content.encode()) if name.endswith(".gz") else content
    estate.deliver("ledger", {name: packed})
    return estate.run("ledger", None)


@pytest.fixture(scope="module")
def text() -> str:
    return (next(CASES.glob("C44_*")) / "landing" / "trailer_full" / "ledger.csv").read_text()


def test_a_packed_delivery_with_a_declared_trailer_is_certified_without_it(estate: Estate, text: str) -> None:
    reports = ledger(estate, text, "ledger.csv.gz", trailer=TRAILER)

    assert [report.stage for report in reports if report.passed] == list(Stage)
    rows = estate.certified_rows("ledger")
    assert [(row["account"], str(row["amount"])) for row in rows] == [
        ("10000001", "10.00"),
        ("10000002", "20.00"),
        ("10000003", "30.00"),
    ]


@pytest.mark.parametrize(
    ("change", "said", "signature", "words"),
    [
        pytest.param(("T|3|60.00|", "T|3|60.01|"), TRAILER, "CONTROL_TOTAL:amount", "sender counted", id="total"),
        pytest.param(("T|3|60.00|", "T|4|60.00|"), TRAILER, "RECORD_COUNT:ledger.csv:3≠4", "trailer says", id="count"),
        pytest.param(("|b", "|b\0"), TRAILER, "REST_UNREAD", "ledger.csv:3: not valid UTF-8: NUL", id="NUL"),
    ],
)
def test_a_delivery_that_differs_from_its_trailer_is_held_with_the_reason(
    estate: Estate, text: str, change: tuple[str, str], said: Any, signature: str, words: str
) -> None:
    (bronze,) = ledger(estate, text.replace(*change), trailer=said)

    verdict = next(one for one in bronze.verdicts if one.gate is Gate.G1_RESOLUTION)
    assert signature in verdict.signatures
    assert words in verdict.reason


def test_parquet_files_of_any_name_and_nested_names_that_delta_refuses_are_read(estate: Estate) -> None:  # C48, C49
    source = {"format": "parquet", "path": "people", "producer": "vendor-a"}
    bundle = {"schema": {"constraints": [{"field": "id", "type": "INT", "nullable": False}], "mode": "compatible"}}
    estate.declare("ds://c49/people", bundle, source=source)
    estate.declare("ds://c49/strict", {"schema": {"constraints": bundle["schema"]["constraints"]}}, source=source)
    folder = estate.root / "landing" / "people"
    (folder / "spark.parquet").mkdir(parents=True)
    (folder / "spark.parquet" / "_SUCCESS").touch()
    for number, name in enumerate((*NAMES, "spark.parquet/part-0")):
        person = {"first-name": f"n{number}", "unit price": 1.5}
        rows = pa.table({"id": pa.array([number], pa.int32()), "person": [person]})
        pq.write_table(rows, folder / f"{name}.parquet")

    reports = estate.run("people", None)
    (strict,) = estate.run("strict", None)

    assert [report.stage for report in reports if report.passed] == list(Stage)
    opened = estate.platform()
    bronze = opened.table(opened.policies.dataset("people"), Stage.BRONZE).rows().collect()
    opened.close()
    assert {row["_file"] for row in bronze} == {*(f"{n}.parquet" for n in NAMES), "spark.parquet/part-0.parquet"}
    assert {(row["id"], row["person"]["first_name"]) for row in bronze} == {
        (number, f"n{number}") for number in range(len(NAMES) + 1)
    }
    assert "SCHEMA_DRIFT:person:ADDED" in [s for verdict in strict.verdicts for s in verdict.signatures]


def test_json_lines_have_structs_and_lists_by_name(estate: Estate) -> None:  # C49
    case = next(CASES.glob("C49_*"))
    estate.deliver("nested", {"a.jsonl": (case / "landing" / "nested_jsonl" / "a.jsonl").read_bytes()})
    bundle = yaml.safe_load((case / "policies/datasets/c49/nested_jsonl/policy_bundle.yaml").read_text())
    source = {"format": "jsonl", "path": "nested", "producer": "vendor-a"}
    estate.declare("ds://c49/nested", bundle, source=source)

    reports = estate.run("nested", None)

    assert [report.stage for report in reports if report.passed] == list(Stage)
    rows = estate.certified_rows("nested")
    assert [(row["id"], row["address"] and row["address"]["city"], row["tags"]) for row in rows] == [
        (1, "Troy", ["a", "b"]),
        (3, None, None),
        (4, "Troy", ["a"]),
    ]
    assert reports[1].rows.quarantined == 1


def test_a_number_with_a_huge_exponent_costs_its_own_row(estate: Estate) -> None:  # C53, C59
    lines = ["account|qty|amount|note", "1|1|1e999999999|x", "2|1|2.00|y", "3|1|\u0663|z", "4|1|4.00|"]
    source = {
        "format": "csv",
        "path": "exponent",
        "producer": "vendor-a",
        "delimiter": "|",
        "manifest": "manifest.json",
    }
    bundle = {"schema": {"constraints": CONSTRAINTS}, "contract_lite": {"min_compliance": 0.5}}
    estate.declare("ds://c53/exponent", bundle, source=source)
    estate.deliver("exponent", {"a.csv": "\n".join(lines) + "\n"}, file="a.csv", control_totals={"amount": "6.00"})

    assert [report.stage for report in estate.run("exponent", None) if report.passed] == list(Stage)
    assert [row["account"] for row in estate.certified_rows("exponent")] == ["2", "4"]


def test_nan_in_parquet_is_quarantined_at_any_depth(estate: Estate) -> None:  # C24
    nan, inf = float("nan"), float("inf")
    kind = pa.list_(pa.struct([("y", pa.float32())]))
    rows = {
        "id": pa.array([1, 2, 3, 4, 5], pa.int32()),
        "x": pa.array([1.0, nan, inf, None, 2.0]),
        "deep": pa.array([[{"y": 1.0}], [], [], None, [{"y": 1.0}, {"y": nan}]], kind),
    }
    columns = [("id", "INT"), ("x", "DOUBLE"), ("deep", "ARRAY<STRUCT<y:FLOAT>>")]
    bundle = {
        "schema": {"constraints": [{"field": name, "type": of} for name, of in columns]},
        "contract_lite": {"invariants": [{"id": "positive", "rule": "x > 0"}], "min_compliance": 0.2},
    }
    estate.declare("ds://c24/floats", bundle, source={"format": "parquet", "path": "floats", "producer": "vendor-a"})
    estate.deliver("floats", {})
    pq.write_table(pa.table(rows), estate.root / "landing" / "floats" / "a.parquet")

    silver = estate.run("floats", None)[1]

    signatures = {signature for verdict in silver.verdicts for signature in verdict.signatures}
    assert signatures == {"NOT_FINITE:x", "NOT_FINITE:deep"}
    assert [row["id"] for row in estate.certified_rows("floats")] == [1, 4]
