"""Chains stay whole: with several writers, after a rollback, in an older catalog, after a move, with another key."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.database import open_database
from data_platform.catalog.evidence.head import find_heads, store_heads
from data_platform.catalog.move import move_catalog
from data_platform.errors import ConflictError, EnvironmentProblem, UsageError
from data_platform.model.evidence_chain import record_text
from data_platform.model.evidence_key import EvidenceKeys
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.conftest import POSTGRES_URL, new_url
from data_platform_tests.catalog.evidence.tampering import ITEMS
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, entry, evidence, report
from data_platform_tests.catalog.test_migration import migrate_to


def add(url: str, name: str, count: int) -> str:
    with open_catalog(url, KEYS) as catalog:
        for number in range(count):
            catalog.evidence.add([evidence(f"{name}_{number}"), evidence(f"{name}_{number}", dataset_urn=ITEMS)])
    return name


def test_processes_that_add_at_once_leave_whole_chains(catalog: Catalog, catalog_url: str) -> None:
    run_concurrently(add, [(catalog_url, f"run_{n}", 10) for n in range(3)])

    result = catalog.evidence.verify()
    assert (result.breaks, result.records, result.chains) == ([], 60, 2)


def test_threads_that_share_a_catalog_leave_whole_chains(catalog: Catalog) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: catalog.evidence.add([evidence(f"run_{n}")] * 2), range(30)))

    result = catalog.evidence.verify()
    assert (result.breaks, result.records, result.chains) == ([], 60, 1)


def test_what_is_rolled_back_leaves_no_gap(catalog: Catalog) -> None:
    catalog.runs.record(report("run_1"), [evidence("run_1")], quarantine=entry("run_1"))
    with pytest.raises(UsageError):
        catalog.runs.record(report("run_2"), [evidence("run_2")], quarantine=entry("run_1"))  # its name is taken
    with suppress(UsageError):
        catalog.evidence.add([evidence("run_3"), evidence("run_3", result="NONE")])
    catalog.evidence.add([evidence("run_4")])

    assert [item.run_id for item in catalog.evidence.find()] == ["run_4", "run_1"]
    assert catalog.evidence.verify().is_whole


ENDLESS = """
import sys
from itertools import count
from data_platform_tests.catalog.evidence.test_chain import add
for number in count():
    print(add(sys.argv[1], f"run_{number}", 3), flush=True)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_writes_leaves_whole_chains(catalog: Catalog, catalog_url: str) -> None:
    for _ in range(2):
        command = [sys.executable, "-c", ENDLESS, catalog_url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            assert process.stdout is not None
            assert [process.stdout.readline() for _ in range(3)] == ["run_0\n", "run_1\n", "run_2\n"]
            process.kill()

        result = catalog.evidence.verify()
        assert (result.breaks, result.chains) == ([], 2)
    assert len(catalog.evidence.find(limit=1000)) >= 2 * 3 * 3 * 2


def test_records_of_an_older_catalog_are_sealed_as_a_whole(missing_catalog_url: str) -> None:
    database = open_database(missing_catalog_url)
    migrate_to(database, "0009")
    add_old = (
        "INSERT INTO evidence (dataset_urn, run_id, gate, result, certified_view_status, timestamp, stage) "
        "VALUES ('{}', 'run_0', 'DQ', 'PASS', 'UNCERTIFIED', '2026-02-15 00:00:00.000000', '')"
    )
    with database.writing() as connection:
        for _ in range(2):
            connection.exec_driver_sql(add_old.format(ORDERS))
    with open_catalog(missing_catalog_url, KEYS) as catalog:
        catalog.evidence.add([evidence("run_1")])
        before = catalog.evidence.verify()
        ids = [item.evidence_id for item in catalog.evidence.find(run_id="run_0")]
        assert [catalog.evidence.record(name).evidence.run_id for name in ids] == ["run_0", "run_0"]  # type: ignore[union-attr]
        with database.writing() as connection:
            connection.exec_driver_sql(add_old.format(ORDERS))
        after = catalog.evidence.verify()
    database.close()

    assert (before.breaks, before.records, before.unchained) == ([], 1, 2)
    assert [found.detail for found in after.breaks] == [
        "the checkpoint of 2026-02-15T07:15:32+00:00 saw 2 records from before there were chains, and the log has 3"
    ]


def test_a_record_from_before_modes_were_recorded_has_the_text_that_its_mac_was_made_for() -> None:
    old = replace(evidence(partition=DAY, stage="gold"), evidence_id="id_1")
    new = replace(old, enforcement="WARN", waivers="3,7")
    text = (
        '["record",["ds://curated/orders","run_1","DQ","PASS",null,null,"UNCERTIFIED",null,'
        '"2026-02-15T07:15:32.123456+00:00","gold","2026-02-15","id_1"{}],4,"before","key_1"]'
    )

    assert record_text(old, 4, "before", "key_1") == text.format("")
    assert record_text(new, 4, "before", "key_1") == text.format(',"WARN","3,7"')


def test_evidence_is_refused_by_a_catalog_that_was_opened_without_the_key(catalog: Catalog, catalog_url: str) -> None:
    with open_catalog(catalog_url) as other, pytest.raises(EnvironmentProblem, match="without the key of evidence"):
        other.runs.record(report(), [evidence()])

    assert catalog.runs.recent() == ()  # the whole transaction was rolled back


@pytest.mark.parametrize("state", ["missing", "another"])
def test_a_key_that_is_lost_or_another_ends_the_transaction_with_one_clear_error(
    catalog_url: str, tmp_path: Path, state: str
) -> None:
    keys = EvidenceKeys(tmp_path / "evidence.key")
    with open_catalog(catalog_url, keys) as catalog:
        catalog.evidence.add([evidence("run_1")])
        old = keys.file.read_bytes()
        keys.file.unlink()
        if state == "another":
            keys.file.write_bytes(bytes(32))

        with pytest.raises(EnvironmentProblem, match="put that key back") as told:
            catalog.evidence.add([evidence("run_2")])
        assert old.hex() not in str(told.value)
        broken = catalog.evidence.verify()
        assert ({found.kind for found in broken.breaks}, broken.unverifiable) == ({"no key", "cut"}, 0)

        keys.file.write_bytes(old)
        catalog.evidence.add([evidence("run_2")])
        assert catalog.evidence.verify().is_whole


def test_a_replaced_key_still_verifies_what_it_sealed(catalog_url: str, tmp_path: Path) -> None:
    keys = EvidenceKeys(tmp_path / "evidence.key")
    with open_catalog(catalog_url, keys) as catalog:
        catalog.evidence.add([evidence("run_1"), evidence("run_1", dataset_urn=ITEMS)])
        first = catalog.evidence.make_checkpoint(now=NOW)

        new = keys.replace()
        catalog.evidence.add([evidence("run_2"), evidence("run_2", dataset_urn="ds://curated/new")])

        second = catalog.evidence.make_checkpoint(now=NOW)
        result = catalog.evidence.verify(anchored=first)
    assert (result.breaks, result.records) == ([], 4)
    assert (first.key_id == new.id, second.key_id) == (False, new.id)


def test_a_lost_key_is_given_up_explicitly(catalog_url: str, tmp_path: Path) -> None:
    keys = EvidenceKeys(tmp_path / "evidence.key")
    with open_catalog(catalog_url, keys) as catalog:
        catalog.evidence.add([evidence("run_1"), evidence("run_1", dataset_urn=ITEMS)])
        keys.file.unlink()

        lost, made = catalog.evidence.reseal_after_loss(now=NOW)
        catalog.evidence.add([evidence("run_2")])

        result = catalog.evidence.verify(anchored=made)
        again = catalog.evidence.reseal_after_loss(now=NOW)
    assert (len(lost), made is not None, again) == (1, True, ([], None))
    assert (result.breaks, result.records, result.unverifiable) == ([], 3, 2)


@pytest.mark.skipif(POSTGRES_URL is None, reason="needs DATA_PLATFORM_TEST_POSTGRES_URL")
def test_a_moved_catalog_has_the_same_chains_and_continues_them(tmp_path: Path) -> None:
    source = f"sqlite:///{tmp_path / 'catalog.db'}"
    add(source, "run", 3)
    with open_catalog(source, KEYS) as catalog:
        anchored = catalog.evidence.make_checkpoint(now=NOW)
    with new_url("postgresql", tmp_path) as target:
        move_catalog(source, target, lambda *_: None)

        with open_catalog(target, KEYS) as moved:
            moved.evidence.add([evidence("run_9")])
            result = moved.evidence.verify(anchored=anchored)
    assert (result.breaks, result.records, result.checkpoints) == ([], 7, 2)


def test_a_head_that_another_writer_moved_ends_the_transaction_and_moves_no_other(
    catalog: Catalog, catalog_url: str
) -> None:
    catalog.evidence.add([evidence("run_1"), evidence("run_1", dataset_urn=ITEMS)])
    database = open_database(catalog_url)
    with database.reading() as connection:
        before = find_heads(connection)
    moved = {urn: replace(head, position=head.position + 1, seal="new") for urn, head in before.items()}
    stale = replace(before[ITEMS], seal="another")

    with pytest.raises(ConflictError, match="another writer added evidence"), database.writing() as connection:
        store_heads(connection, [(before[ORDERS], moved[ORDERS]), (stale, moved[ITEMS])])

    with database.reading() as connection:
        assert find_heads(connection) == before
    with database.writing() as connection:
        store_heads(connection, [(before[urn], moved[urn]) for urn in (ORDERS, ITEMS)])
        assert {urn: find_heads(connection)[urn].position for urn in (ORDERS, ITEMS)} == {ORDERS: 2, ITEMS: 2}
    database.close()
