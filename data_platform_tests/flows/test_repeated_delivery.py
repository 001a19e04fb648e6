"""A day that is delivered with the rows of another day is certified with a warning, or held, never silently."""

import gzip

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.delivered_content import REPEATED_DELIVERY
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport, new_run_id
from data_platform.model.verdict import Gate, RuleResult, Severity
from data_platform.stage import driver
from data_platform_tests.flows.estate import ORDERS_BUNDLE, ORDERS_SOURCE, Estate, a_day, declare_orders, orders

ROWS = ("1,10.00,x", "2,20.00,", "3,30.00,z")


def bronze(estate: Estate, day: PartitionKey) -> StageReport:
    platform = estate.platform()
    report = driver.run_stage(platform, platform.policies.dataset("orders"), Stage.BRONZE, day, new_run_id(estate.now))
    platform.close()
    return report


def repetition(report: StageReport) -> RuleResult | None:
    verdict = next(one for one in report.verdicts if one.gate is Gate.G1_RESOLUTION)
    return next((one for one in verdict.results if one.signature == REPEATED_DELIVERY), None)


def on_repetition(estate: Estate, choice: str) -> None:
    declare_orders(estate, source={**ORDERS_SOURCE, "repeated_delivery": choice})


@pytest.fixture
def delivered(estate: Estate) -> Estate:
    """The first day is in bronze."""
    declare_orders(estate)
    orders(estate, *ROWS, day=a_day(1))
    bronze(estate, a_day(1))
    return estate


def test_yesterdays_rows_in_another_form_are_a_warning_until_the_day_is_delivered(delivered: Estate) -> None:
    text = "note,id,amount\r\n" + "".join(f"{n},{i},{a}\r\n" for i, a, n in (row.split(",") for row in reversed(ROWS)))
    delivered.deliver(f"orders/{a_day(2)}", {"export-7.csv.gz": gzip.compress(text.encode())})

    repeated = bronze(delivered, a_day(2))

    warning = repetition(repeated)
    assert repeated.passed
    assert warning is not None
    assert warning.severity is Severity.WARN
    assert f"delivery of {a_day(1)}" in warning.reason
    (delivered.root / "landing" / "orders" / str(a_day(2)) / "export-7.csv.gz").unlink()
    orders(delivered, *ROWS[:2], "3,30.00,y", day=a_day(2))
    assert repetition(bronze(delivered, a_day(2))) is None


def test_the_policy_holds_a_repeated_delivery_or_allows_it(delivered: Estate) -> None:
    orders(delivered, *ROWS, day=a_day(2))
    on_repetition(delivered, "hold")
    held = bronze(delivered, a_day(2))
    on_repetition(delivered, "allow")
    allowed = bronze(delivered, a_day(2))

    assert not held.proceeds
    assert (held.rows.quarantined, held.rows.accepted) == (3, 0)
    assert held.verdicts[0].signatures == (REPEATED_DELIVERY,)
    assert allowed.passed
    assert repetition(allowed) is None


def test_todays_date_in_yesterdays_rows_hides_nothing(estate: Estate) -> None:
    columns = [*ORDERS_BUNDLE["schema"]["constraints"], {"field": "day", "type": "DATE"}]
    declare_orders(estate, {"schema": {"constraints": columns}})
    for number in (1, 2):
        lines = (f"{row},{a_day(number)}" for row in ROWS)
        estate.deliver(f"orders/{a_day(number)}", {"a.csv": "\n".join(("id,amount,note,day", *lines)) + "\n"})

    first, second = bronze(estate, a_day(1)), bronze(estate, a_day(2))

    assert repetition(first) is None
    assert repetition(second) is not None
