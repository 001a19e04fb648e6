"""A decision about quarantined rows whose command is killed is made wholly or not at all, and a repeat finishes it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from data_platform.catalog import open_catalog
from data_platform.model.evidence_key import EvidenceKeys
from data_platform_tests.cli.shop import QUARANTINE, Shop, hold

RELEASE = ("release", QUARANTINE, "--reason", "agreed", "--by", "ann", "--approver", "bob")
DISCARD = ("discard", QUARANTINE, "--reason", "test records", "--by", "ann")


def decided(home: Path) -> list[str]:
    """What was done with the entry, in order."""
    with open_catalog(f"sqlite:///{home}/catalog.db", EvidenceKeys(home / "evidence.key")) as catalog:
        return [one.action for one in catalog.quarantine.actions(QUARANTINE)]


@pytest.mark.parametrize(
    ("arguments", "actions"),
    [
        pytest.param(RELEASE, ["release.request", "release.approve"], id="release"),
        pytest.param(DISCARD, ["discard"], id="discard"),
        pytest.param(("assign", QUARANTINE, "--to", "carla", "--by", "ann"), ["assign"], id="assign"),
    ],
)
def test_a_decision_that_is_killed_at_any_write_is_finished_by_repeating_it(
    shop: Shop, arguments: tuple[str, ...], actions: list[str]
) -> None:
    hold(shop, signature="UNKNOWN_ENUM:note")
    program = [sys.executable, "-m", "data_platform_tests.cli.killed_command", str(shop.root), "quarantine", *arguments]
    given = {name: value for name, value in shop.environment.items() if value is not None}
    done = subprocess.run(program, env={**os.environ, **given}, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    tries = int(done.stdout.splitlines()[-1])

    for number in range(1, tries + 1):
        home = shop.root / f"killed-{number}"
        assert decided(home) == (actions if number == tries else [])
        assert shop.run("quarantine", *arguments, DATA_PLATFORM_HOME=str(home)).exit_code == 0
        assert decided(home) == actions

    assert tries > len(actions) + 1
