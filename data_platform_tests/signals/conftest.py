"""Flights are landed by 06:00 in New York; delays are made of them; rates come from a job outside."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.policies import Policies
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, load

PARTITION = "partition: {key: day, start: 2025-01-01, time_zone: America/New_York}"


def slo(deadline: str, grace: str = "30m") -> str:
    return f"slo: {{freshness: {{expected_update_by: '{deadline}', grace_period: {grace}}}}}"


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    source = "source: {format: csv, path: 'flights/{partition}', producer: airport}"
    process = "name: delays\nowner_team: shop\noutput: ds://ops/delays\ninputs: [{dataset: 'ds://ops/flights'}]\n"
    summary = "name: summary\nowner_team: shop\noutput: ds://ops/summary\ninputs: [{dataset: 'ds://ops/delays'}]\n"
    steps = "steps: [{name: one, sql: 'SELECT day, id FROM %s'}]\n"
    columns = bundle_yaml("day DATE, id INT")
    return load(
        tmp_path,
        {
            "datasets/ops/flights/dataset.yaml": dataset_yaml(
                "ds://ops/flights", PARTITION, source, slo("06:00 America/New_York daily")
            ),
            "datasets/ops/flights/policy_bundle.yaml": columns,
            "datasets/ops/delays/dataset.yaml": dataset_yaml(
                "ds://ops/delays", PARTITION, "process: delays", slo("07:00 America/New_York daily")
            ),
            "datasets/ops/delays/policy_bundle.yaml": columns,
            "datasets/ops/summary/dataset.yaml": dataset_yaml(
                "ds://ops/summary", PARTITION, "process: summary", slo("08:00 America/New_York daily")
            ),
            "datasets/ops/summary/policy_bundle.yaml": columns,
            "processes/delays.yaml": process + steps % "flights",
            "processes/summary.yaml": summary + steps % "delays",
            "datasets/market/rates/dataset.yaml": dataset_yaml(
                "ds://market/rates", PARTITION, slo("02:00 America/New_York daily")
            ),
        },
    )


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    file = tmp_path / "catalog.db"
    copy_template(file)
    with open_catalog(f"sqlite:///{file}", EvidenceKeys(tmp_path / "evidence.key")) as opened:
        yield opened
