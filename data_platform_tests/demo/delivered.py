"""What the demo landed, as its policies read it, and judged by SQLite: an engine that has no part in the platform."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import sqlglot
import yaml

from data_platform.ingestion.formats.csv.parser import read_header, read_records
from data_platform.ingestion.formats.jsonl.parser import read_json_records
from data_platform.ingestion.manifest.document import Manifest, read_manifest
from data_platform.model.policy import DatasetPolicy
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.sql.rule_text import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from data_platform.model.schema import Schema

POLICIES = Path(__file__).parents[2] / "policies"
DAILY = ("ops/flights", "ops/weather", "travel/bookings")
REFERENCES = ("ops/airlines", "ops/airports", "ops/planes")
DERIVED = ("analytics/carrier_daily", "analytics/airport_hour")
ALL = DAILY + REFERENCES + DERIVED

Rows = list[dict[str, Any]]
_PYTHON = {"int": int, "bigint": int, "double": float}


def policy(name: str) -> DatasetPolicy:
    return DatasetPolicy.model_validate(_yaml(name, "dataset.yaml"))


def bundle(name: str) -> PolicyBundle:
    return PolicyBundle.model_validate(_yaml(name, "policy_bundle.yaml"))


def _yaml(name: str, file: str) -> Any:
    return yaml.safe_load((POLICIES / "datasets" / name / file).read_text(encoding="utf-8"))


def folder(root: Path, name: str, day: date | None) -> Path:
    source = policy(name).source
    assert source is not None
    return root / source.path.format(partition=day)


def manifest(root: Path, name: str, day: date | None = None) -> Manifest:
    source = policy(name).source
    assert source is not None
    assert source.manifest is not None
    return read_manifest(folder(root, name, day) / source.manifest)


def delivered_file(root: Path, name: str, day: date | None = None) -> Path:
    """The one file that the source's own pattern finds."""
    source = policy(name).source
    assert source is not None
    (file,) = folder(root, name, day).glob(source.glob)
    return file


def columns(root: Path, name: str, day: date | None = None) -> tuple[str, ...]:
    file = delivered_file(root, name, day)
    if file.suffix == ".csv":
        with file.open("rb") as source:
            return read_header(source, file.name).names
    if file.suffix == ".parquet":
        return tuple(pq.read_schema(file).names)
    with file.open("rb") as source:
        return tuple(dict.fromkeys(key for record in read_json_records(source, file.name) for key in record.values))


def records(root: Path, name: str, day: date | None = None) -> list[Mapping[str, Any]]:
    """Every record that can be read, as text (Parquet: as its types); None for one that cannot."""
    file = delivered_file(root, name, day)
    if file.suffix == ".parquet":
        return list(pq.read_table(file).to_pylist())
    with file.open("rb") as source:
        if file.suffix == ".jsonl":
            return [record.values for record in read_json_records(source, file.name)]
        names = columns(root, name, day)
        return [
            {} if record.malformed else dict(zip(names, record.values, strict=True))
            for record in read_records(source, file.name)
        ]


def rows(root: Path, name: str, day: date | None = None) -> Rows:
    """Readable records with each value of its declared type. Raises: ValueError, if a value is not."""
    declared = bundle(name).schema_.declared
    return [
        {column.name: _typed(record[column.name], column.type) for column in declared.columns}
        for record in records(root, name, day)
        if record
    ]


def _typed(value: Any, kind: str) -> Any:
    if value is None:
        return None
    return float(value) if kind.startswith("decimal") else _PYTHON.get(kind, str)(value)


def broken(name: str, found: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Rule to the number of rows that break it, for each rule of a row that any row breaks, and uniqueness."""
    promises = bundle(name)
    constraints = promises.schema_.constraints
    counts = {f"MISSING_FIELD:{c.field}": sum(r[c.field] is None for r in found) for c in constraints if not c.nullable}
    for c in constraints:
        present = [row[c.field] for row in found if row[c.field] is not None]
        counts[f"UNKNOWN_ENUM:{c.field}"] = sum(bool(c.enum) and value not in c.enum for value in present)
        counts[f"FORMAT:{c.field}"] = sum(bool(c.pattern) and not re.fullmatch(c.pattern, v) for v in present)
    declared = promises.schema_.declared
    with closing(database({"judged": (declared, found)})) as connection:
        for invariant in promises.contract_lite.invariants:
            query = f"SELECT COUNT(*) FROM judged WHERE NOT COALESCE({invariant.rule}, {_excused(invariant.rule, declared)})"  # noqa: S608, E501
            counts[invariant.name] = connection.execute(_sqlite(query)).fetchone()[0]
    for unique in promises.contract.unique:
        keys = {tuple(row[field] for field in unique.fields) for row in found}
        counts[f"NOT_UNIQUE:{','.join(unique.fields)}"] = len(found) - len(keys)
    return {rule: count for rule, count in counts.items() if count}


def _excused(rule: str, declared: Schema) -> str:
    """A NULL answer is no breach where a nullable column is NULL and all others are there."""
    found = [(name, declared.get(name)) for name in columns_of(rule)]
    nullable = [f"{name} IS NULL" for name, column in found if column is not None and column.nullable]
    required = [f"{name} IS NOT NULL" for name, column in found if column is None or not column.nullable]
    return f"({' OR '.join(nullable) or 'FALSE'}) AND {' AND '.join(required) or 'TRUE'}"


def database(tables: Mapping[str, tuple[Schema, Iterable[Mapping[str, Any]]]]) -> sqlite3.Connection:
    """An SQLite database in memory with these tables."""
    connection = sqlite3.connect(":memory:")
    for name, (schema, content) in tables.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(schema.names)})")
        marks = ", ".join(f":{column}" for column in schema.names)
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", content)  # noqa: S608
    return connection


def _sqlite(query: str) -> str:
    return sqlglot.transpile(query, read="spark", write="sqlite")[0]


def run_steps(connection: sqlite3.Connection, steps: Iterable[tuple[str, str]]) -> Rows:
    """Each (name, Spark SQL) as a table for the next; the rows of the last."""
    name = ""
    for name, query in steps:
        connection.execute(f"CREATE TABLE {name} AS {_sqlite(query)}")
    cursor = connection.execute(f"SELECT * FROM {name}")  # noqa: S608
    names = [item[0] for item in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]
