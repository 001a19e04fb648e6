"""``data-platform signals backtest``: on a dataset's own history, and on a file of row counts."""

import re
from pathlib import Path

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.run import RowCounts
from data_platform_tests.cli.shop import Shop, report
from data_platform_tests.gates.volume.series import series
from data_platform_tests.verdicts import all_gates


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    days = series(200)
    file = tmp_path / "counts.csv"
    lines = [f"{one.partition},{one.rows if one is not days[150] else 100}" for one in days]
    file.write_text("\n".join(["day,rows", *lines]))
    return file


def test_a_file_of_row_counts_is_judged(shop: Shop, counts: Path) -> None:
    found = shop.json("signals", "backtest", "--file", str(counts))

    assert (found["deliveries"], found["judged"], found["monitorable"]) == (200, 140, True)
    [alert] = found["alerts"]
    assert (alert["first"], alert["last"], alert["rows"]) == ("2019-05-31", "2019-05-31", 100)
    assert found["seasonal"]["recall"]["40"] > 0.95


def test_the_text_has_a_line_for_each_threshold_and_alert(shop: Shop, counts: Path) -> None:
    said = shop.run("signals", "backtest", "--file", str(counts)).stdout

    assert said.startswith("200 deliveries, of which 140 are judged: 0.4 years\n")
    assert "monitorable: the threshold of 25 % fits" in said
    assert [line.split()[:2] for line in said.splitlines() if line.startswith("2019")] == [["2019-05-31", "100"]]


def test_the_plot_marks_what_is_unusual(shop: Shop, counts: Path, tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"

    shop.run("signals", "backtest", "--file", str(counts), "--plot", str(picture))

    marked = re.findall("<title>(.*?)</title>", picture.read_text())
    assert marked[0] == "Row counts by day, and what was usual"
    assert [text.split(":")[0] for text in marked[1:]] == ["2019-05-31"]


def test_the_plot_marks_by_the_threshold_of_the_policy(shop: Shop, tmp_path: Path) -> None:
    with shop.catalog() as catalog:
        days = series(100, noise=0)
        for number, one in enumerate(days):
            accepted = one.rows if one is not days[-1] else round(0.6 * one.rows)
            rows = RowCounts(read=accepted, accepted=accepted)
            run = report(f"run_{number}", Stage.GOLD, *all_gates(Stage.GOLD), partition=one.partition, rows=rows)
            catalog.runs.record(run, [])
    policy = shop.root / "policies" / "datasets" / "sales" / "orders" / "dataset.yaml"
    declared, picture = policy.read_text(), tmp_path / "plot.svg"

    marks = []
    for threshold in (25, 50):
        policy.write_text(f"{declared}slo: {{volume: {{seasonal_threshold_pct: {threshold}}}}}\n")
        shop.run("signals", "backtest", "orders", "--plot", str(picture))
        marks.append(picture.read_text().count("<circle"))

    assert marks == [1, 0]


def test_a_dataset_is_judged_by_its_own_runs(shop: Shop) -> None:
    with shop.catalog() as catalog:
        for number, one in enumerate(series(70)):
            rows = RowCounts(read=one.rows, accepted=one.rows)
            run = report(f"run_{number}", Stage.GOLD, *all_gates(Stage.GOLD), partition=one.partition, rows=rows)
            catalog.runs.record(run, [])

    found = shop.json("signals", "backtest", "orders")

    assert (found["deliveries"], found["judged"]) == (70, 10)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("day,rows\n2019-01-01,x\n", "line 2: could not convert string to float: 'x'", id="no number"),
        pytest.param("2019-01-01,5\nyesterday,5\n", "line 2: Invalid isoformat string: 'yesterday'", id="no day"),
        pytest.param("2019-01-01,5\n2019-01-02\n", "line 2: it has one column", id="one column"),
        pytest.param("2019-01-01,5\n2019-01-02,-1\n", "line 2: -1 is no number of rows", id="a negative number"),
    ],
)
def test_a_wrong_line_is_named(shop: Shop, tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "counts.csv"
    file.write_text(text)

    refused = shop.run("signals", "backtest", "--file", str(file))

    assert refused.exit_code == 2
    assert problem in refused.stderr


def test_half_hours_are_added_to_days(shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    file.write_text(
        "".join(f"{one.partition} {hour},{one.rows}\n" for one in series(80) for hour in ("00:00", "00:30"))
    )

    found = shop.json("signals", "backtest", "--file", str(file))

    assert found["deliveries"] == 80


def test_a_dataset_or_a_file_is_needed(shop: Shop, counts: Path) -> None:
    neither = shop.run("signals", "backtest")
    both = shop.run("signals", "backtest", "orders", "--file", str(counts))

    assert (neither.exit_code, both.exit_code) == (2, 2)
    assert "name a dataset, or a file with --file, and not both" in neither.stderr
