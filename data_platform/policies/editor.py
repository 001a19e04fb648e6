"""JSON Schemas of the policy files, so that editors complete and check them while people write them.

They are generated from the model classes and committed. A schema checks less than ``load_policies``: only one file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from data_platform.legacy.mapping import LegacyMapping
from data_platform.model.baseline import Baseline
from data_platform.model.freshness import FreshnessDocument
from data_platform.model.policy import DatasetPolicy
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.model.process import Process
from data_platform.model.publish_group import PublishGroup
from data_platform.policies.catalog import PlatformPolicy

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

MODELS: dict[str, type[BaseModel]] = {
    "dataset.schema.json": DatasetPolicy,
    "policy_bundle.schema.json": PolicyBundle,
    "process.schema.json": Process,
    "freshness.schema.json": FreshnessDocument,
    "baseline.schema.json": Baseline,
    "platform.schema.json": PlatformPolicy,
    "group.schema.json": PublishGroup,
    "legacy.schema.json": LegacyMapping,
}
_TEXT = {"type": "string"}
_SHORT_FORMS: dict[str, list[dict[str, Any]]] = {
    "Invariant": [_TEXT],
    "Unique": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}],
}
"""What a file may have instead of a mapping; pydantic does not include it, since a validator converts it first."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """Maps each file name to its JSON Schema (draft 2020-12)."""
    return {name: _schema(model) for name, model in MODELS.items()}


def write_schemas(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in json_schemas().items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(by_alias=True)
    for name, forms in _SHORT_FORMS.items():
        if name in schema.get("$defs", {}):
            schema["$defs"][name] = {"anyOf": [*forms, schema["$defs"][name]]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
