"""A version or a held day is explained by exactly the runs, verdicts, delivery and inputs behind it."""

from dataclasses import replace
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import NotFoundError
from data_platform.model.certification import PointerMove
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.explanation import ExplanationState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.remediation import advice
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform_tests.catalog.example import DAY, FAILED, NOW, ORDERS, certification, evidence, later, report
from data_platform_tests.verdicts import all_gates

NEXT_DAY = PartitionKey("2026-02-16")
TOTALS = "ds://curated/totals"
PRODUCER = Verdict(gate=Gate.G2_IDENTITY, outcome=Outcome.PASSED, metadata={"producer_urn": "shop", "confidence": 1.0})


def record(catalog: Catalog, run_id: str, stage: Stage, **changes: Any) -> None:
    catalog.runs.record(report(run_id, stage=stage, **changes), [evidence(run_id)])


def bronze(catalog: Catalog, run_id: str, **changes: Any) -> None:
    verdicts = tuple(PRODUCER if v.gate is Gate.G2_IDENTITY else v for v in all_gates(Stage.BRONZE))
    metadata = {"files": [f"{run_id}.csv"], "details": ["an empty file"], "passed_over": {".tmp": "hidden"}}
    made = {"verdicts": verdicts, "metadata": metadata, "delivery_id": f"delivery_{run_id}", **changes}
    record(catalog, run_id, Stage.BRONZE, **made)


def certify(catalog: Catalog, run_id: str, version: int, *, expected: int | None = None, **changes: Any) -> None:
    partition = changes.get("partition", DAY)
    urn = changes.get("dataset", DatasetId.parse(ORDERS)).urn
    pointer = replace(certification(version, run_id, partition=partition), dataset_urn=urn)
    done = report(run_id, stage=Stage.CERTIFIED, version=version, **changes)
    catalog.certifications.certify(pointer, expected=expected, evidence=[], report=done)


def pipeline(catalog: Catalog, run_id: str, version: int, *, expected: int | None = None, **changes: Any) -> None:
    """A run that passes every stage; gold and the certified version are ``version``."""
    bronze(catalog, run_id, **changes)
    record(catalog, run_id, Stage.SILVER, input_versions={ORDERS: 1}, **changes)
    record(catalog, run_id, Stage.GOLD, version=version, **changes)
    certify(catalog, run_id, version, expected=expected, **changes)


def runs(explanation: Any) -> list[tuple[str, str]]:
    return [(stage.stage.value, stage.run_id) for stage in explanation.stages]


def test_a_version_is_explained_by_the_runs_of_its_own_day(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)
    pipeline(catalog, "run_2", 5, expected=3, partition=NEXT_DAY)

    first = catalog.certifications.explain_version(ORDERS, 3)
    second = catalog.certifications.explain_version(ORDERS, 5)

    assert runs(first) == [(stage.value, "run_1") for stage in Stage]
    assert runs(second) == [(stage.value, "run_2") for stage in Stage]
    assert (first.partition, first.other_partitions) == (DAY, 0)
    assert (second.partition, second.other_partitions) == (NEXT_DAY, 1)
    assert (second.state, second.version, second.judged_version) == (ExplanationState.CERTIFIED, 5, 5)
    assert second.next_steps == second.inputs == ()


def test_the_delivery_has_its_files_and_its_producer(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)

    delivery = catalog.certifications.explain_version(ORDERS, 3).delivery

    assert delivery is not None
    assert (delivery.id, delivery.files, delivery.producer) == ("delivery_run_1", ("run_1.csv",), "shop")
    assert (delivery.details, delivery.passed_over) == (("an empty file",), {".tmp": "hidden"})


def test_a_day_that_ran_again_is_explained_by_the_run_that_the_version_has(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)
    bronze(catalog, "run_2")
    record(catalog, "run_2", Stage.SILVER)

    assert runs(catalog.certifications.explain_version(ORDERS, 3)) == [(stage.value, "run_1") for stage in Stage]
    last = catalog.certifications.explain_last(ORDERS, PartitionKey(DAY))
    assert (last.state, runs(last)) == (ExplanationState.PASSED, [("bronze", "run_2"), ("silver", "run_2")])


def test_stages_of_several_runs_are_those_that_each_stage_read(catalog: Catalog) -> None:
    bronze(catalog, "run_1")
    record(catalog, "run_2", Stage.SILVER)
    bronze(catalog, "run_3")
    record(catalog, "run_4", Stage.GOLD, version=2)
    certify(catalog, "run_5", 2)

    assert [run for _, run in runs(catalog.certifications.explain_version(ORDERS, 2))] == [
        "run_1",
        "run_2",
        "run_4",
        "run_5",
    ]


def test_another_day_of_a_version_is_explained_by_its_own_runs(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)
    pipeline(catalog, "run_2", 5, expected=3, partition=NEXT_DAY)
    pipeline(catalog, "run_3", 7, expected=5)  # the first day again

    then = catalog.certifications.explain_version(ORDERS, 5, PartitionKey(DAY))
    now = catalog.certifications.explain_version(ORDERS, 7, PartitionKey(DAY))

    assert {run for _, run in runs(then)} == {"run_1"}
    assert {run for _, run in runs(now)} == {"run_3"}
    with pytest.raises(NotFoundError, match=r"v3 of .* has no rows of 2026-02-16: there are runs of 2026-02-16, "):
        catalog.certifications.explain_version(ORDERS, 3, NEXT_DAY)


