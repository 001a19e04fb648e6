"""A dataset is the pair of namespace and name; symlinks and renames are followed, a DROP delivers nothing."""

import json
import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_platform.catalog import Catalog
from data_platform.errors import InputError
from data_platform.model.lineage import Name
from data_platform.model.search import SearchRequest
from data_platform.openlineage.event import read_event
from data_platform_tests.catalog.lineage.example import NOW, dataset, event, lines, run_id, send
from data_platform_tests.catalog.lineage.snapshot import snapshot
from data_platform_tests.catalog.template import new_catalog
from data_platform_tests.example_count import examples

C54 = "C54_symlinks_and_renames_in_lineage"
HIVE = "hive://metastore.example.com:9083"


def at(namespace: str, name: str, **facets: Any) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, "facets": facets}


def change(kind: str, before: str | None = None) -> dict[str, Any]:
    said: dict[str, Any] = {"lifecycleStateChange": kind}
    if before is not None:
        said["previousIdentifier"] = {"namespace": "s3://lake", "name": before}
    return {"lifecycleStateChange": said}


def reached(catalog: Catalog, start: str, **asked: Any) -> list[str]:
    return [hit.node.name for hit in catalog.lineage.impact(start, **asked).hits.items]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(Name("s3://a", "b/c"), id="a path in a bucket"),
        pytest.param(Name("s3://a/b", "c"), id="the same text, parted elsewhere"),
        pytest.param(Name("ds:", "/ops/flights"), id="the text of a URN"),
        pytest.param(Name("file", "/data/in"), id="a file"),
        pytest.param(Name("a//b", "c/"), id="empty parts"),
        pytest.param(Name("pair:x", "y~1/z~0"), id="the reference's own signs"),
    ],
)
def test_a_reference_names_one_pair(name: Name) -> None:
    assert Name.of_reference(name.reference) == name


@given(st.lists(st.text("a/~:.", min_size=1, max_size=6), min_size=4, max_size=4))
def test_no_two_pairs_have_one_reference(parts: list[str]) -> None:
    one, other = Name(*parts[:2]), Name(*parts[2:])

    assert (one.reference == other.reference) is (one == other)


def test_datasets_with_one_joined_text_are_two(catalog: Catalog) -> None:  # C36
    send(catalog, event(run=run_id(1), job="one", outputs=[at("s3://a/b", "c")]))
    send(catalog, event(run=run_id(2), job="other", outputs=[at("s3://a", "b/c")]))
    send(catalog, event(run=run_id(3), job="reader", inputs=[at("s3://a/b", "c")]))

    page = catalog.lineage.dataset_page("s3://a/b/c")
    other = catalog.lineage.dataset_page("pair:s3:~1~1a~1b/c")

    assert (page.dataset.namespace, other.dataset.namespace) == ("s3://a", "s3://a/b")
    assert (reached(catalog, "s3://a/b/c"), reached(catalog, other.dataset.reference)) == ([], ["etl/reader"])
    assert [(alike.dataset, alike.differs_by) for alike in page.look_alikes] == [("pair:s3:~1~1a~1b/c", ("split",))]
    assert len(catalog.registry.search(SearchRequest(text="s3://a/b/c")).hits) == 2
    assert len({urn for _, urn in catalog.arrivals.names(0)}) == 2


def test_a_text_that_only_other_pairs_have_is_refused_with_their_names(catalog: Catalog) -> None:
    for number, namespace in enumerate(("s3://a/b", "s3://a/b/c")):
        name = "c/d" if number == 0 else "d"
        send(catalog, event(run=run_id(number), outputs=[at(namespace, name)]))

    with pytest.raises(InputError, match=r"2 datasets are written s3://a/b/c/d: expected one of pair:.*, pair:"):
        catalog.lineage.dataset("s3://a/b/c/d")


