"""A rotation: what has to be run again, when the old version may go, and what a crash between two steps leaves."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from data_platform.catalog.access.store import Access
from data_platform.cli.outdated_token import outdated_tokens
from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.key_ring import KeyVersion
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.verdict import Outcome
from data_platform.stage import key_rotation, token_key
from data_platform_tests.flows.estate import ORDERS, Estate, declare_orders
from data_platform_tests.stage.ledger import Ledger

TOKENS = {"pii": {"detection": [{"pattern": "EMAIL", "action": "tokenize"}]}}
ANN = Actor(name="ann", role="PLATFORM_ADMIN")
FIRST, SECOND = PartitionKey("2025-01-06"), PartitionKey("2025-01-07")
TOTALS = "ds://sales/totals"


class Shop:
    """Orders have tokens, and a process reads them. Versions of tables count from 1."""

    def __init__(self, platform: Platform) -> None:
        self.platform, self.ledger, self.version = platform, Ledger(platform.catalog, platform.policies), 0

    @property
    def ring(self) -> list[int]:
        return [key.number for key in self.platform.settings.pii_keys.versions()]

    def run(self, name: str, day: PartitionKey, *, certify: bool = True, outcome: Outcome = Outcome.PASSED) -> None:
        """As a run of the dataset leaves it in the catalog, with the key that is current now."""
        dataset, self.version = self.platform.policies.dataset(name), self.version + 1
        key = token_key.current(self.platform, dataset)
        noted = token_key.noted(self.platform, dataset, day, key)
        version = self.version if outcome is Outcome.PASSED else None
        self.ledger.record(name, Stage.SILVER, version, read={}, day=day, metadata=noted, outcome=outcome)
        if certify:
            carried = {"token_keys": noted["token_keys"]}
            self.ledger.record(name, Stage.GOLD, self.version, read={}, day=day, metadata=carried)
            self.ledger.certify(name, self.version, day=day)

    def rotate(self) -> KeyVersion:
        return key_rotation.rotate(self.platform, "yearly", ANN)

    def retire(self, number: int) -> Path:
        return key_rotation.retire(self.platform, number, "all were run again", ANN)

    def outdated(self) -> list[tuple[str, int, list[str | None]]]:
        return [(item.dataset, item.version, list(item.partitions)) for item in key_rotation.outdated(self.platform)]

    def audited(self) -> list[tuple[str, str, str]]:
        entries = self.platform.catalog.access.audit().items
        return [(entry.actor, entry.action, entry.subject) for entry in reversed(entries)]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    estate = Estate(tmp_path, None)  # type: ignore[arg-type] - no test here starts Spark
    declare_orders(estate, TOKENS)
    bundle = {"schema": {"constraints": [{"field": "note", "type": "STRING"}]}}
    estate.declare(TOTALS, bundle, process="totals", partition={"key": "day", "start": "2025-01-01"})
    step = {"name": "notes", "sql": "SELECT note FROM orders"}
    estate.process("totals", output=TOTALS, inputs=[{"dataset": ORDERS}], steps=[step])
    (tmp_path / "pii.key").unlink()
    return Shop(estate.platform())


def test_a_rotation_names_what_to_run_again_what_others_read_first_and_a_run_takes_it_off(shop: Shop) -> None:
    for name, day in [("orders", FIRST), ("orders", SECOND), ("totals", FIRST)]:
        shop.run(name, day)
    assert shop.outdated() == []

    made = shop.rotate()

    assert (made.number, shop.ring) == (2, [1, 2])
    assert shop.outdated() == [(ORDERS, 1, [FIRST, SECOND]), (TOTALS, 1, [FIRST])]
    assert outdated_tokens(shop.platform) == {ORDERS: 2, TOTALS: 1}
    (orders, _) = key_rotation.outdated(shop.platform)
    assert orders.commands == (f"data-platform run -s {ORDERS} -p {FIRST}..{SECOND}",)
    shop.run("orders", FIRST)
    assert shop.outdated() == [(ORDERS, 1, [SECOND]), (TOTALS, 1, [FIRST])]
    shop.run("totals", FIRST)
    assert shop.outdated() == [(ORDERS, 1, [SECOND])]
    shop.run("orders", SECOND)
    assert shop.outdated() == []
    assert shop.audited() == [("ann", "pii.rotate", "pii key v2")]


def test_a_derived_day_that_was_made_before_its_input_was_run_again_still_has_old_tokens(shop: Shop) -> None:
    shop.run("orders", FIRST)
    shop.rotate()

    shop.run("totals", FIRST)  # makes no token, and copies those of orders
    shop.run("orders", FIRST)

    assert shop.outdated() == [(TOTALS, 1, [FIRST])]


def test_a_held_run_takes_nothing_off_because_its_rows_are_not_in_the_table(shop: Shop) -> None:
    shop.run("orders", FIRST)
    shop.rotate()

    shop.run("orders", FIRST, certify=False, outcome=Outcome.FAILED)

    assert shop.outdated() == [(ORDERS, 1, [FIRST])]


def test_what_consumers_see_counts_although_silver_has_new_tokens(shop: Shop) -> None:
    shop.run("orders", FIRST)
    shop.rotate()

    shop.run("orders", FIRST, certify=False)

    assert shop.outdated() == [(ORDERS, 1, [FIRST])]


def test_a_version_is_retired_only_when_no_partition_has_its_tokens(shop: Shop) -> None:
    shop.run("orders", FIRST)
    shop.rotate()
    with pytest.raises(DataPlatformError, match=rf"1 partition of {ORDERS} still have tokens of v1"):
        shop.retire(1)
    shop.run("orders", FIRST)

    kept = shop.retire(1)

    assert (kept.exists(), shop.ring) == (True, [2])
    assert shop.audited()[-1] == ("ann", "pii.retire", "pii key v1")
    shop.run("orders", SECOND)
    with pytest.raises(DataPlatformError, match="v2 is the current version"):
        shop.retire(2)
    for number in (1, 7):
        with pytest.raises(DataPlatformError, match=f"v{number} is not a version"):
            shop.retire(number)


def test_a_run_that_is_writing_keeps_the_old_version(shop: Shop) -> None:
    shop.run("orders", FIRST)
    shop.rotate()
    shop.run("orders", FIRST)
    platform = shop.platform
    now = platform.now()
    platform.catalog.leases.take(ORDERS, owner="another", now=now, ttl=timedelta(minutes=2))

    with pytest.raises(DataPlatformError, match="a run is writing"):
        shop.retire(1)
    platform.now = lambda: now + timedelta(minutes=3)
    assert shop.retire(1).exists()  # that run is dead


def test_a_second_rotation_waits_until_the_first_is_in_use(shop: Shop) -> None:
    with pytest.raises(DataPlatformError, match="there is no key to rotate"):
        shop.rotate()
    shop.run("orders", FIRST)
    shop.rotate()

    with pytest.raises(DataPlatformError, match="no partition has tokens of v2"):
        shop.rotate()
    assert shop.ring == [1, 2]


def test_a_rotation_that_died_before_its_entry_in_the_audit_log_is_finished_by_the_next_call(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.run("orders", FIRST)
    monkeypatch.setattr(Access, "record", _dies)
    with pytest.raises(KeyboardInterrupt):
        shop.rotate()
    monkeypatch.undo()
    made = shop.platform.settings.pii_keys.versions()[-1]
    shop.run("orders", FIRST)  # a run in between makes tokens with the new version already

    again = shop.rotate()

    assert (again, shop.ring) == (made, [1, 2])
    assert shop.audited() == [("ann", "pii.rotate", "pii key v2")]


@pytest.mark.parametrize(("step", "name"), [(Path, "unlink"), (Access, "record")], ids=["file", "audit log"])
def test_a_retirement_that_died_is_finished_by_the_next_call(
    shop: Shop, step: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.run("orders", FIRST)
    shop.rotate()
    shop.run("orders", FIRST)
    monkeypatch.setattr(step, name, _dies)
    with pytest.raises(KeyboardInterrupt):
        shop.retire(1)
    monkeypatch.undo()
    assert shop.ring == [2]

    kept = shop.retire(1)

    assert sorted(path.name for path in kept.parent.glob("pii.key*")) == ["pii.key.v1.retired", "pii.key.v2"]
    assert shop.audited()[-1] == ("ann", "pii.retire", "pii key v1")
    with pytest.raises(DataPlatformError, match="v1 is not a version"):
        shop.retire(1)


def test_a_dataset_that_is_declared_no_more_is_named_without_a_command(shop: Shop) -> None:
    shop.run("orders", FIRST)
    shop.rotate()
    shop.platform.__dict__["policies"] = type(shop.platform.policies)(
        datasets=(), processes=(), platform=shop.platform.policies.platform
    )

    (left,) = key_rotation.outdated(shop.platform)

    assert (left.dataset, left.commands) == (ORDERS, ())


def _dies(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt
