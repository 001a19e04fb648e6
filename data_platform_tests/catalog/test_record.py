"""What a stage did is on record whole, once, or not at all."""

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import UsageError
from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import DatasetId, Stage
from data_platform_tests.catalog.example import DAY, FAILED, ORDERS, SCHEMA, entry, evidence, intent, later, report


def test_a_recorded_stage_is_identified_by_run_dataset_and_stage(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1"), [evidence("run_1")])

    assert catalog.runs.is_recorded("run_1", ORDERS, Stage.GOLD)
    assert not catalog.runs.is_recorded("run_1", ORDERS, Stage.SILVER)
    assert not catalog.runs.is_recorded("run_1", "ds://curated/items", Stage.GOLD)
    assert not catalog.runs.is_recorded("run_2", ORDERS, Stage.GOLD)


def test_one_run_may_record_several_datasets_and_stages(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1"), [])
    catalog.runs.record(report("run_1", stage=Stage.SILVER), [])
    catalog.runs.record(report("run_1", dataset=DatasetId("curated", "items")), [])

    assert len(catalog.runs.recent()) == 3


def test_the_same_call_again_changes_nothing(catalog: Catalog) -> None:
    said = report(verdicts=(FAILED,), schema=SCHEMA, version=None)
    for _ in range(2):
        catalog.runs.record(said, [evidence(result="FAIL")], quarantine=entry(), held_reason="MISSING_FIELD:id")

    assert len(catalog.runs.recent()) == 1
    assert len(catalog.evidence.find()) == 1
    assert len(catalog.quarantine.entries()) == 1
    assert len(catalog.certifications.history(ORDERS)) == 1


@pytest.mark.parametrize(
    "second",
    [
        pytest.param((report(version=2), [evidence()]), id="another version"),
        pytest.param((report(verdicts=(FAILED,)), [evidence()]), id="another verdict"),
        pytest.param((report(partition="2026-02-16"), [evidence()]), id="another partition"),
        pytest.param((report(), [evidence(), evidence()]), id="more evidence"),
    ],
)
def test_another_content_under_the_same_run_is_refused(catalog: Catalog, second: tuple) -> None:  # type: ignore[type-arg]
    catalog.runs.record(report(), [evidence()])
    before = catalog.runs.recent(), catalog.evidence.find()

    with pytest.raises(UsageError, match=r"run_1 has already recorded gold of ds://curated/orders, with another"):
        catalog.runs.record(*second)
    assert (catalog.runs.recent(), catalog.evidence.find()) == before


def test_a_record_that_fails_halfway_leaves_nothing(catalog: Catalog) -> None:
    catalog.runs.open_intent(intent())
    bad = [evidence(), evidence(result="PERHAPS")]

    with pytest.raises(UsageError, match="evidence_result"):
        catalog.runs.record(report(schema=SCHEMA), bad, quarantine=entry(), held_reason="held")

    assert (
        catalog.runs.recent()
        == catalog.evidence.find()
        == catalog.quarantine.entries()
        == catalog.certifications.all()
        == ()
    )
    assert catalog.runs.schema(SCHEMA.fingerprint) is None
    assert catalog.runs.open_intents() == (intent(),)


def test_an_error_contains_no_value(catalog: Catalog) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.runs.record(report(), [evidence(result="PERHAPS", failure_signature="secret")])

    assert "PERHAPS" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_held_stage_holds_the_pointer_in_the_same_moment(catalog: Catalog) -> None:
    catalog.runs.record(
        report(verdicts=(FAILED,), version=None), [evidence(result="FAIL")], held_reason="MISSING_FIELD:id"
    )

    held = catalog.certifications.get(ORDERS)
    assert held is not None
    assert (held.status, held.attempt_run_id, held.attempt_partition) == (
        CertificationStatus.UNCERTIFIED,
        "run_1",
        DAY,
    )
    assert (held.run_id, held.partition) == ("", None)  # of a version that consumers see, and there is none
    assert catalog.runs.recent()[0].reason == "MISSING_FIELD:id"
    assert catalog.runs.recent()[0].finished_at == later(1)
