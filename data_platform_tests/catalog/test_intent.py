"""An intent stays open until its result is recorded."""

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform_tests.catalog.example import NOW, ORDERS, intent, later, report

ITEMS = "ds://curated/items"


def test_an_open_intent_comes_back_as_it_was(catalog: Catalog) -> None:
    said = intent(note={"stage": "gold", "inputs": {"ds://raw/orders": 7}, "partition": None})

    catalog.runs.open_intent(said)

    assert catalog.runs.open_intents() == (said,)


def test_a_first_write_has_no_version_before_it(catalog: Catalog) -> None:
    catalog.runs.open_intent(intent(before=None, partition=None))

    assert catalog.runs.open_intents()[0].before is None
    assert catalog.runs.open_intents()[0].partition is None


def test_a_closed_intent_is_not_open(catalog: Catalog) -> None:
    catalog.runs.open_intent(intent("run_1"))
    catalog.runs.open_intent(intent("run_2"))
    catalog.runs.open_intent(intent("run_1", stage=Stage.SILVER))

    catalog.runs.close_intent("run_1", Stage.GOLD, outcome="taken back", now=later(1))

    assert {(i.run_id, i.stage) for i in catalog.runs.open_intents()} == {
        ("run_2", Stage.GOLD),
        ("run_1", Stage.SILVER),
    }


def test_intents_are_found_by_dataset_the_oldest_first(catalog: Catalog) -> None:
    for said in (intent("run_1"), intent("run_2", dataset_urn=ITEMS), intent("run_3")):
        catalog.runs.open_intent(said)

    assert [i.run_id for i in catalog.runs.open_intents(ORDERS)] == ["run_1", "run_3"]


def test_a_run_over_two_datasets_closes_the_one_it_names(catalog: Catalog) -> None:
    catalog.runs.open_intent(intent("run_1"))
    catalog.runs.open_intent(intent("run_1", dataset_urn=ITEMS))

    catalog.runs.close_intent("run_1", Stage.GOLD, outcome="never written", now=NOW, dataset_urn=ITEMS)
    assert [i.dataset_urn for i in catalog.runs.open_intents()] == [ORDERS]
    catalog.runs.close_intent("run_1", Stage.GOLD, outcome="never written", now=NOW)
    assert catalog.runs.open_intents() == ()


def test_a_stage_that_a_run_tries_again_has_an_intent_again(catalog: Catalog) -> None:
    catalog.runs.open_intent(intent(before=41))
    catalog.runs.close_intent("run_1", Stage.GOLD, outcome="taken back", now=later(1))

    catalog.runs.open_intent(intent(before=43))

    assert [i.before for i in catalog.runs.open_intents()] == [43]


def test_recording_a_stage_closes_its_intent_and_no_other(catalog: Catalog) -> None:
    catalog.runs.open_intent(intent("run_1"))
    catalog.runs.open_intent(intent("run_1", dataset_urn=ITEMS))

    catalog.runs.record(report("run_1"), [])

    assert [i.dataset_urn for i in catalog.runs.open_intents()] == [ITEMS]
