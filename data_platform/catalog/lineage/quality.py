"""Check results that producers report on datasets: the newest result for each check and run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.registry_table import DATASET_VERSION, QUALITY_CHECK_DEF, QUALITY_CHECK_RESULT
from data_platform.catalog.upsert import add_missing, chunks, insert_into
from data_platform.openlineage.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import Assertion, LineageEvent


def add_results(connection: Connection, nodes: Nodes, events: Iterable[LineageEvent], *, now: datetime) -> None:
    reported = [
        (nodes.datasets[mention.name], assertion, mention.version_tag or event.run_uuid, event)
        for event in events
        for mention in event.datasets
        for assertion in mention.assertions
    ]
    if not reported:
        return
    definitions = {
        (number, assertion.name): {
            "dataset_id": number,
            "name": assertion.name,
            "sql_expression": read_text(assertion.detail.get("content")) or None,
            "expected_result": read_text(assertion.detail.get("expected")) or None,
            "created_at": now,
        }
        for number, assertion, _, _ in reported
    }
    add_missing(connection, QUALITY_CHECK_DEF, list(definitions.values()), keys=("dataset_id", "name"))
    keys = _definition_keys(connection, definitions)
    versions = _version_keys(connection, {(number, tag) for number, _, tag, _ in reported if tag})
    newest: dict[tuple[int, str], dict[str, Any]] = {}
    for number, assertion, tag, event in reported:
        row = _row(keys[number, assertion.name], assertion, event, versions.get((number, tag or "")))
        key = (row["qdef_id"], row["run_uuid"])
        if key not in newest or _rank(row) > _rank(newest[key]):
            newest[key] = row
    _write(connection, list(newest.values()))


def _row(definition: int, assertion: Assertion, event: LineageEvent, version: int | None) -> dict[str, Any]:
    failed = "WARN" if assertion.severity.lower().startswith("warn") else "FAIL"
    return {
        "qdef_id": definition,
        "dataset_version_id": version,
        "run_uuid": event.run_uuid or "",
        "executed_at": event.time,
        "status": "PASS" if assertion.success else failed,
        "detail_json": assertion.detail,
    }


def _rank(row: dict[str, Any]) -> tuple[Any, str]:
    return row["executed_at"], row["status"]


def _write(connection: Connection, rows: list[dict[str, Any]]) -> None:
    statement = insert_into(connection, QUALITY_CHECK_RESULT)
    new, old = statement.excluded, QUALITY_CHECK_RESULT.c
    later = (new.executed_at > old.executed_at) | ((new.executed_at == old.executed_at) & (new.status >= old.status))
    columns = ("dataset_version_id", "executed_at", "status", "detail_json")
    statement = statement.on_conflict_do_update(
        index_elements=("qdef_id", "run_uuid"), set_={name: new[name] for name in columns}, where=later
    )
    connection.execute(statement, rows)


def _definition_keys(connection: Connection, checks: Iterable[tuple[int, str]]) -> dict[tuple[int, str], int]:
    table = QUALITY_CHECK_DEF.c
    keys: dict[tuple[int, str], int] = {}
    for part in chunks({number for number, _ in checks}):
        query = select(table.dataset_id, table.name, table.qdef_id).where(table.dataset_id.in_(part))
        keys |= {(row.dataset_id, row.name): row.qdef_id for row in connection.execute(query)}
    return keys


def _version_keys(connection: Connection, versions: Iterable[tuple[int, str]]) -> dict[tuple[int, str], int]:
    table = DATASET_VERSION.c
    keys: dict[tuple[int, str], int] = {}
    wanted = set(versions)
    for part in chunks({tag for _, tag in wanted}):
        inside = table.version_tag.in_(part), table.dataset_id.in_({number for number, _ in wanted})
        query = select(table.dataset_id, table.version_tag, table.dataset_version_id).where(*inside)
        keys |= {(row.dataset_id, row.version_tag): row.dataset_version_id for row in connection.execute(query)}
    return keys
