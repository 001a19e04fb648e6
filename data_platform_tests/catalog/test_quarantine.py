"""Quarantined rows are listed until they are resolved, and after that on request."""

from dataclasses import replace
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import InputError, UsageError
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineStatus, Supersedes
from data_platform.model.quarantine_filter import QuarantineFilter
from data_platform.model.registration import Actor
from data_platform_tests.catalog.example import DAY, ORDERS, entry, later, report

ITEMS = "ds://curated/items"


def set_aside(catalog: Catalog, run_id: str, **changes: Any) -> None:
    catalog.runs.record(report(run_id), [], quarantine=entry(run_id, **changes))


def test_an_entry_comes_back_as_it_was(catalog: Catalog) -> None:
    set_aside(catalog, "run_1", resolved_rows=2)

    assert catalog.quarantine.entries() == (entry(resolved_rows=2),)
    assert catalog.quarantine.entry("orders_20260215_run_1") == entry(resolved_rows=2)
    assert catalog.quarantine.entry("orders_20260215_run_2") is None


def test_an_entry_is_named_as_evidence_names_it() -> None:
    assert entry("run_abc123").full_name == "quarantine.orders_20260215_run_abc123"


@pytest.mark.parametrize(
    ("rows", "resolved", "status"),
    [
        pytest.param(5, 4, QuarantineStatus.OPEN, id="one is left"),
        pytest.param(5, 5, QuarantineStatus.RESOLVED, id="all were corrected"),
        pytest.param(0, 0, QuarantineStatus.OPEN, id="of no rows none is resolved"),
    ],
)
def test_an_entry_is_resolved_when_all_its_rows_are(
    catalog: Catalog, rows: int, resolved: int, status: QuarantineStatus
) -> None:
    set_aside(catalog, "run_1", rows=rows, resolved_rows=resolved)

    (found,) = catalog.quarantine.entries(include_closed=True)
    assert found.status is status


def test_entries_come_newest_first_and_only_open_ones(catalog: Catalog) -> None:
    set_aside(catalog, "run_1")
    set_aside(catalog, "run_2", rows=1, resolved_rows=1)
    set_aside(catalog, "run_3", dataset_urn=ITEMS)

    assert [e.run_id for e in catalog.quarantine.entries()] == ["run_3", "run_1"]
    assert [e.run_id for e in catalog.quarantine.entries(ORDERS)] == ["run_1"]
    assert [e.run_id for e in catalog.quarantine.entries(include_closed=True)] == ["run_3", "run_2", "run_1"]


def test_a_later_run_of_the_same_slice_supersedes_earlier_ones(catalog: Catalog) -> None:
    for run_id in ("run_1", "run_2", "run_3"):
        set_aside(catalog, run_id)

    closed = catalog.quarantine.supersede(ORDERS, Stage.GOLD, DAY, by_run="run_3", now=later(1))

    assert closed == 2
    assert catalog.quarantine.entries() == (entry("run_3"),)
    superseded = catalog.quarantine.entry("orders_20260215_run_1")
    assert superseded == replace(
        entry("run_1"), status=QuarantineStatus.SUPERSEDED, closed_by="run_3", closed_at=later(1)
    )
    assert catalog.quarantine.supersede(ORDERS, Stage.GOLD, DAY, by_run="run_3", now=later(2)) == 0


def test_other_slices_and_settled_entries_are_not_superseded(catalog: Catalog) -> None:
    set_aside(catalog, "run_1", partition="2026-02-16")
    set_aside(catalog, "run_2", partition=None)
    set_aside(catalog, "run_3", stage=Stage.SILVER)
    set_aside(catalog, "run_4", dataset_urn=ITEMS)
    set_aside(catalog, "run_5", resolved_rows=5)

    assert catalog.quarantine.supersede(ORDERS, Stage.GOLD, DAY, by_run="run_6", now=later(1)) == 0
    assert len(catalog.quarantine.entries()) == 4
    assert catalog.quarantine.supersede(ORDERS, Stage.GOLD, None, by_run="run_6", now=later(1)) == 1


def test_a_run_without_quarantined_rows_supersedes_too(catalog: Catalog) -> None:
    set_aside(catalog, "run_1")
    catalog.runs.record(report("run_2"), [])

    assert catalog.quarantine.supersede(ORDERS, Stage.GOLD, DAY, by_run="run_2", now=later(1)) == 1


