"""The Markdown page has the exact counts, and no value in it is interpreted as Markdown."""

from dataclasses import replace

from data_platform.parity.markdown import markdown
from data_platform.parity.report import ColumnParity, Duplicates, Sample
from data_platform_tests.parity.test_report import report, rows

AMOUNT = ColumnParity(
    name="amount", legacy_name="AMOUNT", legacy_type="string", new_type="decimal(10,2)", compared_as="decimal(26,18)"
)


def test_the_page_shows_counts_columns_and_samples() -> None:
    counts = rows(equal=7, different=1, duplicated=1, duplicated_in_legacy=Duplicates(1, 2), malformed=1)
    columns = (replace(AMOUNT, different=1, max_difference=0.01, mean_difference=0.01, max_relative_difference=1e-5),)
    sample = Sample("different", {"id": "1"}, {"amount": ("1.01", None)})

    page = markdown(
        report(rows=counts, columns=columns, samples=(sample,), partition="2025-01-06", renamed={"AMOUNT": "amount"})
    )

    lines = page.splitlines()
    assert lines[0] == "# DIFFERENT: ds://sales/orders 2025-01-06"
    assert "| new | ds://sales/orders v3, certified 2025-01-07 03:00:00 UTC |" in lines
    assert "| renamed | AMOUNT → amount |" in lines
    assert "| … in legacy | 1 keys in 2 rows |" in lines
    assert "| legacy records that cannot be read | 1 |" in lines
    assert "| amount | STRING | DECIMAL(10,2) | 1 |  |  |  |  | 0.01 | 0.01 | 1e-05 |" in lines
    assert "| id=1 | different | amount: 1.01 → NULL |" in lines


def test_what_steers_a_page_or_a_terminal_is_spelt_out() -> None:
    sample = Sample("only in new", {"id": "a|b\n<img>*\x1b[2J"})

    page = markdown(report(rows=rows(only_in_new=1), samples=(sample,)))

    assert "| id=a\\|b\\\\n&lt;img>\\*\\\\x1b[2J | only in new |  |" in page.splitlines()
