"""``python -m data_platform_tests.faultlab``: run the lab, write it for other tools, or score their answers.

run    draws estates with each fault, asks the platform, and prints the figures as JSON
write  writes the same cases as JSON lines: graphs, records, evidence and truth, each case under its name
score  compares answers (JSON lines as ``score.py`` describes) with the truth
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data_platform_tests.faultlab.score import figures, score


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m data_platform_tests.faultlab", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("command", choices=["run", "write", "score"])
    parser.add_argument("--seeds", default="1000-1005", help="the numbers of the estates, such as 1000-1005")
    parser.add_argument("--datasets", type=int, default=60, help="datasets of an estate, at most 200")
    parser.add_argument("--fault", help="only this fault")
    parser.add_argument("--folder", type=Path, default=Path("faultlab"), help="for write: where the files go")
    parser.add_argument("--truth", type=Path, help="for score: truth.jsonl")
    parser.add_argument("--answers", type=Path, help="for score: the answers")
    parser.add_argument("--wrong", action="store_true", help="also print what was answered wrong")
    options = parser.parse_args()
    if options.command == "score":
        truths = {line["case"]: line for line in _lines(options.truth)}
        found = score(truths, _lines(options.answers))
    elif options.command == "write":
        from data_platform_tests.faultlab.file import write_cases

        print(json.dumps(write_cases(_numbers(options.seeds), options.datasets, options.folder)))
        return
    else:
        from data_platform_tests.faultlab.run import run_lab

        with tempfile.TemporaryDirectory() as folder:
            found = run_lab(_numbers(options.seeds), options.datasets, Path(folder), only=options.fault)
    print(
        json.dumps({"lab": "faults", "seeds": options.seeds, "datasets": options.datasets, **figures(found)}, indent=2)
    )
    if options.wrong:
        print("\n".join(found.wrong))


def _numbers(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main()
