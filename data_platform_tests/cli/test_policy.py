"""Accepted drift edits the policy files for review, and nothing else does."""

import json

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from data_platform.gates import schema
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.policy_bundle import SchemaPolicy
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform_tests.cli.shop import DAY, HELD_RUN, NOW, ORDERS, RUN, Shop, report

ADDED = "SCHEMA_DRIFT:extra:ADDED"


def columns(*names: str) -> Schema:
    return Schema.of(Column(name=name) for name in names)


def bundle(shop: Shop) -> str:
    return (shop.root / "policies" / "datasets" / "sales" / "orders" / "policy_bundle.yaml").read_text()


@pytest.fixture
def held(shop: Shop) -> Shop:
    """A delivery with two new columns was held; the name of one is hidden."""
    verdict = schema.judge_delivery(
        columns("id", "note"), {"a.csv": columns("id", "note", "extra", "column#4")}, SchemaPolicy(), unreadable={}
    )
    with shop.catalog() as catalog:
        catalog.runs.record(report(HELD_RUN, Stage.BRONZE, verdict), [])
    return shop


def test_the_edit_is_shown_and_written_only_without_dry_run(held: Shop) -> None:
    before = bundle(held)

    dry = held.json("policy", "accept-drift", "orders", "--dry-run")
    assert bundle(held) == before
    done = held.json("policy", "accept-drift", "orders")

    assert (dry["accepted"], dry["written"], list(dry["refused"])) == ([ADDED], [], ["SCHEMA_DRIFT:column#4:ADDED"])
    assert done["files"] == dry["files"]
    assert "+    - {field: extra, type: STRING}" in done["files"]["policy_bundle.yaml"].splitlines()
    assert bundle(held).splitlines()[-1] == "    - {field: extra, type: STRING}"
    assert held.run("validate", "--no-spark").exit_code == 0
    again = held.json("policy", "accept-drift", "orders", exit_code=2)
    assert "the policy has it already" in again["error"]


def test_the_edit_can_be_written_to_another_folder(held: Shop) -> None:
    before, place = bundle(held), held.root / "review"

    result = held.run("policy", "accept-drift", "orders", "--output", str(place))

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"drift of {ORDERS} {DAY}, recorded by {HELD_RUN}\n")
    assert bundle(held) == before
    assert "extra" in (place / "policy_bundle.yaml").read_text()
    assert held.json("policy", "accept-drift", "orders", "--output", str(place), exit_code=2)["error"].endswith(
        "name a new folder"
    )


def test_a_signature_that_the_run_does_not_have_is_refused_with_those_that_it_has(held: Shop) -> None:
    error = held.json("policy", "accept-drift", "orders", "--only", "SCHEMA_DRIFT:x:ADDED", exit_code=2)["error"]

    assert f"it has: {ADDED}" in error


def test_a_dataset_without_drift_is_reported(shop: Shop) -> None:
    error = shop.json("policy", "accept-drift", "orders", exit_code=2)["error"]

    assert error.startswith(f"{ORDERS}: no drift in the last 300 stages")


def test_a_new_value_of_an_enum_is_added_and_a_token_is_not(shop: Shop) -> None:
    path = shop.root / "policies" / "datasets" / "sales" / "orders" / "policy_bundle.yaml"
    path.write_text(bundle(shop).replace("note, type: STRING", "note, type: STRING, enum: [A]"))
    results = tuple(
        RuleResult.counted(f"UNKNOWN_ENUM:note:{value}", 2, Severity.WARN)
        for value in ("FLASH_SALE", "5c1f0a2b3c4d")
    )  # fmt: skip
    with shop.catalog() as catalog:
        contract = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED, results=results)
        catalog.runs.record(report(HELD_RUN, Stage.SILVER, contract), [])

    done = shop.json("policy", "accept-drift", "orders")

    assert done["accepted"] == ["UNKNOWN_ENUM:note:FLASH_SALE"]
    assert list(done["refused"]) == ["UNKNOWN_ENUM:note:5c1f0a2b3c4d"]
    assert "enum: [A, FLASH_SALE]" in bundle(shop)


def sold(shop: Shop, **codes: list[str]) -> None:
    """A certified version of orders with these text columns, 300 rows each, beside ``id``."""
    path = shop.root / "home" / "lake" / "gold" / "orders"
    rows = {name: [values[n % len(values)] for n in range(300)] for name, values in codes.items()}
    write_deltalake(path, pa.table({"id": list(range(300)), **rows}))
    pointer = Certification(
        dataset_urn=ORDERS,
        status=CertificationStatus.CERTIFIED,
        version=0,
        path=str(path),
        certified_at=NOW,
        run_id=RUN,
    )
    passed = report(RUN, Stage.CERTIFIED, Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.PASSED), version=0)
    with shop.catalog() as catalog:
        catalog.certifications.certify(pointer, expected=None, evidence=[], report=passed)
    path_of_bundle = shop.root / "policies" / "datasets" / "sales" / "orders" / "policy_bundle.yaml"
    columns = "".join(f"    - {{field: {name}, type: STRING}}\n" for name in codes)
    path_of_bundle.write_text(bundle(shop) + columns)


def test_codes_of_the_certified_version_are_learned_and_nothing_else(shop: Shop) -> None:
    sold(shop, order_type=["STANDARD", "EXPRESS"], driver=["SMITH", "JONES"], text=["jo@example.com", "A"])
    file = shop.root / "policies" / "datasets" / "sales" / "orders" / "baseline.json"

    done = shop.json("policy", "learn-enums", "orders")

    assert json.loads(file.read_text()) == {"enum_domains": {"order_type": ["EXPRESS", "STANDARD"]}}
    assert sorted(done["refused"]) == ["driver", "note", "text"]
    assert "SMITH" not in json.dumps(done)
    assert "jo@example.com" not in json.dumps(done)
    assert shop.run("validate", "--no-spark").exit_code == 0
    assert "already" in shop.json("policy", "learn-enums", "orders", exit_code=2)["error"]


def test_nothing_is_learned_where_a_rule_for_personal_data_searches(shop: Shop) -> None:
    sold(shop, order_type=["STANDARD", "EXPRESS"])
    path = shop.root / "policies" / "datasets" / "sales" / "orders" / "policy_bundle.yaml"
    path.write_text(bundle(shop) + "pii: {detection: [{pattern: EMAIL, action: mask}]}\n")

    error = shop.json("policy", "learn-enums", "orders", exit_code=2)["error"]

    assert "order_type: a PII rule searches it" in error
