"""A verdict names what its changes break; the lookup happens only if something changed, and never fails a stage."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from data_platform.gates import schema
from data_platform.model.policy_bundle import SchemaPolicy
from data_platform.model.schema import Column, Schema
from data_platform.model.schema_impact import SchemaImpact, Victim
from data_platform.model.verdict import Verdict
from data_platform.stage import schema_victim
from data_platform.stage.schema_victim import with_victims
from data_platform_tests.catalog.template import new_catalog
from data_platform_tests.transform.steps import process

URN = "ds://shop/orders"


def verdict(*names: str) -> Verdict:
    """G3's of a delivery with these columns, where ``id`` and ``note`` are declared."""
    declared, found = (Schema.of(Column(name=name) for name in listed) for listed in (("id", "note"), names))
    return schema.judge_delivery(declared, {"a.csv": found}, SchemaPolicy(), unreadable={})


def platform(victims: Any, *datasets: Any) -> Any:
    lineage = SimpleNamespace(victims=victims)
    return SimpleNamespace(catalog=SimpleNamespace(lineage=lineage), policies=SimpleNamespace(datasets=datasets))


def dataset(urn: str, sql: str = "") -> Any:
    made_by = process(sql) if sql else None
    return SimpleNamespace(urn=urn, process=made_by, policy=SimpleNamespace(owner_team="bi", tier="TIER_1"))


def not_asked(*_: Any) -> SchemaImpact:
    raise AssertionError("nothing that breaks a reader has changed")


def broken(urn: str, columns: Sequence[str]) -> SchemaImpact:
    assert (urn, columns) == (URN, ("note",))
    return SchemaImpact(broken=(Victim(dataset="ds://bi/report", owner_team="bi", tier="TIER_1"),), total=1)


def test_nothing_is_looked_up_without_a_change() -> None:
    before = verdict("id", "note")

    assert with_victims(platform(not_asked), dataset(URN), [before]) == (before,)


def test_a_removed_column_names_its_readers_and_owners() -> None:
    [found] = with_victims(platform(broken), dataset(URN), [verdict("id")])

    victims = found.metadata["victims"]
    assert (victims["columns"], victims["total"]) == (["note"], 1)
    assert [(v["dataset"], v["owner_team"], v["tier"]) for v in victims["broken"]] == [
        ("ds://bi/report", "bi", "TIER_1")
    ]


def test_an_added_column_names_only_those_that_select_all() -> None:
    readers = (dataset("ds://bi/all", "SELECT * FROM orders"), dataset("ds://bi/one", "SELECT id FROM orders"))

    [found] = with_victims(platform(not_asked, *readers), dataset(URN), [verdict("id", "note", "extra")])

    assert found.metadata["victims"] == {
        "columns": [],
        "select_all": [{"dataset": "ds://bi/all", "owner_team": "bi", "tier": "TIER_1"}],
    }


def test_a_catalog_that_fails_or_hangs_leaves_the_verdict_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    end = Event()

    def fails(*_: Any) -> SchemaImpact:
        raise OSError("personal jo@example.com")

    def hangs(*_: Any) -> SchemaImpact:
        end.wait()
        return SchemaImpact()

    monkeypatch.setattr(schema_victim, "LIMIT_SECONDS", 0.05)
    before = verdict("id")

    for lookup, why in ((fails, "the lineage could not be read: OSError"), (hangs, "the lineage gave no answer in")):
        [found] = with_victims(platform(lookup), dataset(URN), [before])

        assert found.metadata["victims"]["unknown"].startswith(why)
        assert (found.outcome, found.results, found.reason) == (before.outcome, before.results, before.reason)
    end.set()


def test_the_lookup_reads_a_catalog_from_its_own_thread(tmp_path: Path) -> None:
    with new_catalog(tmp_path / "catalog.db") as catalog:
        real = SimpleNamespace(catalog=catalog, policies=SimpleNamespace(datasets=()))

        [found] = with_victims(real, dataset(URN), [verdict("id")])

    assert (found.metadata["victims"]["total"], "unknown" in found.metadata["victims"]) == (0, False)
