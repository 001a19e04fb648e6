"""Deliveries in each format, from their files to certified rows with the contract's types."""

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform_tests.flows.estate import Estate
from data_platform_tests.ingestion.formats.xlsx.workbook_file import number, row, text, workbook

CONSTRAINTS = [
    {"field": "id", "type": "STRING", "nullable": False},
    {"field": "amount", "type": "DECIMAL(10,2)"},
    {"field": "day", "type": "DATE"},
    {"field": "at", "type": "TIMESTAMP"},
    {"field": "items", "type": "ARRAY<STRUCT<sku: STRING, qty: INT>>"},
]
FLAT = CONSTRAINTS[:4]
AT = datetime(2025, 1, 2, 6, tzinfo=UTC)
FIELDS = {
    "id": {"start": 2, "length": 4},
    "amount": {"start": 6, "length": 8, "decimals": 2, "sign": "overpunch"},
    "day": {"start": 14, "length": 10},
    "at": {"start": 24, "length": 20},
}
LAYOUT = {
    "record_bytes": 43,
    "fields": FIELDS,
    "kind_start": 1,
    "detail": "D",
    "trailer": {"literal": "T", "count": {"start": 2, "length": 4}, "totals": {"amount": FIELDS["amount"]}},
}
FIXED = {"format": "fixed_width", "encoding": "cp037", "layout": LAYOUT}


def fixed(total: str) -> bytes:
    records = ["D0071" + "0000125{" + "2025-01-02" + "2025-01-02T06:00:00Z", "T0001" + total]
    return "".join(record.ljust(43) for record in records).encode("cp037")


def avro() -> bytes:
    logical = {
        "amount": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
        "day": {"type": "int", "logicalType": "date"},
        "at": {"type": "long", "logicalType": "timestamp-millis"},
    }
    fields = [{"name": "id", "type": "string"}, *({"name": name, "type": kind} for name, kind in logical.items())]
    target = io.BytesIO()
    schema = fastavro.parse_schema({"type": "record", "name": "order", "fields": fields})
    fastavro.writer(target, schema, [{"id": "0071", "amount": Decimal("12.50"), "day": date(2025, 1, 2), "at": AT}])
    return target.getvalue()


def xlsx() -> bytes:
    names = row(
        1, *(text(f"{letter}1", name) for letter, name in zip("ABCD", ("id", "amount", "day", "at"), strict=True))
    )
    return workbook(
        {
            "S": names
            + row(2, text("A2", "0071"), number("B2", "12.5"), number("C2", "45659", 1), number("D2", "45659.25", 2))
        }
    )


XML = """<orders><order id="0071"><amount>12.50</amount><day>2025-01-02</day><at>2025-01-02T06:00:00Z</at>
<items><sku>a</sku><qty>2</qty></items></order></orders>"""
JSON = """{"orders": [{"id": "0071", "amount": 12.50, "day": "2025-01-02", "at": "2025-01-02T06:00:00Z",
"items": [{"sku": "a", "qty": 2}]}]}"""


def delivered(estate: Estate, content: bytes | str, name: str, columns: Any = FLAT, **keys: Any) -> list[StageReport]:
    dataset = keys["format"]
    estate.declare(
        f"ds://formats/{dataset}",
        {"schema": {"constraints": columns}},
        source={"path": dataset, "producer": "vendor", **keys},
    )
    estate.deliver(dataset, {name: content})
    return estate.run(dataset, None)


@pytest.mark.parametrize(
    ("name", "content", "columns", "keys"),
    [
        pytest.param(
            "a.dat",
            fixed("0000125{"),
            FLAT,
            {"format": "fixed_width", "encoding": "cp037", "layout": LAYOUT},
            id="fixed",
        ),
        pytest.param("a.xml", XML, CONSTRAINTS, {"format": "xml", "row_element": "order"}, id="XML"),
        pytest.param("a.json", JSON, CONSTRAINTS, {"format": "json", "record_path": "orders"}, id="JSON"),
        pytest.param("a.avro", avro(), FLAT, {"format": "avro"}, id="Avro"),
        pytest.param("a.xlsx", xlsx(), FLAT, {"format": "xlsx"}, id="Excel"),
    ],
)
def test_a_delivery_is_certified_with_the_types_of_its_contract(
    estate: Estate, name: str, content: Any, columns: Any, keys: Any
) -> None:
    reports = delivered(estate, content, name, columns, **keys)

    assert [report.stage for report in reports if report.passed] == list(Stage)
    [one] = estate.certified_rows(keys["format"])
    print(one)
    assert (one["id"], one["amount"], one["day"]) == ("0071", Decimal("12.50"), date(2025, 1, 2))
    assert len(columns) == 4 or [(item["sku"], item["qty"]) for item in one["items"]] == [("a", 2)]


def test_a_trailer_of_fixed_width_that_differs_holds_the_day(estate: Estate) -> None:
    (bronze,) = delivered(estate, fixed("0000126{"), "a.dat", **FIXED)

    assert "CONTROL_TOTAL:amount" in {signature for verdict in bronze.verdicts for signature in verdict.signatures}
