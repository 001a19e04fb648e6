"""The key for tokens: created once by the first run, and never replaced silently."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.key_file import id_of
from data_platform.stage import token_key
from data_platform_tests.flows.estate import DAY, Estate, declare_orders
from data_platform_tests.stage.ledger import NOW, Ledger

TOKENS = {"pii": {"detection": [{"pattern": "EMAIL", "action": "tokenize"}]}}


@pytest.fixture
def platform(tmp_path: Path, spark: SparkSession) -> Platform:
    """One dataset with tokens and one without, and no key yet."""
    estate = Estate(tmp_path, spark)
    declare_orders(estate, TOKENS)
    estate.declare("ds://sales/plain", {"schema": {"constraints": [{"field": "id", "type": "INT"}]}})
    (tmp_path / "pii.key").unlink()
    return estate.platform()


def secret(platform: Platform, name: str = "orders") -> bytes:
    return token_key.current(platform, platform.policies.dataset(name)).secret


def has_run(platform: Platform, number: int = 1) -> None:
    """As a stage of orders leaves it in the catalog."""
    orders = platform.policies.dataset("orders")
    noted = token_key.noted(platform, orders, DAY, token_key.current(platform, orders))
    Ledger(platform.catalog, platform.policies, count(number)).record(
        "orders", Stage.SILVER, 1, read={}, day=DAY, metadata=noted
    )


def test_the_first_run_creates_a_private_key_and_reports_it(
    platform: Platform, caplog: pytest.LogCaptureFixture
) -> None:
    before = os.umask(0)
    try:
        made = secret(platform)
    finally:
        os.umask(before)

    file = platform.settings.pii_key_file
    assert (len(made), made) == (32, file.read_bytes())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "back it up" in caplog.text
    assert made.hex() not in caplog.text
    assert [path.name for path in file.parent.glob("pii.key*")] == ["pii.key"]  # no draft is left


def test_of_many_that_are_first_at_once_one_makes_the_key(platform: Platform) -> None:
    assert platform.policies
    assert platform.catalog

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: secret(platform), range(8)))

    assert made == {platform.settings.pii_key_file.read_bytes()}


def test_another_key_ends_a_run_of_the_dataset_with_tokens_until_it_is_accepted(platform: Platform) -> None:
    old = secret(platform)
    has_run(platform)
    platform.settings.pii_key_file.write_bytes(bytes(32))

    with pytest.raises(DataPlatformError, match="tokens of two keys never match") as told:
        secret(platform)
    assert id_of(old) in str(told.value)
    assert old.hex() not in str(told.value)
    assert secret(platform, "plain") == bytes(32)  # no tokens, so any key will do

    platform.now = lambda: NOW + timedelta(days=1)
    token_key.accept(platform, platform.policies.dataset("orders"), "run_2")
    assert secret(platform) == bytes(32)
    platform.settings.pii_key_file.write_bytes(old)
    with pytest.raises(DataPlatformError, match="tokens of two keys never match"):
        secret(platform)


@pytest.mark.parametrize("name", ["orders", "plain"])
def test_a_lost_key_is_not_replaced_by_any_first_run(platform: Platform, name: str) -> None:
    secret(platform)
    has_run(platform)
    platform.settings.pii_key_file.unlink()

    with pytest.raises(DataPlatformError, match="put that key back"):
        secret(platform, name)
    assert not platform.settings.pii_key_file.exists()


def test_a_key_that_is_too_short_or_cannot_be_made_is_an_error_in_one_line(platform: Platform) -> None:
    platform.settings.pii_key_file.write_bytes(b"short")
    with pytest.raises(DataPlatformError, match="has 5 bytes, expected a key of 32"):
        secret(platform)

    platform.settings.pii_key_file.unlink()
    object.__setattr__(platform.settings, "pii_key_file", Path("/proc/nowhere/pii.key"))
    with pytest.raises(DataPlatformError, match="DATA_PLATFORM_PII_KEY_FILE") as told:
        secret(platform)
    assert "\n" not in str(told.value)


def test_after_a_rotation_a_run_writes_with_the_new_key_and_the_old_one_may_not_be_missing(platform: Platform) -> None:
    old = secret(platform)
    has_run(platform)
    ring = platform.settings.pii_keys

    new = ring.make_next()

    assert (new.number, secret(platform), secret(platform, "plain")) == (2, new.secret, new.secret)
    ring.path(1).unlink()
    with pytest.raises(DataPlatformError, match="Put the old key back"):
        secret(platform)  # its days of before could not be opened, and nobody has noticed so far
    ring.path(1).write_bytes(old)
    has_run(platform, 2)
    ring.path(2).unlink()
    with pytest.raises(DataPlatformError, match=id_of(new.secret)):
        secret(platform)


def test_a_key_that_replaces_a_lost_one_has_a_version_of_its_own(platform: Platform) -> None:
    lost = secret(platform)
    has_run(platform)
    platform.settings.pii_key_file.unlink()
    platform.now = lambda: NOW + timedelta(days=1)

    accepted = token_key.accept(platform, platform.policies.dataset("orders"), "run_2")

    assert (accepted.number, accepted.secret != lost) == (2, True)
    assert secret(platform) == accepted.secret
    assert not platform.settings.pii_key_file.exists()
