"""The filters of the log find the same records as a scan of it, and each reads an index that fits."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest

from data_platform.catalog import Catalog
from data_platform.model.evidence import RESULTS, Evidence
from data_platform.model.partition_key import PartitionKey
from data_platform_tests.catalog.example import DAY, ORDERS, evidence
from data_platform_tests.catalog.query_plan import plan_of_query
from data_platform_tests.catalog.template import new_catalog

OTHER_DAY = "2026-02-14"
KINDS = (
    ("dataset_urn", (ORDERS, "ds://curated/items")),
    ("run_id", ("run_1", "run_2")),
    ("gate", ("DQ", "G5_PII")),
    ("result", RESULTS),
    ("partition", (PartitionKey(DAY), PartitionKey(OTHER_DAY), None)),
)
NAMES = tuple(name for name, _ in KINDS)


def every_kind_twice() -> list[Evidence]:
    """In an order that has nothing to do with the kinds; the same order each time."""
    kinds = [dict(zip(NAMES, values, strict=True)) for values in product(*(choices for _, choices in KINDS))] * 2
    Random(1).shuffle(kinds)  # noqa: S311
    return [evidence(**kind) for kind in kinds]


def choices() -> Iterator[dict[str, str]]:
    """The first value of each field, or any value."""
    for chosen in product((True, False), repeat=len(KINDS)):
        yield {name: str(values[0]) for is_set, (name, values) in zip(chosen, KINDS, strict=True) if is_set}


def pages_of(catalog: Catalog, wanted: dict[str, str]) -> list[Evidence]:
    given = {name: value for name, value in wanted.items() if name not in ("dataset_urn", "partition")}
    partition = PartitionKey(wanted["partition"]) if "partition" in wanted else None
    found: list[Evidence] = []
    cursor = None
    while True:
        page = catalog.evidence.page(wanted.get("dataset_urn"), **given, partition=partition, limit=7, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


def test_each_choice_of_filters_finds_what_a_scan_finds_page_by_page(catalog: Catalog) -> None:
    records = every_kind_twice()
    catalog.evidence.add(records)

    for wanted in choices():
        scanned = [one for one in reversed(records) if all(getattr(one, name) == wanted[name] for name in wanted)]

        assert pages_of(catalog, wanted) == scanned, wanted


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        pytest.param({"result": "FAIL"}, "evidence_by_result (result=?)", id="a result"),
        pytest.param({"gate": "DQ"}, "evidence_by_gate (gate=? AND result=?)", id="a gate"),
        pytest.param({"gate": "DQ", "result": "FAIL"}, "evidence_by_gate (gate=? AND result=?)", id="a gate's result"),
        pytest.param({"partition": DAY}, "evidence_by_partition (partition=? AND result=?)", id="a day"),
        pytest.param(
            {"partition": DAY, "gate": "DQ"}, "evidence_by_partition (partition=? AND result=?)", id="a day and a gate"
        ),
        pytest.param(
            {"dataset_urn": ORDERS, "gate": "DQ", "result": "FAIL", "partition": DAY},
            "evidence_by_dataset (dataset_urn=?)",
            id="a dataset, whatever else",
        ),
        pytest.param({"run_id": "run_1", "dataset_urn": ORDERS}, "evidence_by_run (run_id=?)", id="a run"),
    ],
)
def test_a_filter_reads_its_index_and_sorts_no_part_of_the_log(
    tmp_path: Path, wanted: dict[str, str], index: str
) -> None:
    with new_catalog(tmp_path / "catalog.db") as catalog:
        plan = plan_of_query(catalog, lambda: pages_of(catalog, wanted))

    steps = [step for step in plan if "evidence" in step]
    assert steps
    assert all(index in step for step in steps), plan
