"""Days and moments at the ends of the calendar reach gold as they were delivered, for every Delta reader."""

from datetime import UTC, date, datetime
from typing import Any

from deltalake import DeltaTable

from data_platform.model.dataset import Stage
from data_platform_tests.case import case_file
from data_platform_tests.flows.estate import Estate, set_aside

SOURCES = {
    "dates_csv": ("csv", "dates.csv", {"valid_from": "DATE", "valid_to": "DATE", "seen_at": "TIMESTAMP"}),
    "dates_parquet": ("parquet", "a.parquet", {"d": "DATE", "ts": "TIMESTAMP"}),
    "dates_spark24": ("parquet", "a.parquet", {"d": "DATE", "ts": "TIMESTAMP"}),
    "ts_ntz_sentinel": ("parquet", "a.parquet", {"ts": "TIMESTAMP_NTZ"}),
    "ts_ms": ("parquet", "a.parquet", {"ts": "TIMESTAMP"}),
    "pandas_ns": ("parquet", "a.parquet", {"ts": "TIMESTAMP"}),
}
OUTSIDE = ("20,2025-01-01,0000-01-01,2025-01-01T00:00:00Z", "21,2025-01-01,2025-01-01,9999-12-31T23:59:59-05:00")


def declare(estate: Estate, name: str) -> None:
    kind, file, columns = SOURCES[name]
    constraints = [{"field": "id", "type": "INT", "nullable": False}]
    constraints += [{"field": field, "type": column} for field, column in columns.items()]
    bundle = {"schema": {"constraints": constraints}, "contract_lite": {"min_compliance": 0.0}}
    estate.declare(f"ds://ends/{name}", bundle, source={"format": kind, "path": name, "producer": "shop"})
    content = case_file("C41", f"{name}/{file}").read_bytes()
    more = "\n".join(OUTSIDE).encode() + b"\n" if kind == "csv" else b""
    estate.deliver(name, {file: content.rstrip(b"\n") + b"\n" + more if more else content})


def test_the_ends_of_the_calendar_are_the_same_for_every_reader(estate: Estate) -> None:
    platform, last = estate.platform(), {}
    for name in SOURCES:
        declare(estate, name)
    for name in SOURCES:
        last[name] = estate.run(name, None, platform)

    def others(name: str) -> list[dict[str, Any]]:
        pointer = platform.certified(f"ds://ends/{name}")
        rows = DeltaTable(pointer.path, version=pointer.version).to_pyarrow_table().to_pylist()
        return sorted(rows, key=lambda row: row["id"])

    def by_spark(name: str, column: str) -> list[str]:
        pointer = platform.certified(f"ds://ends/{name}")
        rows = platform.table(platform.policies.dataset(name), Stage.GOLD).at(pointer.version or 0)
        return [row[column] for row in rows.selectExpr("id", f"string({column}) AS {column}").orderBy("id").collect()]

    assert {name: reports[-1].stage for name, reports in last.items() if reports[-1].passed} == {
        name: Stage.CERTIFIED for name in SOURCES if name != "pandas_ns"
    }
    csv = others("dates_csv")
    assert [(row["id"], row["valid_from"], row["valid_to"]) for row in csv] == [
        (1, date(2025, 1, 1), date(9999, 12, 31)),
        (2, date(1, 1, 1), date(2025, 1, 1)),
        (4, date(1582, 10, 10), date(2025, 1, 1)),
        (8, date(2025, 1, 1), date(2025, 1, 1)),
    ]
    assert [row["seen_at"] for row in csv] == [
        datetime(2025, 1, 1, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1582, 10, 10, 12, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ]
    rejected = {row["id"]: row["_violations"] for row in set_aside(estate, last["dates_csv"][1])}
    assert rejected == {
        "5": ["TYPE_MISMATCH:valid_from:DATE"],
        "7": ["TYPE_MISMATCH:valid_from:DATE"],
        "20": ["YEAR_OUT_OF_RANGE:valid_to"],
        "21": ["YEAR_OUT_OF_RANGE:seen_at"],
    }
    ends = [date(1, 1, 1), date(1582, 10, 10), date(9999, 12, 31)]
    assert sorted(row["d"] for row in others("dates_parquet")) == ends
    assert sorted(row["ts"].date() for row in others("dates_parquet")) == ends
    assert [row["d"] for row in others("dates_spark24")] == [date(1001, 1, 1)]
    for name in ("dates_parquet", "ts_ntz_sentinel", "ts_ms"):
        assert [str(row["ts"]).removesuffix("+00:00") for row in others(name)] == padded(by_spark(name, "ts"))
    assert last["pandas_ns"][-1].stage is Stage.BRONZE
    platform.close()


def padded(texts: list[str]) -> list[str]:
    """Spark leaves trailing zeros of a fraction out, and Python has six digits or none."""
    return [f"{whole}.{part.ljust(6, '0')}" if part else whole for whole, _, part in (t.partition(".") for t in texts)]
