"""The last member of a group to arrive moves all pointers in one transaction, or none moves."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from data_platform.errors import ConflictError
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.stage.group import rule_of
from data_platform.stage.group_publication import publish_group, publish_waiting
from data_platform_tests.catalog.conftest import POSTGRES_URL, STORES
from data_platform_tests.catalog.template import copied_database, copy_template
from data_platform_tests.stage.group_shop import GROUP, Shop, day

RUN = "run_20250201_ffffffffffff"
ITEMS, LINES, ORDERS = (f"ds://shop/{name}" for name in ("items", "lines", "orders"))


@pytest.fixture(params=STORES)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shop]:
    """Items, lines and orders of each day are published together."""
    if request.param == "sqlite":
        copy_template(tmp_path / "catalog.db")
        yield from _closed(Shop(tmp_path))
        return
    with copied_database(POSTGRES_URL or "") as url:
        yield from _closed(Shop(tmp_path, catalog_url=url))


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Shop]:
    """The same, on SQLite only."""
    copy_template(tmp_path / "catalog.db")
    yield from _closed(Shop(tmp_path))


def _closed(shop: Shop) -> Iterator[Shop]:
    yield shop
    shop.platform.close()


def days(shop: Shop) -> dict[str, list[int]]:
    """The days of January that a reader sees of each member."""
    return {urn.rpartition("/")[2]: sorted(int(key[-2:]) for key in own if key) for urn, own in shop.read().items()}


def test_nothing_is_shown_before_the_last_member_has_passed(shop: Shop) -> None:
    reports = [shop.arrive(name, day(1)) for name in ("orders", "lines")]
    before = days(shop)
    last = shop.arrive("items", day(1))

    assert [(r.waits, r.proceeds, r.version) for r in reports if r] == [(True, False, None)] * 2
    assert before == {"items": [], "lines": [], "orders": []}
    assert last is not None
    assert (last.passed, last.version) == (True, 0)
    assert days(shop) == {"items": [1], "lines": [1], "orders": [1]}
    assert shop.waiting("orders") == []
    row = shop.platform.catalog.runs.latest(ORDERS, Stage.CERTIFIED, day(1))
    assert row is not None
    assert reports[0] is not None
    assert (row.run_id, row.passed) == (reports[0].run_id, True)


def test_a_version_that_waits_names_who_is_missing(shop: Shop) -> None:
    shop.arrive("orders", day(1))
    shop.hold("lines", day(1))

    [reason] = shop.waiting("orders")

    assert reason.startswith(
        f"waits for publish group {GROUP}: {ITEMS} 2025-01-01 has not passed yet; {LINES} 2025-01-01 was"
    )
    assert "was held in run_20250201_" in reason


def test_a_version_with_a_day_that_is_held_elsewhere_is_not_shown(shop: Shop) -> None:
    for name in ("orders", "lines", "items"):
        shop.arrive(name, day(1))
    shop.arrive("orders", day(2))
    shop.hold("lines", day(2))
    shop.arrive("items", day(2))
    for name in ("orders", "lines", "items"):
        shop.arrive(name, day(3))
    before = days(shop)
    shop.arrive("lines", day(2))

    assert before == {"items": [1], "lines": [1], "orders": [1]}
    assert days(shop) == {"items": [1, 2, 3], "lines": [1, 2, 3], "orders": [1, 2, 3]}


def test_the_latest_versions_that_belong_together_are_shown_while_later_ones_wait(local: Shop) -> None:
    for number in (1, 2, 3):
        local.arrive("orders", day(number))
    for number in (1, 2):
        local.arrive("lines", day(number))
    local.arrive("items", day(1))

    assert days(local) == {"items": [1], "lines": [1], "orders": [1]}
    assert [len(local.waiting(name)) for name in ("items", "lines", "orders")] == [0, 1, 2]


def test_a_day_that_is_delivered_again_is_shown_at_once_unless_another_member_was_held_for_it(local: Shop) -> None:
    for name in ("orders", "lines", "items"):
        local.arrive(name, day(1))

    again = local.arrive("orders", day(1))
    local.hold("lines", day(1))
    waits = local.arrive("orders", day(1))

    assert again is not None
    assert again.passed
    assert waits is not None
    assert waits.waits


def test_a_day_without_rows_completes_the_group(local: Shop) -> None:
    for name in ("orders", "lines", "items"):
        local.arrive(name, day(1))
    local.arrive("orders", day(2))
    local.arrive("items", day(2))

    local.arrive("lines", day(2), empty=True)

    assert days(local) == {"items": [1, 2], "lines": [1], "orders": [1, 2]}
    row = local.platform.catalog.runs.latest(LINES, Stage.CERTIFIED, day(2))
    assert row is not None
    assert row.passed


def test_the_evidence_of_a_publication_is_linked_and_sealed(shop: Shop) -> None:
    for name in ("orders", "lines", "items"):
        shop.arrive(name, day(1))

    catalog = shop.platform.catalog
    records = catalog.evidence.find(ORDERS)
    group = catalog.publications.published(GROUP)
    assert [(r.result, r.failure_signature, r.group_name, r.publication_id) for r in records] == [
        ("CERTIFIED", None, GROUP, group.publication),
        ("HELD_AT_PREVIOUS", f"{WAITING_FOR_GROUP}:{GROUP}", GROUP, None),
    ]
    assert {r.publication_id for urn in (LINES, ITEMS) for r in catalog.evidence.find(urn)} == {group.publication, None}
    assert catalog.evidence.verify().is_whole
    with catalog._database.writing() as connection:
        for trigger in ("evidence_no_update",) if connection.dialect.name == "sqlite" else ():
            connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("ALTER TABLE evidence DISABLE TRIGGER ALL")
        connection.exec_driver_sql("UPDATE evidence SET group_name = 'another' WHERE publication_id IS NOT NULL")
    assert not catalog.evidence.verify().is_whole


def test_a_pointer_that_moves_meanwhile_stops_all_of_them(shop: Shop) -> None:
    for name in ("orders", "lines", "items"):
        shop.arrive(name, day(1))
    for name in ("orders", "lines"):
        shop.arrive(name, day(2))
    before, first = shop.read(), shop.platform.catalog.publications.published(GROUP).publication

    def moves(step: str, _details: object) -> None:
        if step == "prepared":
            shop.roll_back("lines")

    shop.arrive("items", day(2), killed_at="ready")
    shop.listen(moves)
    with pytest.raises(ConflictError, match="a member changed while its publication was prepared"):
        publish_waiting(shop.platform, RUN)

    assert shop.read() == before
    assert shop.platform.catalog.publications.published(GROUP).publication == first


@pytest.mark.parametrize("moment", ["ready", "prepared", "publish", "views"])
def test_a_process_that_dies_leaves_a_group_that_the_next_one_publishes_once(local: Shop, moment: str) -> None:
    local.arrive("orders", day(1))
    local.arrive("lines", day(1))

    assert local.arrive("items", day(1), killed_at=moment) is None

    is_published = moment in ("publish", "views")
    assert days(local) == dict.fromkeys(("items", "lines", "orders"), [1] if is_published else [])
    messages = publish_waiting(local.platform, RUN)
    assert len(messages) == (0 if is_published else 3)
    assert days(local) == {"items": [1], "lines": [1], "orders": [1]}
    assert publish_waiting(local.platform, RUN) == []
    assert len(local.platform.catalog.certifications.history(ORDERS)) == 1


def test_a_version_that_passed_another_policy_is_not_shown(local: Shop) -> None:
    local.arrive("orders", day(1))
    local.arrive("lines", day(1))
    local.declare("orders", "id > 1")

    report = local.arrive("items", day(1))

    assert report is not None
    assert report.waits
    assert local.waiting("items") == [
        f"waits for publish group {GROUP}: {ORDERS} 2025-01-01 passed another policy than today's: run 2025-01-01 again"
    ]
    local.arrive("orders", day(1))
    assert days(local) == {"items": [1], "lines": [1], "orders": [1]}


def test_members_that_join_and_leave(local: Shop) -> None:
    local.group("orders", "lines")
    for name in ("orders", "lines"):
        local.arrive(name, day(1))
    local.group("orders", "lines", "items")
    local.arrive("orders", day(2))
    local.arrive("lines", day(2))
    waits = days(local)
    local.group("orders", "lines")

    local.arrive("orders", day(3))

    assert waits == {"items": [], "lines": [1], "orders": [1]}
    assert days(local) == {"items": [], "lines": [1, 2], "orders": [1, 2]}
    local.group()
    assert len(publish_waiting(local.platform, RUN)) == 1
    assert days(local) == {"items": [], "lines": [1, 2], "orders": [1, 2, 3]}


def test_days_before_the_first_of_a_member_are_shown_without_it(local: Shop) -> None:
    local.declare("items", first=day(2))

    local.arrive("orders", day(1))
    local.arrive("lines", day(1))

    assert days(local) == {"items": [], "lines": [1], "orders": [1]}


def test_members_without_days_advance_in_rounds(tmp_path: Path) -> None:
    copy_template(tmp_path / "catalog.db")
    shop = Shop(tmp_path, ("lines", "orders"), partitioned=False)
    shop.arrive("orders", None)
    shop.arrive("lines", None)
    first = shop.read()
    shop.arrive("orders", None)

    second = shop.read()
    shop.arrive("lines", None)

    assert first == second != {}
    assert all(shop.read()[urn] != first[urn] for urn in first)
    shop.platform.close()


def test_a_version_that_another_program_rolled_back_is_not_shown(local: Shop) -> None:
    for name in ("orders", "lines", "items"):
        local.arrive(name, day(1))
    local.arrive("orders", day(2))
    local.roll_back("orders")
    local.arrive("lines", day(2))

    report = local.arrive("items", day(2))

    assert report is not None
    assert report.waits
    assert days(local) == {"items": [1], "lines": [1], "orders": [1]}


def test_two_members_that_finish_at_once_publish_once(shop: Shop) -> None:
    shop.arrive("orders", day(1))
    for name in ("lines", "items"):
        shop.arrive(name, day(1), killed_at="ready")
    others = [shop.opened() for _ in range(2)]
    messages: list[list[str]] = []
    begin = threading.Barrier(2)

    def finish(number: int) -> None:
        begin.wait()
        messages.append(publish_waiting(others[number], f"run_20250201_{number:012x}"))

    threads = [threading.Thread(target=finish, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(len(found) for found in messages) == [0, 3]
    assert days(shop) == {"items": [1], "lines": [1], "orders": [1]}
    assert [len(shop.platform.catalog.certifications.history(urn)) for urn in (ITEMS, LINES, ORDERS)] == [1, 1, 1]
    for other in others:
        other.close()


def test_the_rule_of_a_dataset_that_is_published_alone_is_none(local: Shop) -> None:
    local.group()

    assert rule_of(local.platform, local.platform.current(local.platform.policies.dataset("orders"))) is None


def statements_of_publication(shop: Shop, number: int) -> int:
    """How many statements the publication of a day needs, from the leases to the views."""
    for name in shop.names[1:]:
        shop.arrive(name, day(number))
    shop.arrive(shop.names[0], day(number), killed_at="ready")
    count, engine = [0], shop.platform.catalog._database.engine

    def one_more(*_: object) -> None:
        count[0] += 1

    event.listen(engine, "before_cursor_execute", one_more)
    dataset = shop.platform.policies.dataset(shop.names[0])
    published = publish_group(shop.platform, dataset, f"run_20250201_eeeeeeeeeee{number}")
    event.remove(engine, "before_cursor_execute", one_more)
    assert len(published) == len(shop.names)
    return count[0]


@pytest.mark.parametrize("store", STORES)
def test_the_statements_of_a_publication_do_not_grow_with_its_members(store: str, tmp_path: Path) -> None:
    counts = []
    for names in (("a", "b"), tuple("abcdefgh")):
        root = tmp_path / str(len(names))
        root.mkdir()
        if store == "sqlite":
            copy_template(root / "catalog.db")
            [counted] = _closed_after(Shop(root, names))
        else:
            with copied_database(POSTGRES_URL or "") as url:
                [counted] = _closed_after(Shop(root, names, catalog_url=url))
        counts.append(counted)

    assert counts[0] == counts[1]


def _closed_after(shop: Shop) -> Iterator[int]:
    """The statements of the second day, when each member has a pointer and a chain of evidence."""
    statements_of_publication(shop, 1)
    yield statements_of_publication(shop, 2)
    shop.platform.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moment", "is_published"),
    [
        pytest.param("leases", False, id="under the leases"),
        pytest.param("9", False, id="as the pointers move"),
        pytest.param("40", False, id="within the transaction"),
        pytest.param("publish", True, id="before the report"),
    ],
)
def test_a_publisher_that_is_killed_leaves_all_or_nothing(local: Shop, moment: str, is_published: bool) -> None:
    for name in ("orders", "lines"):
        local.arrive(name, day(1))
    local.arrive("items", day(1), killed_at="ready")
    command = [sys.executable, "-m", "data_platform_tests.stage.killed_publisher", str(local.root), moment]

    killed = subprocess.run(command, timeout=120, check=False)  # noqa: S603

    shown = [1] if is_published else []
    assert killed.returncode == -signal.SIGKILL
    assert days(local) == {"items": shown, "lines": shown, "orders": shown}
    assert len(publish_waiting(local.platform, RUN)) == (0 if is_published else 3)
    assert days(local) == {"items": [1], "lines": [1], "orders": [1]}
    assert local.platform.catalog.evidence.verify().is_whole
    assert [len(local.platform.catalog.certifications.history(urn)) for urn in (ITEMS, LINES, ORDERS)] == [1, 1, 1]
