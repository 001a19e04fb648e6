"""Cases with their own policies and deliveries, from the landing folder to the certified rows or to the reason."""

import shutil

import pytest
from pyspark.sql import SparkSession

from data_platform.errors import DataPlatformError
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport
from data_platform.model.verdict import Outcome
from data_platform_tests.case import CASES
from data_platform_tests.flows.estate import Estate, a_day, set_aside

FIRST, SECOND, THIRD = (a_day(number) for number in (1, 2, 3))
LATE = PartitionKey("2024-12-30")


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    root = tmp_path_factory.mktemp("cases")
    for case in ("C53", "C58", "C59"):
        for part in ("landing", "policies"):
            shutil.copytree(next(CASES.glob(f"{case}_*")) / part, root / part, dirs_exist_ok=True)
    return Estate(root, spark)


def signatures(report: StageReport) -> set[str]:
    return {signature for verdict in report.verdicts for signature in verdict.signatures}


def reasons(report: StageReport) -> str:
    results = (result for verdict in report.verdicts for result in verdict.results)
    return " ".join([*(verdict.reason for verdict in report.verdicts), *(result.reason for result in results)])


def test_a_row_that_makes_sql_fail_holds_its_dataset_and_shows_no_value(estate: Estate) -> None:  # C53
    assert estate.run("sqlsrc", None)[-1].stage is Stage.CERTIFIED

    for process, cause in (
        ("sqldiv", "DIVIDE_BY_ZERO"),
        ("sqlsum", "ARITHMETIC_OVERFLOW"),
        ("sqlint", "ARITHMETIC_OVERFLOW"),
        ("sqldate", "CAST_INVALID_INPUT"),
    ):
        with pytest.raises(DataPlatformError, match=cause) as raised:
            estate.run(process, None)
        assert process in str(raised.value)
        assert not any(value in str(raised.value) for value in ("3000000", "99999", "\n\tat "))
        assert estate.certified_rows(process) == []

    held = estate.run("sqlrule", None)[-1]
    assert (held.stage, held.outcome) == (Stage.SILVER, Outcome.ERRORED)
    assert "INVARIANT:amount,qty:price raises DIVIDE_BY_ZERO" in reasons(held)


def test_a_mean_of_huge_decimals_is_computed(estate: Estate) -> None:  # C53
    reports = estate.run("metricsum", None)

    assert reports[-1].stage is Stage.CERTIFIED
    dq = next(verdict for verdict in reports[1].verdicts if "fields" in verdict.metadata)
    assert dq.metadata["fields"]["amount"]["mean"] is not None


def test_late_days_keys_of_other_days_and_older_references(estate: Estate) -> None:  # C58
    assert estate.run("customers", None)[-1].stage is Stage.CERTIFIED
    first = estate.run("daily", FIRST)
    assert (signatures(first[1]), first[-1].rows.accepted) == ({"WRONG_PARTITION:day"}, 2)
    assert [row["id"] for row in set_aside(estate, first[1])] == ["3"]
    assert estate.run("daily", SECOND)[-1].rows.accepted == 2
    newer = estate.certified_rows("daily")

    assert estate.run("daily", LATE)[-1].stage is Stage.CERTIFIED
    held = estate.run("daily", THIRD)[-1]

    late = [row for row in estate.certified_rows("daily") if row["day"] == LATE.value]
    assert estate.certified_rows("daily") == [*late, *newer]
    assert (held.stage, signatures(held)) == (Stage.GOLD, {"UNKNOWN_REFERENCE:cust:ds://c58/customers"})
    assert "ds://c58/customers v" in reasons(held)
    (estate.root / "landing" / "customers" / "c.csv").write_text("cust\n1\n2\n7\n")
    assert estate.run("customers", None)[-1].stage is Stage.CERTIFIED
    assert estate.run("daily", THIRD)[-1].stage is Stage.CERTIFIED
    assert [row["cust"] for row in estate.certified_rows("daily")][-1] == 7


def test_no_value_differs_from_its_text(estate: Estate) -> None:  # C59
    bronze, silver, *rest = estate.run("written", None)

    assert (bronze.rows.accepted, rest[-1].stage) == (30, Stage.CERTIFIED)
    rows = {row["id"]: row for row in estate.certified_rows("written")}
    assert set(rows) == {10, 11, 20, *range(100, 110)}
    assert (rows[10]["flag"], rows[11]["flag"], str(rows[20]["at"])) == (True, True, "2025-01-01 04:30:00")
    assert {row["id"] for row in set_aside(estate, silver)} == {str(n) for n in range(1, 20) if n not in (10, 11)}
    types = {"n:INT", "amt:DECIMAL(10,2)", "at:TIMESTAMP", "d:DATE"}
    assert signatures(silver) == {f"TYPE_MISMATCH:{column}" for column in types}


@pytest.mark.parametrize(
    ("dataset", "signature", "expected", "found"),
    [
        ("pandas_ints", "SCHEMA_BREAK:n:INT→STRING", "a whole number", "#.#"),
        ("seven_digits", "SCHEMA_BREAK:at:TIMESTAMP→STRING", "up to six digits of a second", ".#######"),
    ],
)
def test_a_column_in_another_form_is_reported_with_the_expected_form(
    estate: Estate, dataset: str, signature: str, expected: str, found: str
) -> None:  # C59
    (bronze,) = estate.run(dataset, None)

    assert signatures(bronze) == {signature}
    assert expected in reasons(bronze)
    assert found in reasons(bronze)
    assert estate.certified_rows(dataset) == []
