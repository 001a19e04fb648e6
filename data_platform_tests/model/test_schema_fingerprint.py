"""The full fingerprint differs with whatever drift can change."""

import pytest

from data_platform.model.schema import Column, Schema
from data_platform.model.schema_fingerprint import full_fingerprint

BEFORE = Schema((Column(name="id", type="int"), Column(name="at", type="struct<city:string>")))
DOMAINS = {"id": ("A", "B")}


@pytest.mark.parametrize(
    ("after", "domains", "equal"),
    [
        pytest.param(BEFORE, {"ID": ["B", "A"]}, True, id="the same codes in another order"),
        pytest.param(BEFORE, DOMAINS | {"gone": ("X",)}, True, id="codes of a column that is not there"),
        pytest.param(BEFORE, {"id": ("A", "B", "C")}, False, id="one code more"),
        pytest.param(Schema(BEFORE.columns[::-1]), DOMAINS, False, id="another order"),
        pytest.param(Schema((Column(name="ID", type="int"), BEFORE.columns[1])), DOMAINS, False, id="another spelling"),
        pytest.param(
            Schema((BEFORE.columns[0], Column(name="at", type="struct<zip:int>"))), DOMAINS, False, id="a nested field"
        ),
        pytest.param(
            Schema((Column(name="id", type="int", nullable=False), BEFORE.columns[1])), DOMAINS, False, id="NOT NULL"
        ),
    ],
)  # fmt: skip
def test_whatever_drift_can_change_changes_it(after: Schema, domains: dict[str, list[str]], equal: bool) -> None:
    assert (full_fingerprint(after, domains) == full_fingerprint(BEFORE, DOMAINS)) is equal
