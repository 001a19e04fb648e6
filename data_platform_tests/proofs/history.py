"""Runs random histories of a state machine until there were enough runs, and sums up what was done."""

from __future__ import annotations

import argparse
import json
import logging
import random
import resource
import sys
import time
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

if TYPE_CHECKING:
    from collections import Counter

HISTORIES = 5
"""Histories of one seed: each line of progress is one seed."""
STEPS = 12


def parse(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--runs", type=int, default=1000, help="runs to do, killed ones included")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time, whatever was done")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="the first seed")
    return parser.parse_args()


def prove(machine: type[RuleBasedStateMachine], tally: Counter[str], asked: argparse.Namespace) -> None:
    """Prints a summary as JSON. ``tally`` counts the runs of the machine under ``runs``.

    Raises:
        AssertionError: A step has failed. Hypothesis adds the steps that lead to it.
    """
    logging.disable(logging.WARNING)
    began, last = time.monotonic(), asked.seed
    while tally["runs"] < asked.runs and time.monotonic() - began < asked.seconds:
        run_histories(machine, last, HISTORIES, STEPS)
        last += 1
        print(f"seed {last - 1}: {tally['runs']} runs so far", file=sys.stderr, flush=True)
    summary = {
        "seeds": [asked.seed, last - 1],
        **dict(sorted(tally.items())),
        "violations": 0,  # the first one has ended the program
        "seconds": round(time.monotonic() - began),
        "cpu_seconds_of_python": round(sum(resource.getrusage(resource.RUSAGE_SELF)[:2])),
    }
    print(json.dumps(summary, indent=2))


def run_histories(machine: type[RuleBasedStateMachine], number: int, histories: int, steps: int) -> None:
    """Runs the ``histories`` of the seed ``number``. Raises: AssertionError, as ``prove``."""
    run_state_machine_as_test(
        seed(number)(type("History", (machine,), {})),
        settings=settings(
            max_examples=histories, stateful_step_count=steps, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck), print_blob=False,
        ),
    )  # fmt: skip