def test_an_event_cannot_pass_for_a_dataset_of_ours(catalog: Catalog) -> None:
    declared = {"table": "flights", "owner_team": "ops", "tier": "gold", "description": "", "policy_fingerprint": "f"}
    catalog.registry.save_dataset("ds://ops/flights", now=NOW, **declared)  # type: ignore[arg-type]
    send(catalog, event(outputs=[at("ds:", "/ops/flights")]))

    assert catalog.lineage.dataset("ds://ops/flights").declared
    assert [name for _, name in catalog.arrivals.names(0)] == ["pair:ds:/~1ops~1flights"]
    assert catalog.lineage.versions("ds://ops/flights").items == ()


def test_case_c54_impact_goes_on_under_other_names(catalog: Catalog) -> None:
    send(catalog, *lines(C54))

    assert f"{HIVE}/mart.daily" in reached(catalog, "postgres://db.example.com:5432/app.public.orders")
    upstream = reached(catalog, f"{HIVE}/mart.b", direction="upstream")
    assert set(upstream) == {"etl/b_report", f"{HIVE}/shop.b", f"{HIVE}/shop.a", "etl/a_load", "etl/swap"}
    (whole,) = catalog.lineage.column_impact(f"{HIVE}/shop.orders", "status").hits[-1:]
    assert (whole.dataset, whole.column, whole.transformation) == (f"{HIVE}/mart.cols", "*", "INDIRECT:FILTER")
    through = catalog.lineage.column_impact("s3://lake-example/wh/shop/orders", "amount").hits
    assert [(hit.dataset, hit.column) for hit in through][-1] == (f"{HIVE}/mart.cols", "total")
    back = catalog.lineage.column_impact(f"{HIVE}/mart.cols", "total", direction="upstream").hits
    assert {"amount", "status"} <= {hit.column for hit in back}
    names = catalog.lineage.dataset_page(f"{HIVE}/shop.b").other_names
    assert [(name.dataset, name.kind) for name in names] == [(f"{HIVE}/shop.a", "renamed from")]


def renames(*names: str) -> list[dict[str, Any]]:
    """``load`` writes the first; then one rename after the other; ``read`` reads the last."""
    events = [event(run=run_id(1), job="load", minute=1, outputs=[dataset(names[0])])]
    for number, (before, after) in enumerate(pairwise(names), 2):
        output = dataset(after, **change("RENAME", before))
        events.append(event(run=run_id(number), job="mover", minute=number, outputs=[output]))
    last = event(run=run_id(50), job="read", minute=50, inputs=[dataset(names[-1])], outputs=[dataset("out")])
    return [*events, last]


