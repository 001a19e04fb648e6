"""What a JIL scan takes: an estate of 10,000 jobs, and how its time grows with hostile files. Prints JSON.

The estate has what exports have: boxes in boxes, watchers, look-backs, passwords, comments. The growth is the time of a
hostile file of twice the length against the time of one of the length: 2 is linear, 4 is quadratic. Each figure is a
median.
"""

import argparse
import json
import time
from collections.abc import Sequence
from statistics import median

from data_platform.legacy.jil.scan import scan
from data_platform.legacy.jil.text import Source
from data_platform.legacy.scan_difference import difference

JOB = """\
/* ----------------- {name} ----------------- */

insert_job: {name}   job_type: {kind}
{box}owner: batch@ledger01
permission: gx,wx
date_conditions: 1
days_of_week: mo,tu,we,th,fr
start_times: "21:30, 22:30"
timezone: US/Eastern
{body}description: "Loads \\"{name}\\" of $$BUS_DATE"
{condition}alarm_if_fail: 1

"""
HOSTILE = {
    "keys in a line": (b"insert_job: A ", b"machine: m ", b""),
    "open quotes": (b"insert_job: A\ndescription: ", b'\\"', b""),
    "comments in a line": (b"insert_job: A\ncommand: x", b" /* a */", b""),
    "opened comments": (b"insert_job: A\n", b"machine: m /* a\n", b""),
    "stray lines": (b"insert_job: A\n", b"stray\n", b""),
    "conditions over lines": (b"insert_job: A\ncondition: s(A)", b" &\n s(A)", b""),
    "deep parentheses": (b"insert_job: A\ncondition: ", b"s(A)&(", b"s(A)"),
    "passwords": (b"insert_job: A\ncommand: ", b"-p x --password= isql -P ", b""),
}
LENGTH = 400_000  # bytes of the shorter hostile file


def estate(jobs: int) -> bytes:
    """A box in twenty, each in the one before; every job waits for up to three before it."""
    return "".join(job(number) for number in range(jobs)).encode()


def job(number: int) -> str:
    is_box = number % 20 == 0
    kind = "b" if is_box else "f" if number % 20 == 1 else "c"
    box = "" if number < 20 else f"box_name: JOB_{(number // 20 - is_box) * 20:05}\n"
    watched = f'watch_file: "/data/in/feed_{number}_$$BUS_DATE.dat"\n'
    command = f"command: isql -U batch -P Example-Pw{number} -i /sql/load_{number}.sql\nmachine: m{number % 50}\n"
    before = [f"s(JOB_{number - back:05},12.00)" for back in (1, 2, 3) if number > back]
    return JOB.format(
        name=f"JOB_{number:05}",
        kind=kind,
        box=box,
        body={"b": "", "f": watched, "c": command}[kind],
        condition=f"condition: {' & '.join(before)}\n" if before and not is_box else "",
    )


def seconds(content: bytes, runs: int) -> float:
    taken = []
    for _ in range(runs):
        begin = time.perf_counter()
        scan([Source("a.jil", content)])
        taken.append(time.perf_counter() - begin)
    return median(taken)


def growth(parts: tuple[bytes, bytes, bytes], runs: int) -> float:
    first, middle, last = parts
    count = LENGTH // len(middle)
    short, long = (seconds(first + middle * times * count + last, runs) for times in (1, 2))
    return round(long / short, 2)


def measure(jobs: int, runs: int) -> dict[str, object]:
    content = estate(jobs)
    found = scan([Source("a.jil", content)])
    begin = time.perf_counter()
    same = difference(found, found)
    compared = time.perf_counter() - begin
    return {
        "jobs": len(found.processes),
        "lines": found.coverage.lines,
        "bytes": len(content),
        "edges": len(found.edges),
        "datasets": len(found.datasets),
        "gaps": len(found.coverage.gaps),
        "scan_s": round(seconds(content, runs), 2),
        "target_s": 10,
        "difference_s": round(compared, 2),
        "difference_is_empty": same.is_empty,
        "growth": {name: growth(parts, runs) for name, parts in HOSTILE.items()},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    print(json.dumps(measure(given.jobs, given.runs), indent=2))


if __name__ == "__main__":
    main()
