"""`data-platform run` is killed around the move of the pointer: it has moved or not, and the next run is not blocked.

Each run starts on what the one killed before it has left, and gets further than that one did.
"""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from deltalake import DeltaTable

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.certification import Certification
from data_platform.model.dataset import Stage
from data_platform_tests.flows.command import ARGUMENTS, PATIENCE_SECONDS, RUN, jvms, statuses, wait_for
from data_platform_tests.flows.estate import DAY, ORDERS, Estate
from data_platform_tests.flows.paused import GOLD_PASSED, MOMENTS, POINTER_MOVED, POINTER_STAYS

JVM_SECONDS = 20


def paused(estate: Estate, moment: str) -> subprocess.Popen[bytes]:
    """A run that has come to ``moment`` and waits there."""
    folder = estate.root / moment
    folder.mkdir()
    command = [sys.executable, "-m", "data_platform_tests.flows.paused", moment, str(folder), *ARGUMENTS]
    with (folder / "screen").open("wb") as screen:
        process = subprocess.Popen(command, stdout=screen, stderr=screen, start_new_session=True)  # noqa: S603
    wait_for(moment, (folder / moment).exists, process)
    return process


def kill(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until_gone(estate: Estate) -> None:
    """The JVM of a run that has ended ends a moment after it."""
    until = time.monotonic() + JVM_SECONDS
    while jvms(estate):
        assert time.monotonic() < until, "a JVM was left"
        time.sleep(0.1)


def ids_seen(pointer: Certification) -> list[int]:
    return sorted(r["id"] for r in DeltaTable(pointer.path, version=pointer.version).to_pyarrow_table().to_pylist())


def certifying_runs(catalog: Catalog) -> list[str]:
    """By the evidence; the latest first."""
    found = [entry for entry in catalog.evidence.find(ORDERS) if entry.gate == "CERTIFICATION"]
    assert {entry.result for entry in found} <= {"CERTIFIED"}
    return [entry.run_id for entry in found]


def test_a_run_that_is_killed_around_certification_is_certified_at_most_once_and_blocks_no_other(
    installed: Estate,
) -> None:
    for moment in (GOLD_PASSED, POINTER_STAYS):
        kill(paused(installed, moment))

        with open_catalog(installed.settings.catalog_url) as catalog:
            gold = catalog.runs.latest(ORDERS, Stage.GOLD, DAY)
            assert (gold.version, gold.outcome.value) == (gold_version(installed), "passed")
            assert (catalog.certifications.all(), certifying_runs(catalog)) == ((), [])
            assert (catalog.leases.get(ORDERS) is None) == (moment == GOLD_PASSED)  # its step was not yet under way
        assert statuses(installed)[0] == "STARTED"
    kill(paused(installed, POINTER_MOVED))

    with open_catalog(installed.settings.catalog_url) as catalog:
        [moved] = catalog.certifications.all()
        assert certifying_runs(catalog) == [moved.run_id]
        assert catalog.runs.latest(ORDERS, Stage.CERTIFIED, DAY).run_id == moved.run_id
    assert ids_seen(moved) == [1, 2]
    assert moved.version == gold_version(installed)

    last = subprocess.run(RUN, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)  # noqa: S603

    assert (last.returncode, "Traceback" in last.stdout + last.stderr) == (0, False), last.stdout + last.stderr
    assert Counter(statuses(installed)) == {"SUCCESS": 1, "FAILURE": len(MOMENTS)}
    wait_until_gone(installed)
    with open_catalog(installed.settings.catalog_url) as catalog:
        [now] = catalog.certifications.all()
        assert certifying_runs(catalog) == [now.run_id, moved.run_id]
        assert [c.run_id for c in catalog.certifications.history(ORDERS)] == [now.run_id, moved.run_id]
        assert len(catalog.leases.all()) == 1  # the ended run's own, which whoever looks next removes
        assert (catalog.leases.get(ORDERS), catalog.runs.open_intents()) == (None, ())
        [entry] = catalog.quarantine.entries(ORDERS)
    assert (ids_seen(now), entry.rows) == ([1, 2], 1)
    assert screens(installed).count("is dead") + last.stdout.count("is dead") >= len(MOMENTS)
    assert "waiting for" not in screens(installed) + last.stdout


def gold_version(estate: Estate) -> int:
    return DeltaTable(str(estate.root / "lake" / "gold" / "sales" / "orders")).version()


def screens(estate: Estate) -> str:
    return "".join(Path(estate.root / moment / "screen").read_text() for moment in MOMENTS)
