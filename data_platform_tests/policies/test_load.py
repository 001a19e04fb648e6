"""A folder of policies loads as one object, or not at all and with every problem."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from data_platform.errors import PolicyError
from data_platform.model.dataset import Stage
from data_platform.model.pii_policy import PiiAction, PiiKind
from data_platform.model.policy import Tier
from data_platform.model.policy_bundle import SchemaMode
from data_platform.policies import Dataset, load_policies
from data_platform_tests.case import CASES
from data_platform_tests.policies.tree import ORDERS, dataset_yaml, derived, landed, load, problems, write

SEED = CASES / "seed_examples" / "policies"


@pytest.fixture(scope="module")
def seed() -> Dataset:
    return load_policies(SEED).dataset("ds://curated/orders_enriched")


def test_the_example_dataset_loads_unchanged(seed: Dataset) -> None:
    assert seed.policy.tier is Tier.TIER_1
    assert seed.policy.slo.volume is not None
    assert seed.policy.slo.volume.min_rows_per_partition == 100_000
    assert seed.table == "orders"
    assert seed.stages == ()


def test_the_example_freshness_policy_has_its_deadline(seed: Dataset) -> None:
    freshness = seed.policy.slo.freshness

    assert freshness is not None
    assert (freshness.deadline.time_zone, freshness.deadline.cron) == ("America/New_York", "0 2 * * *")
    assert freshness.grace == timedelta(minutes=30)
    assert freshness.partition_key == "dt"  # only freshness.yaml says so


def test_the_example_policy_bundle_loads_unchanged(seed: Dataset) -> None:
    bundle = seed.bundle

    assert bundle.schema_.mode is SchemaMode.STRICT
    assert [(c.name, c.type, c.nullable) for c in bundle.schema_.declared.columns] == [
        ("order_total", "decimal(38,18)", False),
        ("customer_id", "string", False),
    ]
    assert bundle.contract_lite.required_fields == ("order_id", "customer_id", "order_total", "created_at")
    assert [invariant.rule for invariant in bundle.contract_lite.invariants] == [
        "order_total > 0",
        "created_at IS NOT NULL",
    ]
    assert [(rule.pattern, rule.action) for rule in bundle.pii.detection] == [
        (PiiKind.EMAIL, PiiAction.TOKENIZE),
        (PiiKind.PHONE, PiiAction.MASK),
        (PiiKind.SSN, PiiAction.REDACT),
    ]


def test_all_problems_of_all_files_are_reported_together_by_file_and_line(tmp_path: Path) -> None:
    files = landed("dq: {min_rows: many}") | {
        f"{ORDERS}/dataset.yaml": "urn: ds://shop/orders\nowner_team: shop\ntier: TIER_9\nsauce: {}\n",
        "platform.yaml": "environment: 5\n",
    }

    found = problems(tmp_path, files)

    assert found == (
        "policies/datasets/shop/orders/dataset.yaml:3: tier: 'TIER_9' is not allowed;"
        " allowed: TIER_1, TIER_2, TIER_3; did you mean TIER_3?",
        "policies/datasets/shop/orders/dataset.yaml:4: sauce: not a known key; allowed: urn, owner_team, owner_email,"
        " tier, description, category, tags, status, enforcement, storage, slo, partition, time_zone, source, process;"
        " did you mean source?",
        "policies/datasets/shop/orders/policy_bundle.yaml:5: dq.min_rows: expected a whole number,"
        " found the text 'many'",
        "policies/platform.yaml:1: environment: expected text, found a number; put it in quotes",
    )


def test_an_empty_folder_declares_nothing(tmp_path: Path) -> None:
    policies = load(tmp_path, {})

    assert (policies.datasets, policies.processes) == ((), ())
    assert policies.platform.environment == "production"


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="policies: there is no such folder"):
        load_policies(tmp_path / "policies")


def test_the_platform_policy_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, {"platform.yaml": "environment: staging\n"}).platform.environment == "staging"


def test_datasets_are_in_order_and_have_the_process_that_makes_them(tmp_path: Path) -> None:
    policies = load(tmp_path, derived("SELECT order_id FROM orders"))

    orders, totals = policies.datasets
    assert (orders.urn, orders.process) == ("ds://shop/orders", None)
    assert totals.process is policies.processes[0]
    assert totals.stages == (Stage.SILVER, Stage.GOLD, Stage.CERTIFIED)


def test_a_query_in_a_file_is_part_of_its_process(tmp_path: Path) -> None:
    files = derived()
    files["processes/totals.yaml"] = files["processes/totals.yaml"].replace(
        "sql: SELECT order_id FROM orders", "sql_file: totals.sql"
    )

    policies = load(tmp_path, files | {"processes/totals.sql": "SELECT order_id\nFROM orders\n"})

    step = policies.processes[0].steps[0]
    assert (step.sql, step.sql_file) == ("SELECT order_id\nFROM orders\n", "")


def test_a_fingerprint_is_over_the_content_and_not_over_the_file(tmp_path: Path) -> None:
    keys = "# a comment\ntier: TIER_2\nowner_team: 'shop'\nurn: ds://shop/orders\n"
    other = f"{keys}source: {{producer: shop, path: orders, format: csv}}"

    before = load(tmp_path, landed()).datasets[0].fingerprint
    after = load(tmp_path, {f"{ORDERS}/dataset.yaml": other}).datasets[0].fingerprint

    assert before == after
    assert len(before) == 16


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {
                f"{ORDERS}/dataset.yaml": dataset_yaml(
                    "ds://shop/orders", "source: {format: csv, path: other, producer: shop}"
                )
            },
            id="of the dataset",
        ),
        pytest.param(landed("dq: {min_rows: 2}"), id="of the bundle"),
    ],
)
def test_a_change_of_policy_changes_the_fingerprint(tmp_path: Path, files: dict[str, str]) -> None:
    before = load(tmp_path, landed()).datasets[0].fingerprint

    assert load(tmp_path, files).datasets[0].fingerprint != before


def test_a_change_of_a_query_changes_the_fingerprint_of_its_output_alone(tmp_path: Path) -> None:
    orders, totals = load(tmp_path, derived("SELECT order_id FROM orders")).datasets

    same, changed = load(tmp_path, derived("SELECT order_id + 1 AS order_id FROM orders")).datasets

    assert same.fingerprint == orders.fingerprint
    assert changed.fingerprint != totals.fingerprint


def test_rules_and_queries_are_left_alone_on_request(tmp_path: Path) -> None:
    files = derived("SELECT FROM WHERE") | landed("contract_lite: {invariants: ['total >> > 0']}")

    policies = load_policies(write(tmp_path, files), check_rules=False)

    assert len(policies.datasets) == 2
    assert len(problems(tmp_path, files)) == 2


@pytest.mark.slow
def test_to_import_the_package_starts_neither_spark_nor_a_parser() -> None:
    question = "import sys, data_platform.policies; print([m for m in ('pyspark', 'sqlglot') if m in sys.modules])"

    answer = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)  # noqa: S603

    assert answer.stdout.strip() == "[]"
