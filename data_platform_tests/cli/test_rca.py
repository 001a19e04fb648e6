"""The root cause as text for people and as one document."""

from data_platform.cli.rca import root_cause_lines
from data_platform_tests.cli.shop import Shop
from data_platform_tests.signals.root_cause.test_explain import STORIES, explained


def test_the_text_has_the_cause_what_to_do_the_evidence_and_what_was_ruled_out() -> None:
    lines = list(root_cause_lines(explained(STORIES["a column was retyped two datasets upstream"])))

    assert lines[0].startswith("incident 7 of ds://risk/totals 2026-03-10: SCHEMA_CHANGE at ds://market/rates: ")
    assert lines[1].startswith("  what to do: accept the columns")
    assert lines[2] == "  evidence"
    assert lines[3].endswith("UTC  incident 7: ds://risk/totals INVARIANT:total:positive")
    assert any(line.startswith("    dataset ds://market/rates: upstream of ds://market/trades") for line in lines)


def test_without_a_cause_the_text_says_so() -> None:
    lines = list(root_cause_lines(explained(STORIES["derived rows fail, and nothing has changed"])))

    assert lines[0].endswith("no cause in evidence")
    assert lines[1] == "  evidence"


def test_an_incident_that_does_not_exist_is_an_error(shop: Shop) -> None:
    result = shop.run("rca", "77")

    assert (result.exit_code, "77" in result.stderr) == (2, True)
