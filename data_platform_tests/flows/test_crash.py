"""A process that dies at any step of a write leaves nothing uncertified in view, and loses and doubles no row."""

import subprocess
import sys
from pathlib import Path

import pytest

from data_platform.model.dataset import Stage
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, declare_orders, orders

NEXT = DAY.replace(day=7)
GOOD = ("3,5.00,c", "4,-1.00,one row to set aside")
HELD = ("3,5.00,c", "3,6.00,twice the same id")
TIMEOUT_SECONDS = 180


def kill_at(estate: Estate, where: str) -> int:
    """Run the next day in a process of its own, which kills itself at ``where``; its exit code."""
    root = Path(__file__).parents[2]
    program = [sys.executable, "-m", "data_platform_tests.flows.killed", str(estate.root), NEXT.isoformat(), where]
    done = subprocess.run(program, cwd=root, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)  # noqa: S603
    return done.returncode


@pytest.mark.parametrize(
    ("where", "lines"),
    [
        pytest.param("bronze:commit", GOOD, id="bronze is written and not judged"),
        pytest.param("silver:intent", GOOD, id="silver is not written yet"),
        pytest.param("silver:commit", GOOD, id="silver is written, the rejected rows are not"),
        pytest.param("silver:quarantine", GOOD, id="rejected rows are set aside, nothing is judged"),
        pytest.param("gold:commit", GOOD, id="gold is written and not judged"),
        pytest.param("gold:judge", GOOD, id="gold is judged and not recorded"),
        pytest.param("gold:record", GOOD, id="gold is recorded, the lease is not released"),
        pytest.param("gold_certified:certify", GOOD, id="the pointer has moved"),
        pytest.param("gold:quarantine_batch", HELD, id="a held batch is set aside and not taken back"),
        pytest.param("gold:restore", HELD, id="a held batch is taken back and not recorded"),
    ],
)
def test_a_killed_run_shows_nothing_and_the_next_one_succeeds(estate: Estate, where: str, lines: tuple[str, ...]) -> None:
    declare_orders(estate)
    orders(estate, "1,10.00,a", "2,20.00,b")
    estate.run("orders")
    before = estate.certified_rows("orders")
    orders(estate, *lines, day=NEXT)

    assert kill_at(estate, where) == -9

    pointer_moved = where == "gold_certified:certify"
    assert (estate.certified_rows("orders") == before) is not pointer_moved
    orders(estate, *GOOD, day=NEXT)
    reports = estate.run("orders", NEXT)
    assert reports[-1].stage is Stage.CERTIFIED
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 2, 3]
    platform = estate.platform()
    try:
        assert platform.catalog.open_intents() == ()
        dataset = platform.policies.dataset("orders")
        for stage, rows in ((Stage.BRONZE, 4), (Stage.SILVER, 3), (Stage.GOLD, 3)):
            assert platform.table(dataset, stage).rows().count() == rows
        [aside] = [entry for entry in platform.catalog.quarantine(ORDERS) if entry.stage is Stage.SILVER]
        assert (aside.rows, aside.partition) == (1, NEXT.isoformat())
        assert estate.spark.read.format("delta").load(aside.path).count() == 1
    finally:
        platform.close()
