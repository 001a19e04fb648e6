"""`data-platform run` is stopped with Ctrl-C, then killed, then started twice at once: nothing blocks it."""

import os
import pty
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from deltalake import DeltaTable

from data_platform.catalog import open_catalog
from data_platform.model.dataset import Stage
from data_platform.orchestration.instance import opened_instance
from data_platform_tests.flows.command import PATIENCE_SECONDS, RUN, jvms, statuses, wait_for
from data_platform_tests.flows.estate import ORDERS, Estate


def writes(estate: Estate, stage: Stage) -> Callable[[], bool]:
    """Whether a run has recorded that it is about to write ``stage``."""

    def asked() -> bool:
        if not (estate.root / "catalog.db").exists():
            return False
        with open_catalog(estate.settings.catalog_url) as catalog:
            return any(intent.stage is stage for intent in catalog.runs.open_intents(ORDERS))

    return asked


def press_ctrl_c(estate: Estate) -> tuple[int, str]:
    """In a terminal of its own, whose foreground the run is; exit code, and what was on the screen."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(RUN[0], RUN, dict(os.environ))  # noqa: S606
    ended: list[int] = []
    screen = bytearray()
    is_writing, pressed = writes(estate, Stage.SILVER), False
    os.set_blocking(terminal, False)
    until = time.monotonic() + PATIENCE_SECONDS
    while not ended and time.monotonic() < until:
        try:
            screen += os.read(terminal, 65_536)
        except (BlockingIOError, OSError):
            time.sleep(0.02)
        if not pressed and is_writing():
            os.write(terminal, b"\x03")
            pressed = True
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            ended.append(os.waitstatus_to_exitcode(status))
    os.close(terminal)
    return ended[0], screen.decode(errors="replace")


def test_a_run_can_be_stopped_killed_and_started_twice_and_the_work_is_done_once(installed: Estate) -> None:
    code, screen = press_ctrl_c(installed)

    assert code == 130, screen
    assert "stopped; the next run rolls back writes that no gate has judged" in screen
    assert "Traceback" not in screen
    assert jvms(installed) == []
    assert statuses(installed) == ["CANCELED"]

    killed = subprocess.Popen(RUN, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
    wait_for("gold's write", writes(installed, Stage.GOLD), killed)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()

    assert statuses(installed)[0] == "STARTED"  # nobody was left to say that it is not

    both = [subprocess.Popen(RUN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]  # noqa: S603
    said = [process.communicate(timeout=PATIENCE_SECONDS)[0] for process in both]

    assert [process.returncode for process in both] == [0, 0], said
    assert Counter(statuses(installed)) == {"SUCCESS": 2, "FAILURE": 1, "CANCELED": 1}
    assert "is dead" in said[0] + said[1]
    with open_catalog(installed.settings.catalog_url) as catalog:
        done = Counter(run.stage for run in catalog.runs.recent(ORDERS) if run.finished_at >= began(installed))
        assert done[Stage.GOLD] == done[Stage.CERTIFIED] == 1
        assert catalog.runs.open_intents() == ()
        assert catalog.leases.get(ORDERS) is None
        [certified] = catalog.certifications.all()
        assert certified.version in {0, 1}  # 1 where the killed run had committed: what nobody judged is written anew
    rows = DeltaTable(certified.path, version=certified.version).to_pyarrow_table().to_pylist()
    assert sorted(row["id"] for row in rows) == [1, 2]


def began(estate: Estate) -> datetime:
    """The last two of Dagster's runs."""
    with opened_instance(estate.settings) as instance:
        return min(record.create_timestamp for record in instance.get_run_records(limit=2))
