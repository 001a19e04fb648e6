"""A job's frame is judged by the approved policy before the job writes it, without a service and in each mode."""

import json
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import data_platform
from data_platform.errors import PolicyError, UsageError
from data_platform.job_guard.guarded import FrameHeldError, GateFailedWarning
from data_platform.model.onboarding import PolicyApproval
from data_platform.model.quarantine import VIOLATIONS
from data_platform.openlineage.event import read_event
from data_platform.policies import load_policies
from data_platform.policies.approval import approval_fingerprint
from data_platform_tests.job_guard.orders import URN, broken, declare, frame
from data_platform_tests.policies.tree import write


def test_a_good_frame_is_accepted_as_it_is() -> None:
    given = frame(more=[7, 8, 9])

    guarded = data_platform.guard(given, URN)

    pd.testing.assert_frame_equal(guarded.accepted, given)
    assert (guarded.passed, guarded.rows, guarded.rejected_rows, len(guarded.rejected)) == (True, 3, 0, 0)
    assert [str(verdict.gate) for verdict in guarded.verdicts] == ["G3_SCHEMA", "G4_CONTRACT", "G5_PII", "DQ"]


def test_rows_that_break_a_rule_on_single_rows_are_separated_with_the_reasons() -> None:
    given = frame(kind=["A", "C", "B"]).set_axis([10, 20, 30])

    guarded = data_platform.guard(given, URN)

    assert list(guarded.accepted.index) == [10, 30]
    assert guarded.rejected[VIOLATIONS].to_dict() == {20: ["UNKNOWN_ENUM:kind"]}
    assert guarded.passed, "two of three rows are more than min_compliance"


@pytest.mark.parametrize(
    ("columns", "gate", "signature"),
    [
        pytest.param({"order_id": [1, 1, 2]}, "G4_CONTRACT", "NOT_UNIQUE:order_id", id="a key twice"),
        pytest.param({"total": [1.0, -2.0, 3.0]}, "G4_CONTRACT", "INVARIANT:total_is_positive", id="an invariant"),
        pytest.param({"kind": ["C", "C", "A"]}, "G4_CONTRACT", "UNKNOWN_ENUM:kind", id="too few rows are left"),
        pytest.param({"note": ["x", "ann@example.com", ""]}, "G5_PII", "PII_LEAK:EMAIL:note", id="an address"),
        pytest.param({"total": [None, None, 1.0]}, "DQ", "NULL_RATE:total", id="too many NULLs"),
    ],
)
def test_what_breaks_the_policy_is_held_before_the_job_writes(
    columns: dict[str, Any], gate: str, signature: str
) -> None:
    with pytest.raises(FrameHeldError) as held:
        data_platform.guard(frame(**columns), URN)

    assert signature.rpartition(":")[0] in str(broken(held.value.guarded)[gate])
    assert "ann@example.com" not in str(held.value)


def test_a_row_that_is_rejected_breaks_no_rule_of_the_whole() -> None:
    guarded = data_platform.guard(frame(order_id=[1, 2, 2], kind=["A", "B", "C"], note=["", "", "a@example.com"]), URN)

    assert guarded.passed
    assert list(guarded.accepted["order_id"]) == [1, 2]


def test_too_few_rows_and_a_missing_column_are_held() -> None:
    with pytest.raises(FrameHeldError, match="EMPTY_BATCH"):
        data_platform.guard(frame().iloc[:0], URN)
    with pytest.raises(FrameHeldError, match="G3_SCHEMA failed") as held:
        data_platform.guard(frame().drop(columns="order_id"), URN)
    assert len(held.value.guarded.accepted) == 3


@pytest.mark.parametrize(
    ("enforcement", "holds"),
    [
        ("VISIBILITY", False),
        ("WARN", False),
        ({"production": "SOFT_FAIL"}, False),
        ("HARD_FAIL", True),
    ],
)
def test_the_mode_decides_whether_a_failed_gate_holds(job: Path, enforcement: Any, holds: bool) -> None:
    declare(job, enforcement=enforcement)
    bad = frame(order_id=[1, 1, 2])

    if holds:
        with pytest.raises(FrameHeldError):
            data_platform.guard(bad, URN)
        return
    with pytest.warns(GateFailedWarning, match="NOT_UNIQUE:order_id"):
        guarded = data_platform.guard(bad, URN)
    pd.testing.assert_frame_equal(guarded.accepted, bad)
    assert not guarded.passed


def test_soft_fail_holds_outside_production(job: Path) -> None:
    declare(job, enforcement="SOFT_FAIL")
    write(job, {"platform.yaml": "environment: staging"})

    with pytest.raises(FrameHeldError):
        data_platform.guard(frame(order_id=[1, 1, 2]), URN)


