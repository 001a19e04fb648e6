"""``data-platform faultlab``: made-up faults with known causes, to try this platform and other tools with. No Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.faultlab.score import Score

app = typer.Typer(no_args_is_help=True, help="Try faults with known causes on made-up estates, and score the answers.")

Seeds = Annotated[str, typer.Option("--seeds", metavar="A-B", help="The numbers of the estates, such as 1000-1005.")]
Datasets = Annotated[int, typer.Option("--datasets", min=3, max=200, help="So many datasets in each estate.")]
File = Annotated[Path, typer.Argument(exists=True, dir_okay=False)]
Wrong = Annotated[bool, typer.Option("--wrong", help="Also list the answers that were wrong.")]


@app.command()
def run(
    *,
    seeds: Seeds = "1000",
    datasets: Datasets = 24,
    fault: Annotated[str | None, typer.Option("--fault", help="Only this fault, such as crashed.")] = None,
    wrong: Wrong = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Draw estates with each fault, ask this platform for incidents and causes, and print how often it is right.

    An estate of 24 datasets takes half a minute. Nothing of your catalog is read.

    Examples:

    data-platform faultlab run --seeds 3000-3003 --datasets 24
    """
    with guarded(as_json=as_json, debug=debug):
        import tempfile

        from data_platform.faultlab.fault import FAULTS
        from data_platform.faultlab.run import run_lab

        names = [one.__name__ for one in FAULTS]
        if fault is not None and fault not in names:
            raise UsageError(f"there is no fault {fault!r}; expected one of {', '.join(names)}")
        report = screen.err().print
        with tempfile.TemporaryDirectory() as folder:
            found = run_lab(_numbers(seeds), datasets, Path(folder), only=fault, report=report)
        _print(found, as_json=as_json, wrong=wrong, seeds=seeds, datasets=datasets)


@app.command()
def write(
    folder: Annotated[Path, typer.Argument(help="Where the files go.")],
    *,
    seeds: Seeds = "1000",
    datasets: Datasets = 24,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write the same cases as JSON lines: graphs, events, evidence, and apart from them the truth.

    Give a tool the first three files, and compare its answers with the fourth: data-platform faultlab score.

    Examples:

    data-platform faultlab write cases --seeds 1000-1003
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.faultlab.file import write_cases

        counts = write_cases(_numbers(seeds), datasets, folder)
        if as_json:
            screen.print_json(counts)
        else:
            screen.print_table(screen.out(), ("file", "lines"), [(f"{name}.jsonl", n) for name, n in counts.items()])


@app.command()
def score(truth: File, answers: File, *, wrong: Wrong = False, as_json: AsJson = False, debug: Debug = False) -> None:
    """Compare the answers of a tool with the truth of the cases. Exit code 2 if an answer is of no such case.

    Examples:

    data-platform faultlab score cases/truth.jsonl answers.jsonl --json
    """
    with guarded(as_json=as_json, debug=debug):
        from data_platform.faultlab.score import score as compared

        truths = {line["case"]: line for line in _lines(truth)}
        given = list(_lines(answers))
        if unknown := sorted({str(one.get("case")) for one in given} - truths.keys()):
            raise UsageError(f"{answers} has an answer to the case {unknown[0]!r}, which {truth} does not have")
        _print(compared(truths, given), as_json=as_json, wrong=wrong)


def _print(found: Score, *, as_json: bool, wrong: bool, **about: object) -> None:
    from data_platform.faultlab.score import figures

    document = {**about, **figures(found), **({"wrong": found.wrong} if wrong else {})}
    if as_json:
        screen.print_json(document)
        return
    rows = [
        (name, f"{one['right']} of {one['of']}", f"{one['share']:.2%}")
        for name, one in document.items()
        if _is_share(one)
    ]
    screen.print_table(screen.out(), ("measured", "right", "share"), rows)
    for line in found.wrong if wrong else ():
        screen.out().print(line, markup=False, soft_wrap=True)


def _is_share(value: object) -> bool:
    return isinstance(value, dict) and "share" in value


def _numbers(text: str) -> range:
    first, _, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise UsageError(f"{text!r} are no seeds; expected a number or a range, such as 1000-1005")
    return range(int(first), int(last or first) + 1)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict) or "case" not in found:
            raise UsageError(f"{file}:{number} is no JSON object with a case; expected one in each line")
        yield found
