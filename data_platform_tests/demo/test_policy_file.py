"""The committed policy files are valid, agree with each other, and describe everything they declare."""

from __future__ import annotations

from datetime import date
from itertools import chain
from statistics import mean, pstdev

import pytest

from data_platform.demo.history import flight_rows
from data_platform.model.baseline import Baseline
from data_platform.model.pii_policy import PiiKind
from data_platform.policies import load_policies
from data_platform.sql.rule_text import Rule, columns_of, policy_problems
from data_platform_tests.demo.delivered import ALL, DERIVED, POLICIES, bundle, policy

each_dataset = pytest.mark.parametrize("name", ALL)


def test_there_is_a_folder_for_each_dataset_and_no_other() -> None:
    found = {str(path.parent.relative_to(POLICIES / "datasets")) for path in POLICIES.glob("datasets/*/*/*.yaml")}

    assert found == set(ALL)


@each_dataset
def test_a_dataset_is_described_owned_and_promised_in_time(name: str) -> None:
    found = policy(name)

    assert found.urn == f"ds://{name}"
    assert all((found.description, found.owner_email, found.category, found.tags, found.slo.volume))
    assert found.slo.freshness is not None
    assert found.slo.freshness.partition_key == (found.partition.key if found.partition else None)


@each_dataset
def test_every_column_is_described(name: str) -> None:
    constraints = bundle(name).schema_.constraints

    assert constraints
    assert [constraint.field for constraint in constraints if not constraint.description] == []


@each_dataset
def test_rules_ask_only_for_declared_columns(name: str) -> None:
    promises = bundle(name)
    full = promises.contract
    asked = {*promises.contract_lite.required_fields, *(metric.field for metric in promises.dq.metrics)}
    asked |= {field for item in (*full.unique, *full.references) for field in item.fields}
    asked |= {column for item in promises.contract_lite.invariants for column in columns_of(item.rule)}
    asked |= {field for rule in promises.pii.detection for field in rule.fields}

    assert asked - set(promises.schema_.declared.names) == set()


@each_dataset
def test_a_reference_is_to_a_key_that_is_unique_there(name: str) -> None:
    for reference in bundle(name).contract.references:
        target = bundle(reference.dataset.removeprefix("ds://"))
        assert reference.target in {unique.fields for unique in target.contract.unique}


def test_some_dataset_refers_to_another_one() -> None:
    assert any(bundle(name).contract.references for name in ALL)


@each_dataset
def test_the_rules_can_be_evaluated_for_any_rows(name: str) -> None:
    promises = bundle(name)
    invariants = (*promises.contract_lite.invariants, *promises.contract.invariants)

    assert policy_problems(Rule(id=item.name, expression=item.rule) for item in invariants) == ()


def test_personal_data_of_each_kind_is_remediated_in_its_column_and_in_free_text() -> None:
    rules = {rule.pattern: set(rule.fields) for rule in bundle("travel/bookings").pii.detection}

    assert set(rules) == {PiiKind.EMAIL, PiiKind.SSN, PiiKind.PHONE}
    for kind, fields in rules.items():
        assert {kind.lower(), "note"} <= fields


@pytest.mark.parametrize("name", DERIVED)
def test_a_derived_dataset_leaves_its_partition_column_to_the_platform(name: str) -> None:
    partition = policy(name).partition

    assert partition is not None
    assert bundle(name).schema_.declared.get(partition.key) is None


def flights_baseline() -> Baseline:
    return Baseline.model_validate_json((POLICIES / "datasets/ops/flights/baseline.json").read_text(encoding="utf-8"))


def test_the_baseline_of_flights_has_the_declared_schema() -> None:
    baseline, declared = flights_baseline(), bundle("ops/flights").schema_.declared

    assert baseline.declared == declared
    assert baseline.schema_fingerprint == declared.fingerprint


def test_the_baseline_of_flights_was_measured_over_january() -> None:
    baseline = flights_baseline()
    january = [flight_rows(date(2013, 1, day)) for day in range(1, 32)]
    rows = list(chain.from_iterable(january))

    assert baseline.partitions == len(january)
    assert baseline.row_count is not None
    assert baseline.row_count.mean == pytest.approx(mean(map(len, january)), abs=0.05)
    assert baseline.row_count.stddev == pytest.approx(pstdev(map(len, january)), abs=0.05)
    for column, rate in (baseline.null_rates or {}).items():
        assert rate == pytest.approx(sum(not row[column] for row in rows) / len(rows), abs=0.00005)


def test_the_loader_takes_all_policy_files_together() -> None:
    loaded = load_policies(POLICIES)

    assert {item.urn for item in loaded.datasets} == {f"ds://{name}" for name in ALL}
    assert {item.name for item in loaded.processes} == {policy(name).process for name in DERIVED}
