"""Verification finds each change of the log, and names the first broken record of a chain and what is wrong with it."""

# ruff: noqa: S608 - the statements are the test's own

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.database import open_database
from data_platform.catalog.evidence.verification import verify
from data_platform.model.evidence import Evidence
from data_platform.model.evidence_break import Verification
from data_platform_tests.catalog.evidence.tampering import ITEMS, URNS, USERS, intruder, tamper
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, evidence, later, report
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.example_count import examples

COLUMNS = (
    "dataset_urn", "run_id", "gate", "result", "failure_signature", "quarantine_table", "certified_view_status",
    "previous_certified_version", "timestamp", "stage", "partition", "enforcement", "waivers", "group_name",
    "publication_id", "evidence_id", "position", "previous_mac", "mac", "key_id",
)  # fmt: skip


def records(count: int = 12) -> list[Evidence]:
    """Records of three datasets in turn."""
    return [
        evidence(
            f"run_{n // 3}",
            dataset_urn=URNS[n % 3],
            gate=("DQ", "G5_PII")[n % 2],
            stage="gold",
            timestamp=later(n),
            enforcement=(None, "WARN")[n % 2],
            waivers=(None, "3,7")[n % 2],
        )
        for n in range(count)
    ]


def fill(catalog: Catalog) -> None:
    for start in range(0, 12, 4):
        catalog.evidence.add(records()[start : start + 4])


def said(result: Verification) -> list[tuple[str, str, int | None]]:
    return [(found.kind.value, found.dataset_urn, found.position) for found in result.breaks]


