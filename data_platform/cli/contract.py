"""``data-platform contract import`` and ``export``: Open Data Contracts from and to the policies of a dataset."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, guarded, opened
from data_platform.errors import UsageError

app = typer.Typer(help="Open Data Contracts.", no_args_is_help=True)


@app.callback()
def contracts() -> None:
    """Open Data Contracts."""


@app.command(name="import")
def import_contract(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An ODCS contract, version 3.0 to 3.2.")],
    *,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="The table, if the contract has several.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the bundle to this new file.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Convert an Open Data Contract to a policy bundle; what no gate can check is listed and never counts as passed."""
    with guarded(as_json=as_json, debug=debug):
        import yaml

        from data_platform.policies.odcs.reader import read_odcs

        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
            ) from None
        imported = read_odcs(text, str(file), table=table)
        bundle: dict[str, Any] = imported.bundle.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        if as_json:
            screen.print_json({"table": imported.name, "bundle": bundle, "not_executable": imported.not_executable})
        written = yaml.safe_dump(bundle, sort_keys=False, allow_unicode=True)
        if output is not None:
            _write_new(output, written)
        elif not as_json:
            screen.out().print(written.rstrip(), markup=False, soft_wrap=True)
        for rule in imported.not_executable:
            screen.err().print(f"not executable: {rule}", markup=False, soft_wrap=True)


@app.command(name="export")
def export_contract(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A name, zone/name or ds://zone/name.")],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the contract to this new file.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write a dataset's columns, rules, references, owner and service level as an Open Data Contract, ODCS 3.2.

    Import reads the contract back as the same policy bundle.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        import yaml

        from data_platform.policies.odcs.writer import contract_document

        document = contract_document(platform.policies.dataset(dataset))
        written = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
        if output is not None:
            _write_new(output, written)
        if as_json:
            screen.print_json(document)
        elif output is None:
            screen.out().print(written.rstrip(), markup=False, soft_wrap=True)


def _write_new(output: Path, text: str) -> None:
    try:
        with output.open("x", encoding="utf-8") as new:
            new.write(text)
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}; name a new file") from None