@settings(max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_any_order_of_renames_symlinks_and_drops_ends_the_same(tmp_path_factory: Any, dice: random.Random) -> None:
    documents = [
        *renames("a", "b", "c"),
        *lines(C54),
        event("START", run=run_id(60), job="cleaner", minute=60, outputs=[dataset("old")]),
        event("COMPLETE", run=run_id(60), job="cleaner", minute=61, outputs=[dataset("old", **change("DROP"))]),
        event(run=run_id(61), minute=5, outputs=[dataset("old")]),
    ]
    shuffled = documents + dice.sample(documents, 4)
    dice.shuffle(shuffled)

    ends = []
    for order in (documents, shuffled):
        with new_catalog(tmp_path_factory.mktemp("order") / "catalog.db") as catalog:
            for part in (order[: len(order) // 2], order[len(order) // 2 :]):
                catalog.events.ingest([read_event(document) for document in part], now=NOW)
            ends.append((snapshot(catalog), sorted(name for _, name in catalog.arrivals.names(0))))
    assert ends[0] == ends[1]


def test_a_chain_of_renames_is_followed_from_the_first_name_to_the_last(catalog: Catalog) -> None:
    send(catalog, *reversed(renames("a", "b", "c")))

    assert "s3://lake/out" in reached(catalog, "s3://lake/a")
    assert "etl/load" in reached(catalog, "s3://lake/out", direction="upstream")
    assert "s3://lake/out" not in reached(catalog, "s3://lake/out", direction="upstream")


def test_a_table_that_moves_leaves_its_old_place(catalog: Catalog) -> None:
    def placed(name: str) -> dict[str, Any]:
        return {"symlinks": {"identifiers": [{"namespace": HIVE, "name": name, "type": "TABLE"}]}}

    send(catalog, event(run=run_id(1), minute=1, outputs=[dataset("x", **placed("old"))]))
    send(catalog, event(run=run_id(2), minute=2, outputs=[dataset("x", **placed("new"))]))

    assert [name.dataset for name in catalog.lineage.dataset_page("s3://lake/x").other_names] == [f"{HIVE}/new"]


@pytest.mark.parametrize("late", [False, True], ids=["told at once", "told by an event that comes late"])
@pytest.mark.parametrize("kind", ["DROP", "TRUNCATE", "ALTER"])
def test_what_brings_no_data_is_no_arrival(catalog: Catalog, kind: str, late: bool) -> None:
    began = event("START", minute=0, outputs=[dataset("orders", **change(kind))])
    ended = event("COMPLETE", minute=1, outputs=[dataset("orders")])

    send(catalog, *([ended, began] if late else [began, ended]))

    assert catalog.arrivals.names(0) == ()
    assert catalog.lineage.versions("s3://lake/orders").items == ()
    assert catalog.lineage.dataset_page("s3://lake/orders").latest is None


@pytest.mark.parametrize("kind", ["CREATE", "OVERWRITE", "RENAME"])
def test_what_brings_data_is_an_arrival(catalog: Catalog, kind: str) -> None:
    send(catalog, event(outputs=[dataset("orders", **change(kind, "before" if kind == "RENAME" else None))]))

    assert [name for _, name in catalog.arrivals.names(0)] == ["s3://lake/orders"]


def test_a_page_shows_a_dropped_dataset_until_it_is_written_again(catalog: Catalog) -> None:
    send(catalog, event(run=run_id(1), minute=1, outputs=[dataset("orders")]))
    send(catalog, event(run=run_id(2), minute=2, outputs=[dataset("orders", **change("DROP"))]))
    dropped = catalog.lineage.dataset_page("s3://lake/orders").dropped_at
    send(catalog, event(run=run_id(3), minute=3, outputs=[dataset("orders")]))

    assert dropped is not None
    assert dropped.minute == 2
    assert catalog.lineage.dataset_page("s3://lake/orders").dropped_at is None


def test_answers_flag_cycles_and_not_symlinks(catalog: Catalog) -> None:
    link = {"symlinks": {"identifiers": [{"namespace": HIVE, "name": "a", "type": "TABLE"}]}}
    send(catalog, event(run=run_id(1), job="ab", inputs=[dataset("a", **link)], outputs=[dataset("b")]))
    assert catalog.lineage.impact("s3://lake/a").cycles == ()

    send(catalog, event(run=run_id(2), job="ba", inputs=[dataset("b")], outputs=[at(HIVE, "a")]))

    (cycle,) = catalog.lineage.impact("s3://lake/a").cycles
    assert set(cycle.nodes) == {"s3://lake/a", f"{HIVE}/a", "etl/ab", "s3://lake/b", "etl/ba"}
    assert catalog.lineage.graph("s3://lake/a").cycles == (cycle,)


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        pytest.param(at("gs://lake", "wh/orders"), ("namespace",), id="another store"),
        pytest.param(at("s3a://lake", "wh/orders"), ("scheme",), id="another scheme"),
        pytest.param(at("s3://lake", "wh/Orders"), ("case",), id="another case"),
        pytest.param(at("s3://lake", "wh/orders/"), ("slashes",), id="a slash at the end"),
        pytest.param(at("s3://lake/wh", "orders"), ("split",), id="parted elsewhere"),
    ],
)
def test_look_alikes_are_listed_and_not_followed(
    catalog: Catalog, other: dict[str, Any], differs: tuple[str, ...]
) -> None:
    send(catalog, event(run=run_id(1), job="write", outputs=[dataset("wh/orders")]))
    send(catalog, event(run=run_id(2), job="read", inputs=[other], outputs=[dataset("out")]))

    page = catalog.lineage.impact("s3://lake/wh/orders")

    name = Name(other["namespace"], other["name"]).reference
    assert page.total == 0
    assert [(alike.dataset, alike.differs_by) for alike in page.look_alikes] == [(name, differs)]
    assert catalog.lineage.graph("s3://lake/wh/orders").look_alikes == page.look_alikes


def stages(zone: str, name: str, source: str, *, process: str | None = None) -> list[dict[str, Any]]:
    """Events of one run through silver, gold and certification, as the platform emits them."""
    own = [at(f"ds://{zone}", part) for part in (f"{name}/silver", f"{name}/gold", name)]
    jobs = [process or f"{zone}/{name}/silver", f"{zone}/{name}/gold", f"{zone}/{name}/gold_certified"]
    inputs = [at(f"ds://{zone}", source), *own]
    return [
        event(run=run_id(1000 * len(name) + number), inputs=[read], outputs=[written])
        | {"job": {"namespace": "DATA_PLATFORM", "name": job}}
        for number, (job, read, written) in enumerate(zip(jobs, inputs, own, strict=False))
    ]


def test_stages_inside_a_dataset_cost_no_depth(catalog: Catalog) -> None:
    send(catalog, *stages("ops", "flights", "flights/bronze"))
    send(catalog, *stages("ops", "carrier_daily", "flights", process="carrier_daily"))

    graph = catalog.lineage.graph("ds://ops/carrier_daily", direction="upstream", depth=1)
    down = catalog.lineage.impact("ds://ops/flights")
    all_of_it = catalog.lineage.impact("ds://ops/flights", stages=True)

    assert "ds://ops/flights" in {node.name for node in graph.nodes}
    assert [(hit.node.name, hit.depth) for hit in down.hits.items] == [
        ("ds://ops/carrier_daily", 1), ("DATA_PLATFORM/carrier_daily", 1),
    ]  # fmt: skip
    assert down.hits.items[0].path == ("ds://ops/flights", "DATA_PLATFORM/carrier_daily", "ds://ops/carrier_daily")
    assert "ds://ops/carrier_daily/silver" in {hit.node.name for hit in all_of_it.hits.items}
    assert {hit.node.part_of for hit in all_of_it.hits.items} >= {"ds://ops/carrier_daily"}


def test_a_search_shows_what_people_mean_unless_all_is_wanted(catalog: Catalog) -> None:
    send(catalog, *stages("ops", "flights", "flights/bronze"))

    found = {hit.full_name for hit in catalog.registry.search(SearchRequest(text="flights")).hits}
    everything = {hit.full_name for hit in catalog.registry.search(SearchRequest(text="flights", internal=True)).hits}

    assert found == {"ds://ops/flights"}
    assert {"ds://ops/flights/silver", "DATA_PLATFORM/ops/flights/gold"} <= everything


def test_a_name_that_is_too_long_costs_nothing_but_its_end(catalog: Catalog) -> None:
    (receipt, *_, job) = send(catalog, *lines("C55_streams_long_names_and_parents"))[-3:]

    consumers = reached(catalog, "postgres://db.example.com:5432/app.public.customers")

    assert "streams/jdbc_read" in consumers
    assert receipt.warnings == (
        "inputs[0].name: 5346 bytes with its namespace: at most 2000; cut, and a hash of the whole name put behind it",
    )
    assert "job.name: 30" in job.warnings[0]
    (long,) = (n for n in catalog.lineage.process_page("streams/jdbc_read").inputs if "SELECT" in n)
    assert len(long.encode()) <= 2000 + len("pair:")
    facets = catalog.lineage.dataset_page(long).facets
    assert facets["dataPlatform_wholeName"]["name"].endswith(" FROM app.orders) t")
    assert json.dumps(facets["dataPlatform_wholeName"])
