"""A derived day is due when its inputs are certified, and newer than what it was made of; or there is a reason."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Outcome
from data_platform.policies import load_policies
from data_platform.stage.readiness import Readiness, State, readiness
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import declare_shop, derived
from data_platform_tests.stage.ledger import Ledger, opened

NEXT = DAY.next
ORDERS, CUSTOMERS, TOTALS = "ds://shop/orders", "ds://shop/customers", "ds://report/totals"


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    found = Estate(tmp_path, spark=None)
    declare_shop(found)
    return found


@pytest.fixture
def ledger(estate: Estate) -> Iterator[Ledger]:
    """Orders of the day are certified at 4, customers at 2."""
    with opened(estate, load_policies(estate.settings.policies)) as found:
        found.certify("orders", 4)
        found.certify("customers", 2, day=None)
        yield found


def ask(ledger: Ledger, name: str = "totals", day: PartitionKey | None = DAY) -> Readiness:
    return readiness(ledger.catalog, ledger.policies, ledger.policies.dataset(name), day)


def test_a_day_whose_inputs_are_certified_is_due(ledger: Ledger) -> None:
    assert ask(ledger) == Readiness(State.DUE)


def test_what_is_not_certified_is_named(estate: Estate) -> None:
    with opened(estate, load_policies(estate.settings.policies)) as ledger:
        assert ask(ledger) == Readiness(State.WAITING, (CUSTOMERS, ORDERS))


def test_an_input_that_is_certified_for_another_day_only_is_missing(ledger: Ledger) -> None:
    assert ask(ledger, day=NEXT) == Readiness(State.WAITING, (ORDERS,))


def test_a_day_that_was_made_of_these_inputs_is_made(ledger: Ledger) -> None:
    run_id = ledger.make("totals", 7, read={ORDERS: 4, CUSTOMERS: 2})

    assert ask(ledger) == Readiness(State.MADE, run_id=run_id)


@pytest.mark.parametrize(
    "again",
    [
        pytest.param({"name": "orders", "version": 5}, id="the day of an input"),
        pytest.param({"name": "customers", "version": 3, "day": None}, id="an input without days"),
    ],
)
def test_a_new_certification_of_an_input_makes_it_due_again(ledger: Ledger, again: dict[str, Any]) -> None:
    ledger.make("totals", 7, read={ORDERS: 4, CUSTOMERS: 2})

    ledger.certify(**again)

    assert ask(ledger).state is State.DUE


def test_another_day_of_an_input_changes_nothing(ledger: Ledger) -> None:
    ledger.make("totals", 7, read={ORDERS: 4, CUSTOMERS: 2})

    ledger.certify("orders", 5, day=NEXT)

    assert ask(ledger).state is State.MADE


def test_any_day_of_an_input_that_is_read_whole_counts(estate: Estate) -> None:
    derived(estate, "ever", [{"dataset": ORDERS, "rows": "all"}], "SELECT customer FROM orders")
    with opened(estate, load_policies(estate.settings.policies)) as ledger:
        ledger.certify("orders", 4)
        ledger.make("ever", 1, read={ORDERS: 4})
        made = ask(ledger, "ever")

        ledger.certify("orders", 5, day=NEXT)

        assert made.state is State.MADE
        assert ask(ledger, "ever").state is State.DUE


def test_a_dataset_without_days_is_made_of_everything(estate: Estate) -> None:
    derived(estate, "buyers", [ORDERS], "SELECT customer FROM orders", partition=None)
    with opened(estate, load_policies(estate.settings.policies)) as ledger:
        ledger.certify("orders", 4)
        due = ask(ledger, "buyers", None)

        ledger.make("buyers", 1, read={ORDERS: 4}, day=None)

        assert due.state is State.DUE
        assert ask(ledger, "buyers", None).state is State.MADE


@pytest.mark.parametrize("stage", [Stage.SILVER, Stage.GOLD])
def test_a_day_that_a_gate_held_stays_held_while_nothing_changes(ledger: Ledger, stage: Stage) -> None:
    read = {ORDERS: 4, CUSTOMERS: 2}
    if stage is Stage.GOLD:
        ledger.record("totals", Stage.SILVER, 7, read=read)
        read = {f"{TOTALS}@silver": 7}

    run_id = ledger.record("totals", stage, None, read=read, outcome=Outcome.FAILED)

    assert ask(ledger) == Readiness(State.HELD, run_id=run_id)


def test_a_day_that_was_held_under_another_policy_is_due(ledger: Ledger) -> None:
    read = {ORDERS: 4, CUSTOMERS: 2}
    ledger.record("totals", Stage.SILVER, None, read=read, outcome=Outcome.FAILED, policy_fingerprint="of before")

    assert ask(ledger).state is State.DUE


@pytest.mark.parametrize("last", [Stage.SILVER, Stage.GOLD])
def test_a_run_that_died_between_stages_leaves_the_day_due(ledger: Ledger, last: Stage) -> None:
    ledger.record("totals", Stage.SILVER, 7, read={ORDERS: 4, CUSTOMERS: 2})
    if last is Stage.GOLD:
        ledger.record("totals", Stage.GOLD, 3, read={f"{TOTALS}@silver": 7})

    assert ask(ledger).state is State.DUE


def test_gold_of_an_older_silver_does_not_count(ledger: Ledger) -> None:
    ledger.make("totals", 7, read={ORDERS: 4, CUSTOMERS: 2})

    ledger.record("totals", Stage.SILVER, 8, read={ORDERS: 4, CUSTOMERS: 2})

    assert ask(ledger).state is State.DUE
