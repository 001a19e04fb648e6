"""Every kind of failure signature has advice, and only rules about values can be let through."""

import re

import pytest

from data_platform.model.remediation import ADVICE, OTHERWISE, RELEASABLE_BATCHES, advice, is_releasable
from data_platform_tests.source_tree import ROOT

SIGNATURE = re.compile(r'f"([A-Z][A-Z_]+):\{')
NOT_OF_ROWS = {"NO_VERDICT", "TWO_VERDICTS", "UNEXPECTED_VERDICT", "NULL_RATE_DRIFT", "RELEASED"}
"""Errors of the platform itself, a warning that holds nothing, and the mark of a released rule in evidence."""


def kinds_in_source() -> set[str]:
    folders = [ROOT / "data_platform" / name for name in ("gates", "ingestion", "stage")]
    return {kind for folder in folders for file in folder.rglob("*.py") for kind in SIGNATURE.findall(file.read_text())}


def test_each_kind_that_a_gate_may_report_has_advice_of_its_own() -> None:
    kinds = kinds_in_source()

    assert {"UNKNOWN_ENUM", "TYPE_MISMATCH", "MANIFEST_SIZE", "NOT_UNIQUE"} <= kinds
    assert {kind for kind in kinds - NOT_OF_ROWS if advice(f"{kind}:x") == OTHERWISE} == set()


@pytest.mark.parametrize(
    ("signature", "start"),
    [
        pytest.param("UNKNOWN_ENUM:status:C1", "add the value", id="with a detail"),
        pytest.param("SCHEMA_BREAK:total:INT→STRING", "accept the changed columns", id="by the start of the kind"),
        pytest.param("MALFORMED_RECORD", "ask the producer", id="without a field"),
        pytest.param("NEW_KIND:x", "look at the rows", id="an unknown kind"),
    ],
)
def test_advice_is_found_by_the_kind(signature: str, start: str) -> None:
    assert advice(signature).startswith(start)


def test_a_row_without_a_valid_value_cannot_be_released() -> None:
    assert ADVICE.keys() >= RELEASABLE_BATCHES
    assert is_releasable("UNKNOWN_ENUM:status:C1", "row")
    assert not is_releasable("TYPE_MISMATCH:amount:INT", "row")
    assert not is_releasable("NOT_UNIQUE:id", "row")
    assert is_releasable("NOT_UNIQUE:id", "batch")
    assert not any(is_releasable(f"{kind}:x", "batch") for kind in ("PII_LEAK", "CONTROL_TOTAL", "SCHEMA_BREAK"))
