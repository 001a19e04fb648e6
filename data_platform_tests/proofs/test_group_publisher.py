"""Readers of a publish group see whole publications only, in one order, while publishers are killed."""

from pathlib import Path

import pytest

from data_platform.catalog import Catalog
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.proofs.group_publisher import NAMES, outcomes_of, run_group
from data_platform_tests.proofs.linearizability import Kind, NotLinearizableError, check
from data_platform_tests.proofs.publisher import Log
from data_platform_tests.stage.group_shop import Shop

READS = 300


def test_reads_of_a_group_under_kills_are_whole_certified_and_in_one_order(
    catalog: Catalog, catalog_url: str, tmp_path: Path
) -> None:
    outcomes = run_group(catalog_url, tmp_path, reads=READS, most_kills=6)

    assert outcomes.reads >= READS
    assert outcomes.kills >= 3
    assert outcomes.publications > 1
    assert outcomes.mixed == []
    assert outcomes.unproven == set()
    assert check(outcomes.operations) > 1
    assert catalog.evidence.verify().is_whole


def test_a_read_of_two_publications_and_one_out_of_order_are_detected(tmp_path: Path) -> None:
    copy_template(tmp_path / "catalog.db")
    shop = Shop(tmp_path, NAMES, partitioned=False)
    for name in NAMES * 2:
        shop.arrive(name, None)
    log = Log(tmp_path / "reader_1.jsonl")
    for versions in ([None, None, None], [0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 0, 0]):
        log.begin()
        log.end(Kind.READ, versions=versions)

    found = outcomes_of(shop.platform.catalog, tmp_path, 0)
    shop.platform.close()

    assert found.mixed == [[1, 0, 1]]
    assert (found.publications, found.unproven, found.reads) == (2, set(), 5)
    with pytest.raises(NotLinearizableError):
        check(found.operations)  # the last read is older than the one before it
