"""All runs, edges and versions of a catalog, without keys and times of arrival, to compare two catalogs."""

from typing import Any

from sqlalchemy import select

from data_platform.catalog import Catalog
from data_platform.catalog.lineage_table import (
    COLUMN_EDGE,
    LINEAGE_EDGE,
    NODE_FACET,
    PROCESS_RUN,
    RUN_CONFLICT,
    RUN_DATASET,
    RUN_EVENT,
)
from data_platform.catalog.registry_table import (
    DATASET,
    DATASET_SCHEMA,
    DATASET_VERSION,
    PROCESS,
    QUALITY_CHECK_DEF,
    QUALITY_CHECK_RESULT,
)

_OF_ARRIVAL = {"created_at", "updated_at", "received_at", "noticed_at", "first_seen_at", "created_by"}
_KEYS = {"run_id", "event_id", "edge_id", "dataset_version_id", "schema_id", "qres_id"}


def snapshot(catalog: Catalog) -> dict[str, list[str]]:
    with catalog._database.reading() as connection:
        names: dict[str, dict[int, str]] = {
            "dataset": {row.dataset_id: row.full_name for row in connection.execute(select(DATASET))},
            "process": {row.process_id: row.process_key for row in connection.execute(select(PROCESS))},
        }
        names["check"] = {
            row.qdef_id: f"{names['dataset'][row.dataset_id]}:{row.name}"
            for row in connection.execute(select(QUALITY_CHECK_DEF))
        }
        tables = (
            DATASET, PROCESS, PROCESS_RUN, RUN_CONFLICT, RUN_DATASET, LINEAGE_EDGE, COLUMN_EDGE, DATASET_VERSION,
            DATASET_SCHEMA, QUALITY_CHECK_RESULT, NODE_FACET, RUN_EVENT,
        )  # fmt: skip
        return {
            table.name: sorted(str(_plain(dict(row), names)) for row in connection.execute(select(table)).mappings())
            for table in tables
        }


def _plain(row: dict[str, Any], names: dict[str, dict[int, str]]) -> dict[str, Any]:
    for end in ("source", "target", "node"):
        if f"{end}_type" in row:
            row[f"{end}_id"] = names[row[f"{end}_type"].lower()][row[f"{end}_id"]]
    for key in ("dataset_id", "source_dataset_id", "target_dataset_id"):
        if key in row:
            row[key] = names["dataset"][row[key]]
    if row.get("process_id"):
        row["process_id"] = names["process"][row["process_id"]]
    if "qdef_id" in row:
        row["qdef_id"] = names["check"][row["qdef_id"]]
    row = {key: value for key, value in row.items() if key not in _OF_ARRIVAL | _KEYS}
    return {key: dict(sorted(value.items())) if isinstance(value, dict) else value for key, value in row.items()}
