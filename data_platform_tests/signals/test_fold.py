"""Findings with one root cause are one group, whatever their order."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.model.partition_key import PartitionKey
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.signals.fold import fold
from data_platform.signals.relation import Relations
from data_platform.signals.upstream import upstream_of
from data_platform_tests.catalog.incident.example_finding import DAY, finding

A, B, C = "ds://ops/a", "ds://ops/b", "ds://ops/c"
CHAIN = Relations(upstream=upstream_of({B: [A], C: [B]}))


def late(dataset: str, *upstream: str, day: PartitionKey = DAY, cause: str = "JOB_NOT_TRIGGERED") -> Finding:
    return finding(dataset, partition=day, signature="UPSTREAM_LATE" if upstream else cause, upstream=upstream)


def broken(dataset: str, signature: str, kind: SignalKind = SignalKind.CONTRACT, **changes: Any) -> Finding:
    return finding(dataset, kind=kind, signature=signature, gate="G4_CONTRACT", **changes)


CASES = [
    pytest.param([broken(A, "INVARIANT:x"), late(A)], CHAIN, id="one day of one dataset"),
    pytest.param([late(A), late(A, day=DAY.next), late(A, day=DAY.shifted(5))], CHAIN, id="a fault of each day"),
    pytest.param([late(A), late(B, A), late(C, B, A)], CHAIN, id="a chain that waits"),
    pytest.param([late(B, A), late(C, B, A)], CHAIN, id="two that wait for one without a deadline"),
    pytest.param([late(B, A), late(B, A, day=DAY.next)], CHAIN, id="two days that wait for it"),
    pytest.param([broken(A, "EMPTY_BATCH", SignalKind.VOLUME), broken(C, "INVARIANT:x")], CHAIN, id="a whole batch"),
    pytest.param(
        [broken(A, "NULL_RATE:x", SignalKind.QUALITY), broken(C, "INVARIANT:y")],
        Relations(CHAIN.upstream, frozenset({(C, "y", A, "x")})),
        id="a column that derives from the failed one",
    ),
    pytest.param(
        [broken(A, "INVARIANT:x", partition=None), broken(B, "INVARIANT:x")],
        Relations(CHAIN.upstream, frozenset({(B, "x", A, "x")})),
        id="an input without partitions",
    ),
    pytest.param(
        [finding(dataset, kind=SignalKind.JOB, details={"job": "AUTOSYS/LOAD"}) for dataset in (A, C)],
        Relations(),
        id="one job that makes two datasets",
    ),
]


@pytest.mark.parametrize(("findings", "relations"), CASES)
def test_findings_with_one_cause_are_one_group_whose_root_is_first(
    findings: list[Finding], relations: Relations
) -> None:
    [group] = fold(findings, relations)

    assert group[0] == findings[0]
    assert sorted(one.key for one in group) == sorted(one.key for one in findings)


@pytest.mark.parametrize(
    "findings",
    [
        pytest.param([late(A), late(B)], id="two late datasets"),
        pytest.param([late(A), late(A, day=DAY.next, cause="JOB_FAILED")], id="two days with two causes"),
        pytest.param([broken(A, "INVARIANT:x"), broken(B, "INVARIANT:y")], id="columns without lineage"),
        pytest.param([broken(A, "INVARIANT:x"), broken(B, "INVARIANT:x", partition=DAY.next)], id="another day"),
        pytest.param(
            [broken(B, "EMPTY_BATCH", SignalKind.VOLUME), broken(A, "INVARIANT:x")],
            id="a batch does not fail its input",
        ),
    ],
)
def test_findings_with_different_causes_are_apart(findings: list[Finding]) -> None:
    assert len(fold(findings, CHAIN)) == 2


WARNED = broken(A, "VOLUME_ANOMALY", SignalKind.VOLUME, severity=SignalSeverity.WARNING)


@pytest.mark.parametrize(
    ("effect", "groups"),
    [
        pytest.param(broken(C, "GATE_RAISED:DQ", SignalKind.QUALITY, details={"errored": True}), 2, id="a gate raised"),
        pytest.param(broken(C, "INVARIANT:x"), 2, id="a rule about values"),
        pytest.param(broken(C, "ROW_COUNT", SignalKind.VOLUME), 1, id="a row count"),
        pytest.param(broken(C, "NOT_UNIQUE:id"), 1, id="rows that came twice"),
        pytest.param(
            broken(C, "MIX_DRIFT:x", SignalKind.ANOMALY, severity=SignalSeverity.WARNING), 1, id="another warning"
        ),
    ],
)
def test_a_row_count_that_only_warned_causes_what_is_about_the_number_of_rows(effect: Finding, groups: int) -> None:
    assert len(fold([WARNED, effect], CHAIN)) == groups


def test_other_columns_upstream_may_be_why_a_gate_raised() -> None:
    retyped = broken(A, "SCHEMA_BREAK:x:INT", SignalKind.SCHEMA_DRIFT, severity=SignalSeverity.WARNING)
    raised = broken(C, "GATE_RAISED:DQ", SignalKind.QUALITY, details={"errored": True})

    assert fold([raised, retyped], CHAIN) == ((retyped, raised),)


@pytest.mark.parametrize(
    ("is_read", "groups"),
    [
        pytest.param(True, 1, id="its run read the faulty version"),
        pytest.param(False, 2, id="its run read an older version"),
        pytest.param(None, 1, id="nobody recorded what it read"),
    ],
)
def test_a_fault_downstream_belongs_to_the_version_that_its_run_read(is_read: bool | None, groups: int) -> None:
    empty, failed = broken(A, "EMPTY_BATCH", SignalKind.VOLUME), broken(C, "INVARIANT:x")
    known = {} if is_read is None else {(failed.key, empty.key): is_read}

    assert len(fold([failed, empty], Relations(CHAIN.upstream, is_read=known))) == groups


def test_a_run_that_read_all_days_of_an_input_belongs_to_the_faulty_day_that_it_read() -> None:
    empty, failed = broken(A, "EMPTY_BATCH", SignalKind.VOLUME), broken(B, "INVARIANT:x", partition=DAY.shifted(3))
    whole = Relations(CHAIN.upstream, whole_reads=frozenset({(B, A)}), is_read={(failed.key, empty.key): True})

    assert fold([failed, empty], whole) == ((empty, failed),)
    assert len(fold([failed, empty], Relations(CHAIN.upstream, whole_reads=whole.whole_reads))) == 2


def test_the_gate_that_holds_a_day_is_the_root_and_not_its_lateness() -> None:
    held, is_late = broken(A, "INVARIANT:x"), late(A, cause="HELD_BY_GATE")
    warning = broken(A, "VOLUME_ANOMALY", SignalKind.VOLUME, severity=SignalSeverity.WARNING)

    assert fold([warning, is_late, held], CHAIN) == ((held, is_late, warning),)


FINDINGS = st.builds(
    finding,
    st.sampled_from([A, B, C]),
    kind=st.sampled_from(SignalKind),
    partition=st.sampled_from([DAY, DAY.next, None]),
    signature=st.sampled_from(["JOB_FAILED", "EMPTY_BATCH", "INVARIANT:x", "UPSTREAM_LATE"]),
    severity=st.sampled_from(SignalSeverity),
    upstream=st.sampled_from([(), (A,), (B, A)]),
)


@given(st.lists(FINDINGS, unique_by=lambda one: one.key, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_findings_does_not_count_and_none_is_lost(findings: list[Finding], chance: random.Random) -> None:
    shuffled = chance.sample(findings, len(findings))

    groups = fold(findings, CHAIN)

    assert fold(shuffled, CHAIN) == groups
    assert sorted(one.key for group in groups for one in group) == sorted(one.key for one in findings)


def test_a_cycle_of_datasets_ends() -> None:
    assert upstream_of({A: [B], B: [A]}) == {A: frozenset({B}), B: frozenset({A})}
