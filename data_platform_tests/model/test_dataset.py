"""Names that are made from a URN are unique across zones, and identify it."""

import pytest

from data_platform.model.dataset import DatasetId, Stage

FLIGHTS = DatasetId("ops", "flights")


@pytest.mark.parametrize(
    ("stage", "key"),
    [
        (Stage.BRONZE, ("ops", "flights__bronze")),
        (Stage.SILVER, ("ops", "flights__silver")),
        (Stage.GOLD, ("ops", "flights__gold")),
        pytest.param(Stage.CERTIFIED, ("ops", "flights"), id="what consumers depend on has the dataset's own name"),
    ],
)
def test_the_key_of_a_stage_identifies_it(stage: Stage, key: tuple[str, str]) -> None:
    assert FLIGHTS.asset_key(stage) == key
    assert DatasetId.of_asset_key(key) == (FLIGHTS, stage)


def test_the_key_of_deliveries_has_no_stage() -> None:
    assert FLIGHTS.landing_key == ("ops", "flights__landing")
    assert DatasetId.of_asset_key(FLIGHTS.landing_key) == (FLIGHTS, None)


@pytest.mark.parametrize("key", [(), ("flights",), ("ops", "flights", "more"), ("ops", "Flights")])
def test_another_key_is_the_key_of_no_dataset(key: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="is not a dataset URN"):
        DatasetId.of_asset_key(key)


def test_a_double_underscore_in_a_name_is_part_of_the_name() -> None:
    found = DatasetId("a", "b__c__goldish")

    found.require_unique_names()

    assert DatasetId.of_asset_key(found.asset_key(Stage.GOLD)) == (found, Stage.GOLD)
    assert found.identifier == "a__b__c__goldish"


def test_a_zone_with_a_double_underscore_is_refused_since_its_identifier_could_be_that_of_another() -> None:
    assert DatasetId("a__b", "c").identifier == DatasetId("a", "b__c").identifier

    with pytest.raises(ValueError, match=r"the zone 'a__b' contains '__'.*use a single _"):
        DatasetId("a__b", "c").require_unique_names()


@pytest.mark.parametrize("name", [f"flights__{end}" for end in (*Stage, "landing")])
def test_a_name_that_ends_as_the_key_of_a_stage_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' ends in __.*asset key of a stage.*another name"):
        DatasetId("ops", name).require_unique_names()


@pytest.mark.parametrize("name", ["gold", "golden__silverware", "flights_gold", "landing", "flights__gold_"])
def test_a_name_that_only_resembles_one_is_taken(name: str) -> None:
    DatasetId("ops", name).require_unique_names()
