"""Readers see only certified versions, whole and in one order, while publishers are killed."""

from pathlib import Path

from data_platform.catalog import Catalog
from data_platform_tests.proofs.linearizability import check
from data_platform_tests.proofs.publisher import run_publishers, uncertified

READS = 1_500


def test_reads_under_kills_are_linearizable_certified_and_never_mixed(
    catalog: Catalog, catalog_url: str, tmp_path: Path
) -> None:
    outcomes = run_publishers(catalog_url, tmp_path, reads=READS)

    assert len(outcomes.reads) >= READS
    assert outcomes.kills > 0
    assert check(outcomes.operations) > 1
    assert outcomes.mixed == 0
    assert uncertified(catalog, outcomes) == set()
    assert catalog.evidence.verify().is_whole
