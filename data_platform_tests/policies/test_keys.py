"""Each key of a policy file does something: code outside the reading of files asks for it."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from data_platform.policies.editor import MODELS

CODE = Path(__file__).parents[2] / "data_platform"
READING = ("policies", "model")
ELSEWHERE = {
    ("Step", "sql_file"): "read into Step.sql when policies are read",
    ("DatasetPolicy", "storage"): "asked through Dataset.place",
    ("Storage", "silver"): "asked by the name of the stage, in Dataset.place",
    ("Partition", "of_delivery"): "answers a question of validate",
    ("DatasetMapping", "watch"): "asked through ExternalAsset.arrival",
    ("Partition", "time_zone"): "asked through DatasetPolicy.zone",
    **{(name, "completion"): "asked through TableSource.arrival" for name in ("JdbcSource", "DeltaSource")},
    ("AlertPolicy", "channels"): "asked through AlertPolicy.channel",
    ("AlertPolicy", "routes"): "asked through AlertPolicy.channels_of",
    ("AlertPolicy", "quiet_hours"): "asked through AlertPolicy.quiet_hours_of",
    ("AlertRoute", "channels"): "asked through AlertPolicy.channels_of",
    ("FieldProfile", "codes"): "onboarding writes it for people",
    ("FieldProfile", "forms"): "onboarding writes it for people",
}
"""Keys that are asked for under another name, and why."""
WHOLE = {
    "status": "policy.status", "category": "policy.category", "environment": "platform.environment",
    "partitions": "baseline.partitions", "null_rates": "baseline.null_rates", "row_count": "baseline.row_count",
    "anomaly_threshold_pct": "volume.anomaly_threshold_pct", "time_zone": "policy.zone", "tier": "policy.tier",
    "tags": "policy.tags",
}  # fmt: skip
"""Names that many things have: whose it must be for the key to be asked for."""


def models_in(annotation: Any) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {model for part in get_args(annotation) for model in models_in(part)}


def keys() -> set[tuple[str, str]]:
    waiting, seen = list(MODELS.values()), set()
    while waiting:
        model = waiting.pop()
        if model not in seen:
            seen.add(model)
            waiting += [inner for field in model.model_fields.values() for inner in models_in(field.annotation)]
    return {(model.__name__, name) for model in seen for name in model.model_fields}


@pytest.fixture(scope="module")
def code() -> str:
    files = [path for path in CODE.rglob("*.py") if path.relative_to(CODE).parts[0] not in READING]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_each_key_is_asked_for(code: str) -> None:
    asked = {
        (model, name)
        for model, name in keys()
        if re.search(rf"\b{re.escape(WHOLE[name])}\b" if name in WHOLE else rf"\.{name}\b", code)
    }

    assert keys() - asked - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) <= keys()
