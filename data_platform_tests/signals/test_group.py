"""A member that waits for its publish group has the cause of the member that is not there."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from data_platform.catalog import Catalog
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.lateness import LateCause, LatePartition
from data_platform.model.partition_key import PartitionKey
from data_platform.model.publication import Candidate, GroupMember, GroupRule
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.policies import Policies
from data_platform.signals.lateness import find_late
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.policies.tree import bundle_yaml, dataset_yaml, load
from data_platform_tests.signals.conftest import PARTITION, slo
from data_platform_tests.verdicts import all_gates

TRADES, POSITIONS, PRICES = "ds://bank/trades", "ds://bank/positions", "ds://bank/prices"
DAY = PartitionKey("2025-06-10")
NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
PASSED = NOW - timedelta(hours=6)
SCHEMA = Schema.of([Column(name="id", type="int", nullable=False)])


@pytest.fixture
def policies(tmp_path: Path) -> Policies:
    """Trades and positions are published together; positions are made of prices."""
    source = "source: {format: csv, path: '%s/{partition}', producer: desk}"
    deadline, columns = slo("06:00 America/New_York daily"), bundle_yaml("day DATE, id INT")
    process = (
        "name: positions\nowner_team: shop\noutput: ds://bank/positions\ninputs: [{dataset: 'ds://bank/prices'}]\n"
    )
    steps = "steps: [{name: one, sql: 'SELECT day, id FROM prices'}]\n"
    names = {"trades": source % "trades", "prices": source % "prices", "positions": "process: positions"}
    return load(
        tmp_path,
        {
            **{
                f"datasets/bank/{name}/dataset.yaml": dataset_yaml(f"ds://bank/{name}", PARTITION, origin, deadline)
                for name, origin in names.items()
            },
            **{f"datasets/bank/{name}/policy_bundle.yaml": columns for name in names},
            "processes/positions.yaml": process + steps,
            "groups/book.yaml": "name: book\nowner_team: shop\nmembers: [trades, positions]\n",
        },
    )


def record_the_days_before_and_trades(catalog: Catalog) -> None:
    """Everything before ``DAY`` is there, and trades of ``DAY`` have passed."""
    for back in range(1, 13):
        for urn in (TRADES, POSITIONS, PRICES):
            end(catalog, urn, Stage.CERTIFIED, DAY.shifted(-back))
    end(catalog, TRADES, Stage.GOLD)
    wait(catalog, TRADES)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_the_days_before_and_trades) as opened:
        yield opened


def end(catalog: Catalog, urn: str, stage: Stage, day: PartitionKey = DAY, *, failed: bool = False) -> None:
    verdicts = all_gates(stage)
    if failed:
        verdicts = (*verdicts[1:], Verdict(gate=verdicts[0].gate, outcome=Outcome.FAILED, reason="half is missing"))
    catalog.runs.record(
        StageReport(
            dataset=DatasetId.parse(urn), stage=stage, partition=day, run_id=f"run_{uuid4().hex[:8]}", path=str(stage),
            version=None if failed else 1, rows=RowCounts(read=1, accepted=1), verdicts=verdicts, started_at=PASSED,
            finished_at=PASSED,
        ),
        [],
    )  # fmt: skip


def wait(catalog: Catalog, urn: str, *, judged_under: str = "today") -> None:
    """The version of ``urn`` passed, and is a candidate of the group."""
    members = tuple(GroupMember(urn=one, path="gold", judged_under="today") for one in sorted((TRADES, POSITIONS)))
    candidate = Candidate(
        dataset_urn=urn, group="book", partition=DAY, run_id=f"run_{uuid4().hex[:8]}", path="gold", version=5, base=4,
        slices=(DAY,), rows=1, schema_fingerprint=SCHEMA.fingerprint, policy_fingerprint="", judged_under=judged_under,
        delivery_id="", started_at=PASSED, ready_at=PASSED, verdict={"gate": Gate.CERTIFICATION.value},
    )  # fmt: skip
    catalog.publications.add(candidate, GroupRule(name="book", members=members), SCHEMA, [])


def late(policies: Policies, catalog: Catalog) -> dict[str, LatePartition]:
    return {one.dataset: one for one in find_late(policies, catalog, NOW)}


def test_a_member_waits_for_the_first_one_in_the_chain_of_the_other_member(
    policies: Policies, catalog: Catalog
) -> None:
    found = late(policies, catalog)

    assert (found[TRADES].cause, found[TRADES].upstream) == (LateCause.UPSTREAM_LATE, (POSITIONS, PRICES))
    assert found[TRADES].reason == "waits for publish group book: ds://bank/positions 2025-06-10 has not passed yet"
    assert (found[POSITIONS].cause, found[POSITIONS].upstream) == (LateCause.UPSTREAM_LATE, (PRICES,))
    assert found[PRICES].cause is LateCause.JOB_NOT_TRIGGERED


def test_the_chain_ends_at_a_member_that_was_held(policies: Policies, catalog: Catalog) -> None:
    end(catalog, PRICES, Stage.CERTIFIED)
    end(catalog, POSITIONS, Stage.SILVER, failed=True)

    found = late(policies, catalog)

    assert (found[TRADES].cause, found[TRADES].upstream) == (LateCause.UPSTREAM_LATE, (POSITIONS,))
    assert "ds://bank/positions 2025-06-10 was held in run_" in found[TRADES].reason
    assert found[POSITIONS].cause is LateCause.HELD_BY_GATE


def test_a_member_that_was_held_after_it_passed_does_not_wait(policies: Policies, catalog: Catalog) -> None:
    end(catalog, TRADES, Stage.SILVER, failed=True)

    assert late(policies, catalog)[TRADES].cause is LateCause.HELD_BY_GATE


def test_a_version_that_waits_for_a_run_of_its_own_says_so(policies: Policies, catalog: Catalog) -> None:
    end(catalog, PRICES, Stage.CERTIFIED)
    end(catalog, POSITIONS, Stage.GOLD)
    wait(catalog, POSITIONS, judged_under="yesterday")

    found = late(policies, catalog)

    assert (found[POSITIONS].cause, found[POSITIONS].upstream) == (LateCause.PARTIAL_WRITE, ())
    assert "passed another policy than today's: run 2025-06-10 again" in found[POSITIONS].reason
    assert (found[TRADES].cause, found[TRADES].upstream) == (LateCause.UPSTREAM_LATE, (POSITIONS,))