def in_parts(catalog: Catalog, urn: str | None = None) -> Verification:
    """A verification that ends after each record, and goes on until it is complete or finds a break."""
    result = catalog.evidence.verify(urn, is_over=lambda: True)
    while result.reached is not None and not result.breaks:
        result = catalog.evidence.verify(urn, so_far=result, is_over=lambda: True)
    return result


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verification looks at the time after each record."""
    monkeypatch.setattr("data_platform.catalog.evidence.verification.LOOKED_AT_ONCE", 1)


def test_a_log_that_nobody_changed_is_whole(catalog: Catalog) -> None:
    assert catalog.evidence.verify().is_whole  # also an empty one

    fill(catalog)
    catalog.runs.record(report(), [evidence(partition=DAY), evidence(gate="G5_PII", result="FAIL")])

    result = catalog.evidence.verify()
    assert (result.breaks, result.records, result.chains, result.unchained, result.checkpoints) == ([], 14, 3, 0, 1)
    assert catalog.evidence.verify(ORDERS).records == 6
    assert len({item.evidence_id for item in catalog.evidence.find()}) == 14


OF_ORDERS = f"dataset_urn = '{ORDERS}'"
CHANGES = [
    pytest.param(
        [f"UPDATE evidence SET result = 'FAIL' WHERE {OF_ORDERS} AND position = 2"], [("edited", ORDERS, 2)], id="edit"
    ),
    pytest.param(
        [f"UPDATE evidence SET enforcement = NULL, waivers = NULL WHERE {OF_ORDERS} AND position = 2"],
        [("edited", ORDERS, 2)],
        id="hide the mode and the waiver, as if the record were an old one",
    ),
    pytest.param(
        [f"UPDATE evidence SET enforcement = 'WARN' WHERE {OF_ORDERS} AND position = 1"],
        [("edited", ORDERS, 1)],
        id="give a mode to an old record",
    ),
    pytest.param(
        [f"DELETE FROM evidence WHERE {OF_ORDERS} AND position = 2"],
        [("missing", ORDERS, 3)],
        id="delete in the middle",
    ),
    pytest.param(
        [
            f"DELETE FROM evidence WHERE {OF_ORDERS} AND position = 2",
            f"UPDATE evidence SET position = position - 1 WHERE {OF_ORDERS} AND position > 2",
        ],
        [("reordered", ORDERS, 2)],
        id="delete, and close the gap",
    ),
    pytest.param(
        [
            f"UPDATE evidence SET position = CASE position WHEN 2 THEN 3 ELSE 2 END WHERE {OF_ORDERS} "
            "AND position IN (2, 3)"
        ],
        [("reordered", ORDERS, 2)],
        id="swap two positions",
    ),
    pytest.param(
        [f"UPDATE evidence SET id = -id WHERE {OF_ORDERS}"], [("reordered", ORDERS, 2)], id="reverse the listed order"
    ),
    pytest.param([f"DELETE FROM evidence WHERE {OF_ORDERS} AND position > 2"], [("cut", ORDERS, 3)], id="cut the tail"),
    pytest.param(
        [
            f"DELETE FROM evidence WHERE {OF_ORDERS} AND position > 2",
            "UPDATE evidence_head SET position = 2, mac = (SELECT mac FROM evidence WHERE "
            f"{OF_ORDERS} AND position = 2) WHERE {OF_ORDERS}",
        ],
        [("cut", ORDERS, 3)],
        id="cut the tail, and move the head",
    ),
    pytest.param(
        [f"UPDATE evidence SET dataset_urn = '{USERS}', position = 5 WHERE {OF_ORDERS} AND position = 4"],
        [("cut", ORDERS, 4), ("edited", USERS, 5)],
        id="move to another dataset",
    ),
    pytest.param([f"DELETE FROM evidence WHERE {OF_ORDERS}"], [("cut", ORDERS, 1)], id="delete a dataset's records"),
    pytest.param(
        [f"DELETE FROM evidence WHERE {OF_ORDERS}", f"DELETE FROM evidence_head WHERE {OF_ORDERS}"],
        [("cut", "", None)],
        id="delete a dataset with its head",
    ),
    pytest.param(["DELETE FROM evidence_checkpoint"], [("cut", "", None)], id="delete the checkpoints"),
    pytest.param(
        ["UPDATE evidence_head SET position = 2 WHERE dataset_urn = ''"], [("cut", "", None)], id="change the register"
    ),
    pytest.param(["DELETE FROM evidence_head WHERE dataset_urn = ''"], [("cut", "", None)], id="delete the register"),
    pytest.param(
        [
            "INSERT INTO evidence (id, dataset_urn, run_id, gate, result, certified_view_status, timestamp, stage) "
            f"SELECT 99, dataset_urn, 'forged', gate, result, certified_view_status, timestamp, stage FROM evidence "
            f"WHERE {OF_ORDERS} AND position = 1"
        ],
        [("edited", "", None)],
        id="insert a record as if it were an old one",
    ),
]


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("statements", "breaks"), CHANGES)
def test_a_change_is_found_and_named(
    catalog: Catalog, catalog_url: str, statements: list[str], breaks: list[tuple[str, str, int | None]]
) -> None:
    fill(catalog)

    tamper(catalog_url, *statements)

    assert said(catalog.evidence.verify()) == breaks
    assert said(in_parts(catalog)) == breaks[:1]


@contextmanager
def copied(template: Path) -> Iterator[str]:
    with TemporaryDirectory() as folder:
        shutil.copy(template, Path(folder) / "catalog.db")
        yield f"sqlite:///{folder}/catalog.db"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("evidence") / "catalog.db"
    copy_template(file)
    with open_catalog(f"sqlite:///{file}", KEYS) as catalog:
        fill(catalog)
    tamper(f"sqlite:///{file}", "SELECT 1")
    return file


@st.composite
def changes(draw: st.DrawFn) -> str:
    """One change of one or two rows; a row is named by its key, 1 to 12."""
    row, other = draw(st.permutations(range(1, 13)))[:2]
    column = draw(st.sampled_from(COLUMNS))
    value = draw(
        st.sampled_from(["NULL", "''", "'x'", "0", "7", "-1", "'PASS'", "'FAIL'"])
        | st.just(f"(SELECT {column} FROM evidence WHERE id = {other})")
    )
    return draw(
        st.sampled_from(
            [
                f"UPDATE OR IGNORE evidence SET {column} = {value} WHERE id = {row}",
                f"DELETE FROM evidence WHERE id = {row}",
                f"DELETE FROM evidence WHERE id >= {row}",
                f"UPDATE evidence SET id = -id WHERE id = {row}",
                f"INSERT INTO evidence SELECT id + 100, {', '.join(COLUMNS)} FROM evidence WHERE id = {row}",
                f"UPDATE evidence_head SET position = position - 1 WHERE dataset_urn = '{URNS[row % 3]}'",
                f"UPDATE evidence_head SET mac = (SELECT mac FROM evidence WHERE id = {row}) "
                f"WHERE dataset_urn = '{URNS[other % 3]}'",
            ]
        )
    )


def content(connection: object) -> list[tuple[object, ...]]:
    """The log without the keys of its rows, in the order of each dataset; and the heads."""
    query = f"SELECT {', '.join(COLUMNS)} FROM evidence ORDER BY dataset_urn, id"
    heads = "SELECT * FROM evidence_head ORDER BY dataset_urn"
    return [tuple(row) for statement in (query, heads) for row in connection.execute(text(statement))]  # type: ignore[attr-defined]


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statement=changes())
def test_any_single_change_is_found(template: Path, statement: str) -> None:
    with copied(template) as url:
        with intruder(url) as connection:
            before = content(connection)
            connection.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
            connection.exec_driver_sql(statement)
            is_changed = content(connection) != before

        database = open_database(url)
        with database.reading() as connection:
            assert verify(connection, KEYS, None, None).is_whole is not is_changed
        database.close()


def test_an_anchored_checkpoint_finds_a_log_that_was_written_anew_with_the_key(
    catalog: Catalog, catalog_url: str
) -> None:
    fill(catalog)
    anchored = catalog.evidence.make_checkpoint(now=NOW)
    forged = [replace(item, result="PASS", run_id="forged") for item in records()]
    tamper(catalog_url, *(f"DELETE FROM evidence{table}" for table in ("", "_head", "_checkpoint")))
    with open_catalog(catalog_url, KEYS) as forger:
        forger.evidence.add(forged)

    assert catalog.evidence.verify().is_whole  # nothing in the database can prove it
    assert said(catalog.evidence.verify(anchored=anchored)) == [
        ("replaced", ITEMS, 4), ("replaced", ORDERS, 4), ("replaced", USERS, 4)
    ]  # fmt: skip


def test_records_that_came_after_a_checkpoint_do_not_contradict_it(catalog: Catalog) -> None:
    fill(catalog)
    anchored = catalog.evidence.make_checkpoint(now=NOW)
    catalog.evidence.add([evidence("run_9"), evidence("run_9", dataset_urn="ds://curated/new")])

    result = catalog.evidence.verify(anchored=anchored)

    assert (result.breaks, result.checkpoints, result.anchored) == ([], 2, anchored.made_at)


def test_a_log_restored_from_an_older_backup_contradicts_the_checkpoint(catalog: Catalog, tmp_path: Path) -> None:
    copy_template(tmp_path / "older.db")
    fill(catalog)
    anchored = catalog.evidence.make_checkpoint(now=NOW)

    with open_catalog(f"sqlite:///{tmp_path / 'older.db'}", KEYS) as restored:
        found = restored.evidence.verify(anchored=anchored)

    assert said(found) == [("cut", urn, 1) for urn in sorted(URNS)]


def test_an_edited_checkpoint_proves_nothing(catalog: Catalog) -> None:
    fill(catalog)
    anchored = catalog.evidence.make_checkpoint(now=NOW)

    result = catalog.evidence.verify(anchored=replace(anchored, heads=anchored.heads[:1]))

    assert [found.detail for found in result.breaks] == [
        f"the checkpoint of {anchored.made_at} is not what its MAC was made for"
    ]


def test_a_chain_whose_head_was_changed_goes_on_and_stays_broken(catalog: Catalog, catalog_url: str) -> None:
    """Runs do not stop, and the next record does not seal what was cut."""
    fill(catalog)
    tamper(
        catalog_url,
        f"DELETE FROM evidence WHERE {OF_ORDERS} AND position > 2",
        f"UPDATE evidence_head SET position = 2 WHERE {OF_ORDERS}",
    )

    catalog.evidence.add([evidence("run_9"), evidence("run_10", timestamp=NOW + timedelta(days=1))])

    assert catalog.evidence.find(run_id="run_10")
    assert said(catalog.evidence.verify()) == [("cut", ORDERS, 3)]


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("urn", [None, ORDERS])
def test_a_check_in_parts_counts_what_one_check_counts(catalog: Catalog, urn: str | None) -> None:
    fill(catalog)
    catalog.evidence.make_checkpoint(now=NOW)

    first = catalog.evidence.verify(urn, is_over=lambda: True)

    assert (first.is_whole, first.checked, first.expected) == (False, 1, 4 if urn else 12)
    assert in_parts(catalog, urn) == catalog.evidence.verify(urn)


@pytest.mark.usefixtures("often")
def test_records_that_were_added_between_two_parts_belong_to_the_chain(catalog: Catalog) -> None:
    fill(catalog)
    result = catalog.evidence.verify(ORDERS, is_over=lambda: True)

    catalog.evidence.add([evidence("run_9")])
    while result.reached is not None:
        result = catalog.evidence.verify(ORDERS, so_far=result, is_over=lambda: True)

    assert (result.is_whole, result.records) == (True, 5)
