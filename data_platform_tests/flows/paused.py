"""Runs `data-platform` and stops for ever at a named moment of certification: the program of ``test_certify_killed``.

python -m data_platform_tests.flows.paused <moment> <folder> <arguments of data-platform ...>

At the moment, a file of its name appears in the folder; the run goes on once a file ``go`` is there. The product has no
hook for it: functions are replaced here, in this process.
"""

import sys
import time
from pathlib import Path
from typing import Any

from data_platform.catalog.certification_store import Certifications
from data_platform.cli.main import app
from data_platform.model.dataset import Stage
from data_platform.orchestration import io_manager

GOLD_PASSED, POINTER_STAYS, POINTER_MOVED = MOMENTS = ("gold_passed", "pointer_stays", "pointer_moved")
"""Gold's step has ended, the certified one begins; all is asked, the pointer is to move; it has moved, no more yet."""


def pause_at(moment: str, folder: Path) -> None:
    def pause() -> None:
        (folder / moment).touch()
        while not (folder / "go").exists():
            time.sleep(0.05)

    run_stage, certify = io_manager.run_stage, Certifications.certify

    def run_stage_or_pause(platform: Any, dataset: Any, stage: Stage, *rest: Any) -> Any:
        if (moment, stage) == (GOLD_PASSED, Stage.CERTIFIED):
            pause()
        return run_stage(platform, dataset, stage, *rest)

    def certify_and_pause(*arguments: Any, **named: Any) -> None:
        if moment == POINTER_STAYS:
            pause()
        certify(*arguments, **named)
        if moment == POINTER_MOVED:
            pause()

    io_manager.run_stage = run_stage_or_pause
    Certifications.certify = certify_and_pause  # type: ignore[method-assign]


if __name__ == "__main__":
    pause_at(sys.argv[1], Path(sys.argv[2]))
    app(sys.argv[3:])
