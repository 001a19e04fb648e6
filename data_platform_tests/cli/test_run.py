"""``run`` prints the verdict of every gate, and exits with 3 if one held a batch, with 0 if all is certified."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta

import dagster as dg
import pytest

from data_platform.catalog import database, open_catalog
from data_platform.cli import screen
from data_platform.cli.run import count_days, exit_code, print_end, print_report, run_selected, worst
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import MissingMember, Waiting
from data_platform.model.run import RowCounts
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.orchestration.launched import Launched
from data_platform.stage.group_report import waiting_report
from data_platform_tests.cli.shop import RUN, Shop, report
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, declare_orders, orders
from data_platform_tests.verdicts import all_gates

PASSED = report(RUN, Stage.GOLD, *all_gates(Stage.GOLD))
HELD = report(RUN, Stage.GOLD, Verdict(gate=Gate.DQ, outcome=Outcome.FAILED))
CERTIFIED = report(RUN, Stage.CERTIFIED, *all_gates(Stage.CERTIFIED))
LACKS = MissingMember(dataset_urn="ds://sales/lines", partition=CERTIFIED.partition, reason="has not passed yet")
WAITS = waiting_report(
    CERTIFIED,
    Waiting(
        group="order_day",
        dataset_urn=ORDERS,
        partition=CERTIFIED.partition,
        version=1,
        run_id=RUN,
        since=CERTIFIED.finished_at,
        missing=(LACKS,),
    ),
)


def test_a_day_is_held_and_then_certified(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(estate.root / "dagster"))  # the launch sets it; the next test must not see
    declare_orders(estate)
    column = {"field": "name", "type": "STRING"}
    estate.declare(
        "ds://sales/customers",
        {"schema": {"constraints": [column]}},
        source={"format": "csv", "path": "customers", "producer": "shop"},
    )
    estate.deliver("customers", {"customers.csv": "name\nAnn\n"})
    orders(estate, "1,10.50,first", "1,11.50,again")
    platform = estate.platform()

    held = run_selected(platform, ["*"], str(DAY), as_json=False, debug=False)
    said = capsys.readouterr()
    orders(estate, "1,10.50,first", "2,-1,set aside", "3,4,")
    good = run_selected(platform, ["orders"], str(DAY), as_json=False, debug=False)
    said_then = capsys.readouterr().out
    estate.now += timedelta(days=2)
    tomorrow = DAY.next
    orders(estate, "5,1.00,once", "5,1.00,twice", day=tomorrow)
    both = run_selected(platform, ["orders"], f"{DAY}..{tomorrow}", as_json=True, debug=False)
    documents = json.loads(capsys.readouterr().out)
    platform.close()

    assert (held, good, both) == (3, 0, 3)
    gates, end = said.out.split("\n\n")
    assert "gold           sales/orders            G4_CONTRACT    FAILED" in gates
    assert [line.split() for line in end.splitlines()[1:]] == [
        ["ds://sales/customers", "certified", "v1", "1", "row"],
        [ORDERS, "held", "at", "gold", "NOT_UNIQUE:id"],
    ]
    assert not [line for line in (said.out + said_then).splitlines() if line != line.rstrip()]
    assert "1 of 3 rows are in quarantine.sales__orders_" in said_then
    assert said_then.splitlines()[-1].split()[1:] == ["certified", "v3", "2", "rows"]
    document, of_tomorrow = documents["days"]
    assert [(day["partition"], day["exit_code"]) for day in documents["days"]] == [(str(DAY), 0), (str(tomorrow), 3)]
    assert documents["exit_code"] == 3
    assert [told["stage"] for told in of_tomorrow["reports"]] == ["bronze", "silver", "gold"]
    assert [told["stage"] for told in document["reports"]] == ["bronze", "silver", "gold", "gold_certified"]
    assert document["errors"] == {}
    assert {gate["outcome"] for told in document["reports"] for gate in told["gates"]} == {"passed"}
    with dg.DagsterInstance.from_config(str(estate.root / "dagster")) as instance:
        *_, first = instance.get_runs()  # the latest is the first
    assert (first.job_name, first.status.value, first.tags["dagster/partition"]) == ("datasets", "FAILURE", str(DAY))
    assert first.tags["data_platform/dataset"] == f"ds://sales/customers, {ORDERS}"
    assert first.tags["user"]
    assert first.tags["dagster/max_retries"] == "0"  # the daemon starts nothing again that a person started
    assert first.remote_job_origin.repository_origin.get_label() == "__repository__@data_platform"


@pytest.mark.parametrize(
    ("launched", "code"),
    [
        pytest.param(Launched(True, [PASSED]), 0, id="all passed"),
        pytest.param(Launched(False, [PASSED, HELD]), 3, id="one was held"),
        pytest.param(Launched(False, [PASSED], {"gold__orders": "the disk is full"}), 1, id="one ended in an error"),
        pytest.param(Launched(False, [PASSED]), 1, id="Dagster says that something failed"),
        pytest.param(Launched(False, [HELD], {"gold__orders": "the disk is full"}), 3, id="held, and an error"),
        pytest.param(Launched(True, [PASSED, WAITS]), 3, id="waits for its publish group"),
        pytest.param(Launched(True, [WAITS, CERTIFIED]), 0, id="waited, and a later step published it"),
    ],
)
def test_the_exit_code_is_that_of_the_worst_answer_of_a_gate_and_then_of_an_error(
    launched: Launched, code: int
) -> None:
    assert exit_code(launched) == code


def test_each_gate_has_a_line_with_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    rules = tuple(RuleResult(rule=name, signature=f"PII:EMAIL:{name}", outcome=Outcome.FAILED) for name in "abcd")
    told = report(
        RUN,
        Stage.SILVER,
        Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED, compliance=1.0),
        Verdict(gate=Gate.G5_PII, outcome=Outcome.FAILED, results=rules, compliance=0.5),
        Verdict(gate=Gate.DQ, outcome=Outcome.SKIPPED, reason="there are no rows"),
        quarantine_table="quarantine.orders_20250107_run_a",
    )

    print_report(screen.out(), told)

    assert capsys.readouterr().out.splitlines() == [
        "silver         sales/orders            G4_CONTRACT    passed   100.00% kept",
        "silver         sales/orders            G5_PII         FAILED   50.00% clean  "
        "PII:EMAIL:a, PII:EMAIL:b, PII:EMAIL:c",
        "silver         sales/orders            DQ             skipped                there are no rows",
        "               2 of 3 rows are in quarantine.orders_20250107_run_a",
    ]


def test_quarantine_is_not_mentioned_if_no_row_is_quarantined(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(screen.out(), replace(PASSED, rows=RowCounts(read=3, accepted=3)))

    assert "quarantine" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("done", "code"),
    [
        pytest.param([Launched(True, [PASSED]), Launched(True, [PASSED])], 0, id="all certified"),
        pytest.param([Launched(False), Launched(True, [PASSED])], 1, id="an error, and the last day is good"),
        pytest.param([Launched(False, [HELD]), Launched(False)], 3, id="one held, one in error"),
    ],
)
def test_the_exit_code_of_several_days_is_the_worst(done: list[Launched], code: int) -> None:
    assert worst(done) == code


def test_the_last_line_of_a_range_names_the_days_that_were_not_certified() -> None:
    days = ("2025-01-06", "2025-01-07", "2025-01-08", "2025-01-09")
    done = [Launched(True, [PASSED]), Launched(False, [HELD]), Launched(False), Launched(False, [HELD])]

    said = count_days(days, done)

    assert said == "4 days: 1 certified, 2 held (2025-01-07, 2025-01-09), 1 error (2025-01-08)"


def test_a_range_counts_the_days_that_wait_for_a_publish_group_apart_from_held_ones() -> None:
    done = [Launched(True, [CERTIFIED]), Launched(True, [WAITS]), Launched(False, [WAITS, HELD])]

    said = count_days(("2025-01-06", "2025-01-07", "2025-01-08"), done)

    assert said == "3 days: 1 certified, 1 waiting for a publish group (2025-01-07), 1 held (2025-01-08)"


def test_the_end_of_a_run_names_the_members_for_which_a_version_waits(capsys: pytest.CaptureFixture[str]) -> None:
    print_end(screen.out(), [], Launched(True, [PASSED, WAITS]))

    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith(ORDERS)]
    day = CERTIFIED.partition
    assert (
        line
        == f"{ORDERS} {day} passed, and waits for publish group order_day: ds://sales/lines {day} has not passed yet"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "said"),
    [pytest.param(Terminal(), "loading\n", id="a terminal"), pytest.param(io.StringIO(), "", id="a pipe")],
)
def test_what_is_loading_is_announced_on_a_terminal_only(
    stream: io.StringIO, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)

    screen.announce("loading")

    assert stream.getvalue() == said


def test_the_announcement_comes_before_the_slow_imports() -> None:
    """A run that is stopped at its first message has imported neither Dagster nor PySpark."""
    script = (
        "import sys\n"
        "from data_platform.cli import main, screen\n"
        "class Announced(BaseException): ...\n"
        "def stop(text):\n"
        "    raise Announced\n"
        "screen.announce = stop\n"
        "try:\n"
        "    main.run(select=['orders'])\n"
        "except Announced:\n"
        "    print(sorted({'dagster', 'pyspark', 'sqlalchemy'} & set(sys.modules)))\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603

    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_a_run_that_cannot_write_the_catalog_reports_it(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_catalog(f"sqlite:///{shop.root / 'home' / 'catalog.db'}") as catalog:
        catalog.leases.all()
    monkeypatch.setattr(
        database, "_turn_on_foreign_keys", lambda connection, _: connection.execute("PRAGMA query_only = ON")
    )

    result = shop.run("run", "-s", "orders", "-p", str(DAY))
    document = shop.json("run", "-s", "orders", "-p", str(DAY), exit_code=1)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2].split() == [ORDERS, "error", "see", "below"]
    assert "error: the catalog sqlite:///" in result.stdout
    assert "attempt to write a readonly database; let this user write the file and its folder" in result.stdout
    assert "attempt to write a readonly database" in document["errors"]["run"]
