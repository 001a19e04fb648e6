"""The commands. Each opens the platform, asks it one thing, and prints the answer."""

from __future__ import annotations

import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.errors import DataPlatformError, PolicyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.pipeline.platform import Platform

app = typer.Typer(
    name="data-platform",
    help="Governed datasets: run them, see which version consumers get, and why a batch was held.\n\n"
    "Exit codes: 0 done and certified, 3 held by a gate, 2 wrong use or policy, 1 error.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
quarantine_app = typer.Typer(help="Rows and batches that a gate set aside.", no_args_is_help=True)
evidence_app = typer.Typer(help="What each gate said of each batch.", no_args_is_help=True)
app.add_typer(quarantine_app, name="quarantine")
app.add_typer(evidence_app, name="evidence")

HELD, WRONG_USE, ERROR = 3, 2, 1
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]
DatasetArgument = Annotated[str | None, typer.Argument(help="A table name or ds://zone/name; all if left out.")]


@app.command()
def validate(as_json: AsJson = False, debug: DebugOption = False) -> None:  # noqa: FBT002 - typer's options
    """Read every policy file, and tell all that is wrong, each with its file and line."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        policies = platform.policies
        if as_json:
            screen.print_json(
                {"datasets": len(policies.datasets), "processes": len(policies.processes), "problems": []}
            )
        else:
            screen.out().print(
                f"{len(policies.datasets)} datasets and {len(policies.processes)} processes in "
                f"{platform.settings.policies}: no problem found"
            )


@app.command()
def run(
    select: Annotated[list[str], typer.Option("--select", "-s", help="flights, ds://…, zone:x, tag:x, *, +upstream")],
    partition: Annotated[str | None, typer.Option("--partition", "-p", help="The day, such as 2013-01-01.")] = None,
    as_json: AsJson = False,  # noqa: FBT002
    debug: DebugOption = False,  # noqa: FBT002
) -> None:
    """Run every stage of the selected datasets for one day, and certify what passes."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        from data_platform.cli.running import run_selected

        raise typer.Exit(run_selected(platform, select, partition, as_json=as_json, debug=debug))


@app.command()
def demo(
    home: Annotated[str, typer.Option(help="A folder for the demo's data; emptied first if it is a demo's.")] = ".demo",
    debug: DebugOption = False,  # noqa: FBT002
) -> None:
    """Real flights through every stage: two good days, and four that each go wrong in a way of their own."""
    with _guarded(debug=debug, as_json=False):
        from pathlib import Path

        from data_platform.cli.demonstration import demonstrate
        from data_platform.settings import read_settings

        raise typer.Exit(demonstrate(read_settings(), Path(home).absolute()))


@app.command()
def status(as_json: AsJson = False, debug: DebugOption = False) -> None:  # noqa: FBT002
    """Every dataset: what consumers see, and how the last run ended."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        rows: list[dict[str, Any]] = []
        for dataset in platform.policies.datasets:
            pointer = platform.catalog.certification(dataset.urn)
            last = next(iter(platform.catalog.runs(dataset.urn, limit=1)), None)
            rows.append(
                {
                    "dataset": dataset.urn,
                    "status": pointer.status if pointer else ("UNCERTIFIED" if dataset.stages else "EXTERNAL"),
                    "version": pointer.version if pointer else None,
                    "certified_at": pointer.certified_at if pointer else None,
                    "last_run": last.run_id if last else None,
                    "last_stage": last.stage if last else None,
                    "partition": last.partition if last else None,
                    "outcome": last.outcome if last else None,
                }
            )
        if as_json:
            screen.print_json(rows)
            return
        cells = [
            (
                r["dataset"], _word(r["status"]), _version(r["version"]), _time(r["certified_at"]),
                f"{r['last_stage']} {r['partition'] or ''} {r['outcome']}" if r["last_run"] else "never run",
            )
            for r in rows
        ]  # fmt: skip
        screen.out().print(screen.table("", ("dataset", "certified view", "version", "since (UTC)", "last run"), cells))


@app.command()
def certified(
    dataset: DatasetArgument = None,
    as_json: AsJson = False,  # noqa: FBT002
    debug: DebugOption = False,  # noqa: FBT002
) -> None:
    """The version that consumers see, and where it lies."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        if dataset is not None:
            found = [platform.certified(platform.policies.dataset(dataset).urn)]
        else:
            found = list(platform.catalog.certifications())
        if as_json:
            screen.print_json(found[0] if dataset is not None else found)
            return
        names = {d.urn: d.table for d in platform.policies.datasets}
        rows = [
            (f"gold_certified.{names.get(c.dataset_urn, '?')}", _version(c.version), _word(c.status),
             _time(c.certified_at), c.path)
            for c in found
        ]  # fmt: skip
        screen.out().print(screen.table("", ("view", "version", "status", "since (UTC)", "path"), rows))