def test_rows_that_the_run_of_another_day_certified_are_part_of_the_version(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)
    bronze(catalog, "run_2")
    record(catalog, "run_2", Stage.SILVER)
    record(catalog, "run_2", Stage.GOLD, version=4)  # and its process dies before it certifies
    pipeline(catalog, "run_3", 5, expected=3, partition=NEXT_DAY)

    found = catalog.certifications.explain_version(ORDERS, 5, PartitionKey(DAY))

    assert runs(found) == [("bronze", "run_2"), ("silver", "run_2"), ("gold", "run_2")]


def test_a_moved_version_is_explained_by_the_one_that_was_judged(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)
    move = PointerMove(expected=3, version=6, reason="the same rows")
    catalog.certifications.follow(ORDERS, move, now=later(5))

    moved = catalog.certifications.explain_version(ORDERS, 6)

    assert (moved.version, moved.judged_version, moved.certified_at) == (6, 3, NOW)
    assert runs(moved) == [(stage.value, "run_1") for stage in Stage]


def test_inputs_are_named_with_the_run_that_certified_them(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 3)
    derived = {"dataset": DatasetId.parse(TOTALS)}
    record(catalog, "run_2", Stage.SILVER, input_versions={ORDERS: 3, "ds://raw/gone": 9}, **derived)
    record(catalog, "run_2", Stage.GOLD, version=1, input_versions={f"{TOTALS}@silver": 1}, **derived)
    certify(catalog, "run_2", 1, **derived)

    found = catalog.certifications.explain_version(TOTALS, 1)

    assert found.delivery is None
    assert [(i.dataset_urn, i.version, i.run_id, i.partition, i.certified_at) for i in found.inputs] == [
        (ORDERS, 3, "run_1", DAY, NOW),
        ("ds://raw/gone", 9, "", None, None),
    ]
    assert found.inputs[0].command == f"data-platform why {ORDERS} v3"


def test_a_held_day_has_its_rules_and_what_to_do(catalog: Catalog) -> None:
    bronze(catalog, "run_1")
    held = report("run_1", stage=Stage.SILVER, version=None, verdicts=(FAILED,), quarantine_table="quarantine.orders_1")
    catalog.runs.record(held, [], held_reason="MISSING_FIELD:id")

    found = catalog.certifications.explain_last(ORDERS, PartitionKey(DAY))

    assert (found.state, found.version) == (ExplanationState.HELD, None)
    assert found.stages[-1].verdicts == (FAILED,)
    assert found.next_steps == (
        f"INVARIANT:positive: {advice('INVARIANT:positive')}",
        f"MISSING_FIELD:id: {advice('MISSING_FIELD:id')}",
        "INVARIANT:day: the rule could not be judged; correct it, and check it with data-platform validate",
        "to look at the rows: data-platform quarantine show orders_1",
        "to let rows through, if another person approves: data-platform quarantine release orders_1",
        f"to judge the day again: data-platform run --select {ORDERS} --partition {DAY}",
    )


def test_changed_columns_can_be_accepted_and_a_warning_asks_for_nothing(catalog: Catalog) -> None:
    results = (
        RuleResult.failed("SCHEMA_RETYPED:total"),
        RuleResult.failed("SCHEMA_ADDED:note", severity=Severity.WARN),
    )
    verdict = Verdict(gate=Gate.G3_SCHEMA, outcome=Outcome.FAILED, results=results)
    catalog.runs.record(report(stage=Stage.BRONZE, version=None, verdicts=(verdict,)), [], held_reason="SCHEMA")

    assert catalog.certifications.explain_last(ORDERS, PartitionKey(DAY)).next_steps == (
        f"SCHEMA_RETYPED:total: {advice('SCHEMA_RETYPED:total')}",
        f"to accept changed columns: data-platform policy accept-drift {ORDERS}",
        f"to judge the day again: data-platform run --select {ORDERS} --partition {DAY}",
    )


def test_a_held_dataset_without_partitions_is_run_without_one(catalog: Catalog) -> None:
    held = report(stage=Stage.SILVER, version=None, partition=None, verdicts=(FAILED,))
    catalog.runs.record(held, [], held_reason="MISSING_FIELD:id")

    assert catalog.certifications.explain_last(ORDERS, None).next_steps[-1].endswith(f"run --select {ORDERS}")


def test_what_does_not_exist_is_answered_with_what_does(catalog: Catalog) -> None:
    with pytest.raises(NotFoundError, match="has no certified version yet"):
        catalog.certifications.explain_version(ORDERS, 3)
    with pytest.raises(NotFoundError, match="no run of it has ended yet"):
        catalog.certifications.explain_last(ORDERS, PartitionKey(DAY))
    for version in range(1, 13):
        expected = version - 1 if version > 1 else None
        pipeline(catalog, f"run_{version}", version, expected=expected)

    with pytest.raises(NotFoundError, match=r"v99 of .* never certified: consumers saw v12, .*v3, the last 10"):
        catalog.certifications.explain_version(ORDERS, 99)
    with pytest.raises(NotFoundError, match=f"there are runs of {DAY}$"):
        catalog.certifications.explain_last(ORDERS, NEXT_DAY)


def test_a_dataset_without_partitions_says_so(catalog: Catalog) -> None:
    pipeline(catalog, "run_1", 1, partition=None)

    assert runs(catalog.certifications.explain_last(ORDERS, None))[-1] == ("gold_certified", "run_1")
    with pytest.raises(NotFoundError, match="its rows have no partitions, leave --partition out"):
        catalog.certifications.explain_last(ORDERS, PartitionKey(DAY))
