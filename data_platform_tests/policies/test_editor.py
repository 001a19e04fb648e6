"""The committed JSON Schemas are those of today's classes."""

import json
from pathlib import Path

from data_platform.policies import json_schemas, write_schemas

SCHEMAS = Path(__file__).parents[2] / "policies" / "schemas"
REGENERATE = (
    "regenerate with: .venv/bin/python -c"
    " 'from pathlib import Path; from data_platform.policies import write_schemas;"
    ' write_schemas(Path("policies/schemas"))\''
)


def test_the_committed_schemas_are_current() -> None:
    committed = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.json")}

    assert committed == json_schemas(), REGENERATE


def test_schemas_are_written_as_they_are(tmp_path: Path) -> None:
    write_schemas(tmp_path / "schemas")

    written = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "schemas").iterdir()}
    assert written == json_schemas()


def test_every_object_of_a_schema_is_closed() -> None:
    objects = [
        form
        for schema in json_schemas().values()
        for found in [schema, *schema.get("$defs", {}).values()]
        for form in found.get("anyOf", [found])
        if form.get("type") == "object"
    ]

    assert len(objects) > 20
    assert all(found["additionalProperties"] is False for found in objects)


def test_a_schema_allows_the_short_forms_and_the_names_in_files() -> None:
    bundle = json_schemas()["policy_bundle.schema.json"]

    assert [form["type"] for form in bundle["$defs"]["Invariant"]["anyOf"]] == ["string", "object"]
    assert [form["type"] for form in bundle["$defs"]["Unique"]["anyOf"]] == ["string", "array", "object"]
    assert set(bundle["properties"]) == {"schema", "contract_lite", "contract", "pii", "dq", "baseline"}