@quarantine_app.command("list")
def quarantine_list(
    dataset: DatasetArgument = None,
    closed: Annotated[bool, typer.Option("--all", help="Also what was resolved or superseded.")] = False,  # noqa: FBT002
    as_json: AsJson = False,  # noqa: FBT002
    debug: DebugOption = False,  # noqa: FBT002
) -> None:
    """What is set aside, and why."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        found = platform.catalog.quarantine(urn, include_closed=closed)
        if as_json:
            screen.print_json(found)
            return
        rows = [
            (e.full_name, e.stage, e.partition, e.level, f"{e.rows - e.resolved_rows} of {e.rows}", e.status,
             ", ".join(list(e.signatures)[:3]) + (" …" if len(e.signatures) > 3 else ""))
            for e in found
        ]  # fmt: skip
        if not rows:
            screen.out().print("nothing is in quarantine")
            return
        columns = ("table", "stage", "partition", "level", "open rows", "status", "why")
        screen.out().print(screen.table("", columns, rows))


@quarantine_app.command("show")
def quarantine_show(
    name: Annotated[str, typer.Argument(help="A name from `quarantine list`, with or without quarantine.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows to show.")] = 10,
    as_json: AsJson = False,  # noqa: FBT002
    debug: DebugOption = False,  # noqa: FBT002
) -> None:
    """The rows of one quarantine table. Read without Spark; personal values were taken out before they came here."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        entry = platform.catalog.quarantine_entry(name.removeprefix("quarantine."))
        if entry is None:
            raise UsageError(f"there is no quarantine table {name}: see `data-platform quarantine list --all`")
        from deltalake import DeltaTable

        rows = DeltaTable(entry.path).to_pyarrow_dataset().head(limit).to_pylist()
        if as_json:
            screen.print_json({"entry": entry, "rows": rows})
            return
        shown = screen.out()
        shown.print(f"[bold]{entry.full_name}[/bold]: {entry.rows} rows of {entry.dataset_urn} {entry.partition or ''}, "
                    f"set aside at {entry.stage} by {entry.run_id}")  # fmt: skip
        shown.print(screen.table("", ("signature", "rows"), [(s, n) for s, n in entry.signatures.items()]))
        for row in rows:
            shown.print("")
            for column, value in row.items():
                if value is not None and value != []:
                    shown.print(f"  {column}: {value}", markup=False)


@evidence_app.command("list")
def evidence_list(
    dataset: DatasetArgument = None,
    run_id: Annotated[str | None, typer.Option("--run", help="Of one run.")] = None,
    gate: Annotated[str | None, typer.Option(help="Of one gate, such as G4_CONTRACT.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only what did not pass.")] = False,  # noqa: FBT002
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    as_json: AsJson = False,  # noqa: FBT002
    debug: DebugOption = False,  # noqa: FBT002
) -> None:
    """What the gates said, the newest first."""
    with _guarded(debug=debug, as_json=as_json), _platform() as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        result = "FAIL" if failed else None
        found = platform.catalog.evidence(urn, run_id=run_id, gate=gate, result=result, limit=limit)
        if as_json:
            screen.print_json([item.payload() for item in found])
            return
        rows = [
            (_time(e.timestamp), e.dataset_urn, e.stage, e.partition, e.gate, e.result, e.failure_signature)
            for e in found
        ]
        columns = ("when (UTC)", "dataset", "stage", "partition", "gate", "result", "signature")
        screen.out().print(screen.table("", columns, rows))


@contextmanager
def _platform() -> Iterator[Platform]:
    from data_platform.pipeline.platform import Platform
    from data_platform.settings import read_settings

    platform = Platform(read_settings())
    try:
        yield platform
    finally:
        platform.close()


@contextmanager
def _guarded(*, debug: bool, as_json: bool) -> Iterator[None]:
    """Every error in words, with the exit code that tells its kind; a stack trace only if it was asked for."""
    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except DataPlatformError as error:
        code = WRONG_USE if isinstance(error, UsageError | PolicyError) else ERROR
        _tell(error, str(error), code, debug=debug, as_json=as_json)
    except KeyboardInterrupt:
        screen.err().print("stopped; what was not judged is taken back by the next run")
        raise typer.Exit(130) from None
    except Exception as error:  # the last line of defence of a command: told, never swallowed
        text = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        _tell(error, f"unexpected: {text} (use --debug to see where)", ERROR, debug=debug, as_json=as_json)


def _tell(error: Exception, text: str, code: int, *, debug: bool, as_json: bool) -> None:
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    if as_json:
        document: dict[str, Any] = {"error": text, "exit_code": code}
        if isinstance(error, PolicyError):
            document["problems"] = list(error.problems)
        screen.print_json(document)
    else:
        screen.err().print(f"error: {text}", markup=False)
    raise typer.Exit(code) from None


def _word(status: Any) -> str:
    colour = {"CERTIFIED": "green", "HELD_AT_PREVIOUS": "yellow", "UNCERTIFIED": "red"}.get(str(status), "default")
    return f"[{colour}]{status}[/{colour}]"


def _version(version: int | None) -> str:
    return "" if version is None else f"v{version}"


def _time(moment: Any) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"
