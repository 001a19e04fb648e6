"""The commands of waivers: who requests, who approves, what to run then, and what consumers are shown."""

from datetime import timedelta

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.waiver import WAIVERS, covers_day
from data_platform_tests.cli.shop import DAY, NOW, ORDERS, RUN, Shop, certify, report
from data_platform_tests.verdicts import all_gates


@pytest.fixture
def declared(shop: Shop) -> Shop:
    """The shop once orders have run, so that the catalog has them."""
    with shop.catalog() as catalog:
        catalog.registry.save_dataset(
            ORDERS, table="orders", owner_team="sales", tier="TIER_3", description="", policy_fingerprint="f",
            partitioning="day", now=NOW,
        )  # fmt: skip
    return shop


def until(shop: Shop) -> str:
    """A day that is not over, by the clock of the commands."""
    from data_platform.installation import Platform
    from data_platform.settings import read_settings

    given = {name: value for name, value in shop.environment.items() if value}
    return f"{Platform(read_settings(given)).now() + timedelta(days=5):%Y-%m-%d}"


def request(shop: Shop, *more: str) -> list[str]:
    asked = ["waiver", "request", "orders", "DQ", "EMPTY_BATCH", "-p", DAY, "--reason", "a holiday", "--by", "ann"]
    return [*asked, "--until", until(shop), *more]


def test_a_waiver_is_requested_approved_by_another_listed_and_revoked(declared: Shop) -> None:
    requested = declared.run(*request(declared))
    own = declared.run("waiver", "approve", "1", "--by", "ann")
    approved = declared.run("waiver", "approve", "1", "--by", "bob", "--comment", "agreed")
    [listed] = declared.json("waiver", "list", "orders", "--status", "approved")
    revoked = declared.json("waiver", "revoke", "1", "--by", "carl")

    assert requested.stdout.startswith(f"waiver 1 of {ORDERS} {DAY} DQ EMPTY_BATCH is PENDING, until ")
    assert f"the last runs of {DAY} have no such failure; recorded: none" in requested.stderr
    assert (own.exit_code, own.stderr) == (
        2, "error: waiver 1 is ann's own request: somebody else has to approve it\n"
    )  # fmt: skip
    assert approved.stdout.splitlines()[1] == f"now run: data-platform run -s {ORDERS} -p {DAY}"
    assert (listed["author"], listed["approver"], listed["comment"]) == ("ann", "bob", "agreed")
    assert (revoked["status"], revoked["revoked_by"]) == ("REVOKED", "carl")
    assert "REVOKED" in declared.run("waiver", "list").stdout
    assert declared.run("waiver", "list", "--status", "approved").stdout == "no waiver matches\n"


def test_a_range_of_days_is_waived_at_once(declared: Shop) -> None:
    wanted = [part if part != DAY else "2025-01-06..2025-01-08" for part in request(declared)]

    waiver = declared.json(*wanted)

    assert (waiver["first"], waiver["last"]) == ("2025-01-06", "2025-01-08")


def test_a_waiver_without_its_dataset_or_for_personal_data_is_refused(declared: Shop) -> None:
    refused = declared.run(*[part if part != "DQ" else "G5_PII" for part in request(declared)])

    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: gate: G5_PII cannot be waived; it can be one of G1_RESOLUTION, ")


def test_consumers_are_shown_the_waivers_of_what_they_see(declared: Shop) -> None:
    certify(declared)
    declared.run(*request(declared))
    use = {"number": 3, "gate": "DQ", "signature": "EMPTY_BATCH", "first": DAY, "last": DAY, "approver": "bob",
           "expires_at": "2025-02-01T00:00:00+00:00", "reason": "a holiday"}  # fmt: skip
    with declared.catalog() as catalog:
        catalog.runs.record(report(RUN, Stage.GOLD, *all_gates(Stage.GOLD), version=4, metadata={WAIVERS: [use]}), [])
        later = report("run_later", Stage.GOLD, *all_gates(Stage.GOLD), version=5)
        catalog.runs.record(later, [])

    line = f"waived: {ORDERS} {DAY} DQ EMPTY_BATCH by waiver 3 of bob: a holiday"
    assert line in declared.run("certified").stdout
    assert line in declared.run("status").stdout
    assert declared.json("certified", "orders")["waivers"] == [use]  # v5 is not what consumers see
    assert covers_day(use, PartitionKey(DAY))
