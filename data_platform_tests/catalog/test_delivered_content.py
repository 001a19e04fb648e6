"""The digests of the rows around a partition: those of the last bronze that passed, in the order of partitions."""

from dataclasses import replace

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.delivered_content import CONTENT_DIGEST, DeliveredContent
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate, Outcome
from data_platform_tests.catalog.example import ORDERS, report
from data_platform_tests.verdicts import all_gates


def day(number: int) -> PartitionKey:
    return PartitionKey(f"2026-02-0{number}")


def record(catalog: Catalog, run_id: str, number: int, digest: str, outcome: Outcome = Outcome.PASSED) -> None:
    """Without a ``digest``, as an empty delivery and runs of earlier releases are."""
    verdicts = tuple(
        replace(one, metadata={CONTENT_DIGEST: digest} if digest else {}, outcome=outcome)
        if one.gate is Gate.G1_RESOLUTION
        else one
        for one in all_gates(Stage.BRONZE)
    )
    partition, version = day(number), 1 if outcome.qualifies else None
    catalog.runs.record(
        report(run_id=run_id, partition=partition, stage=Stage.BRONZE, verdicts=verdicts, version=version), []
    )


def test_only_accepted_deliveries_of_other_partitions_are_compared(catalog: Catalog) -> None:
    record(catalog, "run_1", 4, "d")
    record(catalog, "run_2", 2, "b")
    record(catalog, "run_3", 1, "old")
    record(catalog, "run_4", 1, "a")
    record(catalog, "run_5", 1, "held", Outcome.FAILED)
    record(catalog, "run_6", 3, "c")
    record(catalog, "run_7", 5, "")

    history = catalog.runs.content_history(ORDERS, day(3), "e")

    assert history.before == [DeliveredContent(day(1), "a"), DeliveredContent(day(2), "b")]
    assert history.after == [DeliveredContent(day(4), "d")]
    assert catalog.runs.content_history("ds://sales/none", day(3), "e").before == []


def test_a_day_that_had_the_rows_first_does_not_repeat_the_day_that_got_them_later(catalog: Catalog) -> None:
    record(catalog, "run_1", 3, "c")
    record(catalog, "run_2", 4, "c")

    assert catalog.runs.content_history(ORDERS, day(3), "c").after == []
    assert catalog.runs.content_history(ORDERS, day(4), "c").before == [DeliveredContent(day(3), "c")]

    record(catalog, "run_3", 3, "c")  # the good day once more changes nothing

    assert catalog.runs.content_history(ORDERS, day(3), "c").after == []
    assert catalog.runs.content_history(ORDERS, day(4), "c").before == [DeliveredContent(day(3), "c")]


def test_a_day_that_was_delivered_with_the_rows_of_the_next_one_repeats_it(catalog: Catalog) -> None:
    record(catalog, "run_1", 4, "d")
    record(catalog, "run_2", 3, "c")

    assert catalog.runs.content_history(ORDERS, day(3), "d").after == [DeliveredContent(day(4), "d")]
    record(catalog, "run_3", 3, "d")
    assert catalog.runs.content_history(ORDERS, day(3), "d").after == [DeliveredContent(day(4), "d")]
    assert catalog.runs.content_history(ORDERS, day(4), "d").before == []
