"""``reconcile`` reports what a dead run left, and rolls it back."""

import json

import pytest

from data_platform.cli.repair import reconcile_selected
from data_platform.model.dataset import Stage
from data_platform.model.intent import Intent
from data_platform_tests.cli.shop import DAY, HELD_RUN, NOW, ORDERS, Shop, hold
from data_platform_tests.flows.estate import Estate, declare_orders, orders


def left_behind(run_id: str, stage: Stage, path: str, before: int) -> Intent:
    return Intent(
        run_id=run_id,
        dataset_urn=ORDERS,
        stage=stage,
        partition=DAY,
        path=path,
        before=before,
        note={"run_id": run_id, "dataset": ORDERS, "kind": "data"},
        opened_at=NOW,
    )


@pytest.mark.parametrize("dataset", [(), ("orders",)], ids=["all", "one"])
def test_nothing_to_reconcile_is_reported(shop: Shop, dataset: tuple[str, ...]) -> None:
    assert shop.run("reconcile", *dataset).stdout == "nothing to reconcile\n"
    assert shop.json("reconcile", *dataset) == [{"dataset": ORDERS, "found": []} for _ in dataset]


def test_an_intent_of_a_recorded_run_is_closed_and_reported(shop: Shop) -> None:
    hold(shop)
    with shop.catalog() as catalog:
        catalog.runs.open_intent(left_behind(HELD_RUN, Stage.SILVER, "lake/silver/orders", before=0))

    told = shop.json("reconcile")

    assert told == [{"dataset": ORDERS, "found": [f"{ORDERS} silver {DAY} of {HELD_RUN}: recorded"]}]
    assert shop.run("reconcile").stdout == "nothing to reconcile\n"


def test_an_external_dataset_cannot_be_reconciled(shop: Shop) -> None:
    file = shop.root / "policies" / "datasets" / "sales" / "customers" / "dataset.yaml"
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if "source" not in line))

    result = shop.run("reconcile", "customers")

    assert result.exit_code == 2
    assert "ds://sales/customers is external" in result.stderr


def test_a_commit_without_a_verdict_is_rolled_back(estate: Estate, capsys: pytest.CaptureFixture[str]) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    estate.run("orders")
    platform = estate.platform()
    silver = platform.table(platform.policies.dataset("orders"), Stage.SILVER)
    before = silver.version()
    intent = left_behind("run_20250107_dead", Stage.SILVER, silver.path, before)
    platform.catalog.runs.open_intent(intent)
    silver.replace(silver.at(before).limit(0), intent.note)

    reconcile_selected(platform, None, as_json=True)

    found = [f"{ORDERS} silver {DAY} of run_20250107_dead: taken back"]
    assert json.loads(capsys.readouterr().out) == [{"dataset": ORDERS, "found": found}]
    assert silver.rows().count() == 1
    platform.close()