def test_a_run_does_not_supersede_what_came_after_it(catalog: Catalog) -> None:
    set_aside(catalog, "run_1")
    set_aside(catalog, "run_2")

    assert catalog.quarantine.supersede(ORDERS, Stage.GOLD, DAY, by_run="run_1", now=later(1)) == 0
    assert len(catalog.quarantine.entries()) == 2


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        pytest.param({"resolved_rows": 6}, "quarantine_(resolved|counts)", id="more resolved than there are"),
        pytest.param({"level": "table"}, "quarantine_level", id="a level that is none"),
    ],
)
def test_an_impossible_entry_is_refused(catalog: Catalog, changes: dict[str, Any], constraint: str) -> None:
    with pytest.raises(UsageError, match=constraint):
        set_aside(catalog, "run_1", **changes)
    assert catalog.runs.recent() == ()


@pytest.mark.parametrize(
    ("which", "still_open"),
    [
        pytest.param(Supersedes.ALL, [], id="the whole input was read"),
        pytest.param(Supersedes.SAME_DELIVERY, ["orders_20260215_run_1"], id="a part of it"),
        pytest.param(Supersedes.NONE, ["orders_20260215_run_2", "orders_20260215_run_1"], id="nothing of it"),
    ],
)
def test_a_run_closes_entries_whose_rows_it_has_read_in_the_transaction_of_its_record(
    catalog: Catalog, which: Supersedes, still_open: list[str]
) -> None:
    set_aside(catalog, "run_1", stage=Stage.BRONZE, delivery_id="before")
    set_aside(catalog, "run_2", stage=Stage.BRONZE, delivery_id="this")

    own = replace(report("run_3", stage=Stage.BRONZE), delivery_id="this")
    catalog.runs.record(own, [], supersedes=which)

    assert [entry.name for entry in catalog.quarantine.entries(ORDERS)] == still_open


def test_a_page_of_entries_has_the_team_of_each_dataset(catalog: Catalog) -> None:
    catalog.registry.save_dataset(
        ORDERS, table="orders", owner_team="sales", tier="TIER_3", description="", policy_fingerprint="f", now=later(0)
    )
    set_aside(catalog, "run_1")
    set_aside(catalog, "run_2", dataset_urn=ITEMS)
    set_aside(catalog, "run_3", partition="2026-02-14", created_at=later(-60))
    catalog.quarantine.assign("orders_20260215_run_2", "carla", by=Actor(name="ann", role="LOCAL"), now=later(1))

    def names(cursor: str | None = None, *, limit: int = 9, oldest_first: bool = False, **wanted: Any) -> list[str]:
        page = catalog.quarantine.page(
            QuarantineFilter(**wanted), cursor=cursor, limit=limit, oldest_first=oldest_first
        )
        return [f"{one.entry.run_id} {one.team}".rstrip() for one in page.items] + (
            [page.cursor] if page.cursor else []
        )

    assert names() == ["run_3 sales", "run_2", "run_1 sales"]
    assert names(limit=2) == ["run_3 sales", "run_2", "orders_20260215_run_2"]
    assert names("orders_20260215_run_2") == ["run_1 sales"]
    assert names("orders_20260215_run_2", oldest_first=True) == ["run_3 sales"]
    assert names(owner="sales", partition=DAY) == ["run_1 sales"]
    assert names(created_before=later(-1)) == ["run_3 sales"]
    assert names(dataset_urn=ITEMS, status=QuarantineStatus.OPEN) == ["run_2"]
    assert names(status=QuarantineStatus.RELEASED) == []
    with pytest.raises(InputError, match="cursor"):
        names("none")


def test_owners_are_counted_by_what_is_open(catalog: Catalog) -> None:
    set_aside(catalog, "run_1", created_at=later(-60), resolved_rows=2)
    set_aside(catalog, "run_2", partition="2026-02-14")
    set_aside(catalog, "run_3", partition="2026-02-13", rows=1, resolved_rows=1)
    set_aside(catalog, "run_4", partition="2026-02-12")
    catalog.quarantine.assign("orders_20260215_run_4", "carla", by=Actor(name="ann", role="LOCAL"), now=later(1))

    nobody, carla = catalog.quarantine.owners(stale_before=later(-1))

    assert (nobody.owner, nobody.batches, nobody.stale, nobody.rows, nobody.oldest) == ("", 2, 1, 8, later(-60))
    assert (carla.owner, carla.batches, carla.stale, carla.rows) == ("carla", 1, 0, 5)
