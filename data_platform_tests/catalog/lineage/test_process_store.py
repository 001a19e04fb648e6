"""Lists of processes with their newest runs, and what is around a run."""

import pytest

from data_platform.catalog import Catalog
from data_platform.model.lineage import RunState
from data_platform_tests.catalog.lineage.example import event, run_id, send


@pytest.fixture
def three(catalog: Catalog) -> Catalog:
    """A job that failed last, its box, and the run of a stage."""
    parent = {"parent": {"run": {"runId": run_id(9)}, "job": {"namespace": "etl", "name": "Box_A"}}}
    for number, kind in enumerate(("COMPLETE", "FAIL")):
        run = {"runId": run_id(number), "facets": parent}
        send(catalog, event("START", minute=number, run=run_id(number)) | {"run": run})
        send(catalog, event(kind, minute=number + 5, run=run_id(number)) | {"run": run})
    send(catalog, event(run=run_id(9), job="Box_A"))
    send(catalog, event(run=run_id(5)) | {"job": {"namespace": "DATA_PLATFORM", "name": "shop/orders/gold"}})
    return catalog


def test_each_process_has_the_state_of_its_newest_run(three: Catalog) -> None:
    found = {one.key: one for one in three.processes.listed()}

    assert found["etl/load"].status is RunState.FAILED
    assert list(found) == ["etl/Box_A", "etl/load"]
    assert len(three.processes.listed(internal=True)) == 3


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        pytest.param("LOAD", ["etl/load"], id="any case"),
        pytest.param("etl box_a", ["etl/Box_A"], id="each word"),
        pytest.param("boxxa", [], id="no wildcard"),
        pytest.param("%", [], id="a percent sign"),
        pytest.param("\\", [], id="a backslash"),
    ],
)
def test_words_are_found_as_they_are(three: Catalog, words: str, keys: list[str]) -> None:
    assert [one.key for one in three.processes.listed(words)] == keys


def test_a_run_has_its_parent_and_the_parent_its_children(three: Catalog) -> None:
    child, parent = (three.processes.around(three.lineage.run(run_id(number))) for number in (1, 9))

    assert child.parent is not None
    assert child.parent.run_uuid == run_id(9)
    assert ([one.run_uuid for one in parent.children], parent.total_children) == ([run_id(0), run_id(1)], 2)
    assert [one.type for one in child.changes] == ["START", "FAIL"]
    assert [one.run_uuid for one in child.attempts] == [run_id(1)]
