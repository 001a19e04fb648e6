"""What a drawing shows around a node, the broken path between two datasets, and the last runs of processes."""

from itertools import pairwise
from uuid import NAMESPACE_URL, uuid5

from data_platform.catalog import Catalog
from data_platform.model.lineage import NodeType, RunState
from data_platform.model.neighbourhood import NodeKey, Side
from data_platform_tests.catalog.lineage.example import dataset, event, run_id, send


def chain(catalog: Catalog, *names: str) -> None:
    """A job between each two datasets, such as ``etl/a-b``."""
    for before, after in pairwise(names):
        run = str(uuid5(NAMESPACE_URL, f"{before}-{after}"))
        send(catalog, event(run=run, job=f"{before}-{after}", inputs=[dataset(before)], outputs=[dataset(after)]))


def lake(*names: str) -> list[str]:
    return [f"s3://lake/{name}" for name in names]


def test_hops_lead_through_processes_to_datasets(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c", "d")

    one = catalog.lineage.neighbourhood("s3://lake/a")
    two = catalog.lineage.neighbourhood("s3://lake/a", hops=2)

    assert [near.node.name for near in one.nodes] == ["s3://lake/a", "etl/a-b", "s3://lake/b"]
    assert [near.hops for near in one.nodes] == [0, 1, 2]
    assert [near.hidden_downstream for near in one.nodes] == [0, 0, 1]
    assert (two.total, len(two.edges), two.is_cut) == (5, 4, False)


def test_opened_nodes_show_their_neighbours_in_any_order(catalog: Catalog) -> None:
    chain(catalog, "a", "b", "c", "d")
    ids = {near.node.own_name: near.node.id for near in catalog.lineage.neighbourhood("s3://lake/a", hops=3).nodes}
    opened = [(NodeKey(NodeType.DATASET, ids[name]), True) for name in ("c", "b")]

    found = catalog.lineage.neighbourhood("s3://lake/a", opened=opened)

    assert found.nodes[-1].node.name == "s3://lake/d"
    assert {near.side for near in found.nodes[1:]} == {Side.DOWNSTREAM}


def test_a_node_shows_only_its_first_neighbours(catalog: Catalog) -> None:
    send(catalog, event(outputs=[dataset(f"out_{number}") for number in range(9)]))

    found = catalog.lineage.neighbourhood("etl/load", kind=NodeType.PROCESS, most_at_once=4)

    assert (len(found.nodes), found.nodes[0].hidden_downstream, found.nodes[0].is_open_downstream) == (5, 5, True)


def test_a_node_that_many_ways_lead_to_is_opened_once(catalog: Catalog) -> None:
    layers = [[dataset(f"{layer}_{place}") for place in range(3)] for layer in range(21)]
    jobs = enumerate(pairwise(layers))
    send(catalog, *(event(run=run_id(n), job=f"job {n}", inputs=ins, outputs=outs) for n, (ins, outs) in jobs))

    found = catalog.lineage.neighbourhood("s3://lake/0_0", hops=20, directions=(True,))

    assert (found.total, max(near.hops for near in found.nodes)) == (1 + 20 * 4, 40)


def test_only_the_ways_between_cause_and_effect_are_the_broken_path(catalog: Catalog) -> None:
    chain(catalog, "cause", "left", "end", "victim")
    chain(catalog, "cause", "right", "end", "bystander")
    chain(catalog, "other", "end")

    found = catalog.lineage.between(lake("cause", "nowhere"), "s3://lake/end", lake("victim", "gone"))

    datasets = {near.node.own_name for near in found.nodes if near.node.type is NodeType.DATASET}
    assert datasets == {"end", "left", "right", "cause", "victim"}
    assert (found.nodes[0].node.name, found.nodes[0].side) == ("s3://lake/end", Side.START)
    assert len(found.nodes) == 10


def test_without_a_way_only_the_dataset_itself_is_left(catalog: Catalog) -> None:
    chain(catalog, "a", "b")
    chain(catalog, "x", "y")

    assert [near.node.own_name for near in catalog.lineage.between(lake("x"), "s3://lake/a").nodes] == ["a"]


def test_the_last_run_is_the_one_that_started_last(catalog: Catalog) -> None:
    for number, (minute, kind) in enumerate([(5, "FAIL"), (1, "COMPLETE")]):
        send(catalog, event("START", minute=minute, run=run_id(number)))
        send(catalog, event(kind, minute=minute + 1, run=run_id(number)))
    send(catalog, event("COMPLETE", minute=9, run=run_id(7)))  # nobody reported its start
    process = catalog.lineage.process("etl/load").id

    found = catalog.processes.last_runs([process, 10**9])

    assert list(found) == [process]
    assert (found[process].status, found[process].run_uuid) == (RunState.FAILED, run_id(0))