def test_the_verdicts_wait_in_the_spool_while_there_is_no_service(job: Path) -> None:
    with pytest.raises(FrameHeldError):
        data_platform.guard(frame(order_id=[1, 1, 2]), URN, partition="2025-06-01", process="AUTOSYS/NIGHT/ORDERS")

    [path] = (job / "spool").glob("*.json")
    event = read_event(json.loads(path.read_bytes()))
    [output] = event.datasets
    assert (event.job.namespace, event.job.name) == ("AUTOSYS", "NIGHT/ORDERS")
    assert {one.name: one.success for one in output.assertions} == {
        "G3_SCHEMA": True, "G4_CONTRACT": False, "G5_PII": True, "DQ": True,
    }  # fmt: skip
    [failed] = [one for one in output.assertions if not one.success]
    assert failed.detail["signatures"] == ["NOT_UNIQUE:order_id"]
    assert failed.detail["partition"] == "2025-06-01"
    assert output.version_tag is None, "a frame that was judged is no version yet"


def test_the_switch_lets_a_job_write_without_judging_even_without_policies(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_PLATFORM_POLICIES", str(job / "gone"))
    bad = frame(order_id=[1, 1, 2])
    with pytest.raises((PolicyError, UsageError)):
        data_platform.guard(bad, URN)

    monkeypatch.setenv("DATA_PLATFORM_GUARD", "off")
    guarded = data_platform.guard(bad, URN)

    assert guarded.accepted is bad
    assert guarded.verdicts == ()
    monkeypatch.setenv("DATA_PLATFORM_GUARD", "no")
    with pytest.raises(UsageError, match="expected on or off"):
        data_platform.guard(bad, URN)


def test_a_policy_that_nobody_approved_is_refused_also_offline(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load_policies(job / "policies").dataset(URN)
    answers = iter([PolicyApproval(approved=frozenset({approval_fingerprint(dataset)}))])
    monkeypatch.setattr("data_platform.job_guard.approval._asked", lambda *_: next(answers))
    assert data_platform.guard(frame(), URN).passed
    monkeypatch.undo()
    for name, folder in (("HOME", "home"), ("POLICIES", "policies"), ("SPOOL", "spool")):
        monkeypatch.setenv(f"DATA_PLATFORM_{name}", str(job / folder))
    assert data_platform.guard(frame(), URN).passed, "the last answer counts while the catalog is away"

    declare(job, enforcement="VISIBILITY")

    with pytest.raises(UsageError, match="is not approved, so nothing runs"):
        data_platform.guard(frame(), URN)


def test_a_catalog_that_does_not_exist_is_not_made_and_the_job_goes_on(
    job: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert data_platform.guard(frame(), URN).passed
    assert not (job / "home").exists()
    assert "is not known, since the catalog did not answer" in caplog.text


def test_what_only_spark_can_judge_holds_a_pandas_frame(job: Path) -> None:
    declare(job, bundle={"contract": {"invariants": [{"id": "odd", "rule": "levenshtein(kind, note) < 3"}]}})
    with pytest.raises(FrameHeldError, match="only Spark can evaluate it"):
        data_platform.guard(frame(), URN)

    names = {"detection": [{"pattern": "PERSON_NAME", "action": "mask", "fields": ["note"]}]}
    declare(job, bundle={"pii": names})
    with pytest.raises(FrameHeldError, match="only Spark can search it"):
        data_platform.guard(frame(), URN)


def test_a_kind_that_the_policy_does_not_name_hides_no_other(job: Path) -> None:
    declare(job, bundle={"pii": {"detection": [{"pattern": "PHONE", "action": "mask", "fields": ["note"]}]}})

    with pytest.raises(FrameHeldError, match="PII_LEAK:PHONE:note"):
        data_platform.guard(frame(note=["x", "mail 555-0100@example.com or call +1 202-555-0143", ""]), URN)


def test_a_frame_that_is_none_and_a_dataset_that_nobody_declared_are_errors() -> None:
    with pytest.raises(UsageError, match="expected a frame of pandas or Spark"):
        data_platform.guard([1, 2], URN)
    with pytest.raises(UsageError, match="is not a dataset"):
        data_platform.guard(frame(), "ds://shop/order")


def test_no_warning_of_the_libraries_reaches_the_job() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data_platform.guard(frame(total=[Decimal("1.5"), 2, None]), URN)


def test_the_kept_approval_is_readable_json(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_platform.job_guard.approval._asked", lambda *_: None)
    data_platform.guard(frame(), URN)

    [kept] = (job / "spool" / "approved").iterdir()
    assert json.loads(kept.read_text()) is None, "a dataset that was never onboarded needs no approval"
