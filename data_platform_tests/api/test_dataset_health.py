"""Health over HTTP: the scores of the command with their parts, and the same rolled up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.model.access import Role
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Outcome
from data_platform.policies import load_policies
from data_platform.signals.health import find_health
from data_platform_tests.api.service_client import NOW, ServiceClient
from data_platform_tests.catalog.example import report
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, write
from data_platform_tests.verdicts import all_gates

HEALTH = "/api/v1/health"
ORDERS, RATES = "ds://sales/orders", "ds://risk/rates"
DAY = PartitionKey("2026-02-14")


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    files = {}
    for urn, team in ((ORDERS, "sales"), (RATES, "risk")):
        zone, name = urn.removeprefix("ds://").split("/")
        text = dataset_yaml(
            urn,
            "partition: {key: day, start: 2026-01-01}",
            f"source: {{format: csv, path: '{name}/{{partition}}', producer: x}}",
        )
        files[f"datasets/{zone}/{name}/dataset.yaml"] = text.replace("owner_team: shop", f"owner_team: {team}")
        files[f"datasets/{zone}/{name}/policy_bundle.yaml"] = bundle_yaml("day DATE, id INT")
    return write(tmp_path, files)


@pytest.fixture
def service(tmp_path: Path, policies: Path) -> Iterator[ServiceClient]:
    """Orders were certified on two days; rates failed on one of two."""
    with ServiceClient(f"sqlite:///{tmp_path / 'catalog.db'}", policies=policies) as opened:
        for urn, outcome in ((ORDERS, Outcome.PASSED), (RATES, Outcome.FAILED)):
            for number, day in enumerate((DAY.previous, DAY)):
                judged = all_gates(Stage.CERTIFIED, outcome if number else Outcome.PASSED)
                done = report(
                    f"{urn}{day}", dataset=DatasetId.parse(urn), stage=Stage.CERTIFIED, partition=day, verdicts=judged
                )
                opened.catalog.runs.record(done, [])
        yield opened


def test_the_scores_are_those_of_the_command_with_their_parts(service: ServiceClient, policies: Path) -> None:
    found = service.get(HEALTH, as_=Role.DATA_CONSUMER).json()

    computed = find_health(load_policies(policies, check_rules=False), service.catalog, NOW)
    assert [(one["dataset"], one["score"]) for one in found["datasets"]] == [
        (one.dataset, one.score) for one in computed
    ]
    assert [one["dataset"] for one in found["datasets"]] == [RATES, ORDERS]
    [part] = [one for one in found["datasets"][0]["parts"] if one["part"] == "certified"]
    assert (part["good"], part["of"], part["hint"]) == (1, 2, f"data-platform history {RATES}")
    assert (found["total"], found["days"]) == (2, 14)


def test_owners_and_zones_have_the_mean_and_the_lowest(service: ServiceClient) -> None:
    found = service.get(HEALTH, params={"limit": 1}).json()

    assert [one["dataset"] for one in found["datasets"]] == [RATES]
    assert [(one["name"], one["worst"]) for one in found["owners"]] == [("risk", RATES), ("sales", ORDERS)]
    assert [(one["name"], one["datasets"]) for one in found["zones"]] == [("risk", 1), ("sales", 1)]


@pytest.mark.parametrize("chosen", [{"dataset_urn": ORDERS}, {"owner_team": "sales"}, {"zone": "sales"}])
def test_it_can_be_limited(service: ServiceClient, chosen: dict[str, str]) -> None:
    found = service.get(HEALTH, params=chosen).json()

    assert [one["dataset"] for one in found["datasets"]] == [ORDERS]
    assert [one["name"] for one in found["owners"]] == ["sales"]


def test_without_policies_there_is_nothing(tmp_path: Path) -> None:
    with ServiceClient(f"sqlite:///{tmp_path / 'empty.db'}") as empty:
        found = empty.get(HEALTH).json()

    assert (found["total"], found["datasets"], found["owners"]) == (0, [], [])
