"""``data-platform evidence show``, ``verify``, ``checkpoint`` and ``rekey``: proofs about the log of evidence."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.guard import ERROR, AsJson, DatasetName, Debug, opened
from data_platform.errors import EnvironmentProblem, NotFoundError, UsageError
from data_platform.model.evidence_chain import Checkpoint
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.evidence_break import Break, Verification
    from data_platform.model.evidence_chain import EvidenceRecord


def show(
    evidence_id: Annotated[str, typer.Argument(metavar="ID", help="An evidence_id of `evidence list --json`.")],
    *,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show one record with its place in the chain of its dataset, and whether its MAC matches its content."""
    with opened(as_json=as_json, debug=debug) as platform:
        record = platform.catalog.evidence.record(evidence_id)
        if record is None:
            raise NotFoundError(f"there is no evidence {evidence_id}: see `data-platform evidence list --json`")
        document = _document(record, is_sealed=platform.catalog.evidence.is_sealed(record))
        if as_json:
            screen.print_json(document)
            return
        for name, value in document.items():
            if value is not None:
                screen.out().print(f"{name:<27}{screen.visible(str(value))}", markup=False, soft_wrap=True)


def _document(record: EvidenceRecord, *, is_sealed: bool | None) -> dict[str, Any]:
    place = {name: getattr(record.evidence, name) for name in ("stage", "partition", "enforcement", "waivers")}
    link = {name: getattr(record, name) for name in ("position", "previous_mac", "mac", "key_id")}
    return {"evidence_id": record.evidence_id, **record.evidence.payload(), **place, **link, "mac_matches": is_sealed}


def verify(
    dataset: DatasetName = None,
    *,
    anchor: Annotated[
        Path | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint that was kept outside the catalog."),
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Check that nobody changed, reordered, inserted or removed a record. Exit code 1 if somebody did.

    Only a checkpoint that was kept elsewhere proves that nobody who has the key has written the log anew.

    Examples:

    data-platform evidence verify

    data-platform evidence verify orders --checkpoint /mnt/audit/2026-02-15.json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        anchored = _read(anchor) if anchor is not None else None
        result = platform.catalog.evidence.verify(urn, anchored=anchored)
        if as_json:
            screen.print_json({"whole": result.is_whole, **asdict(result)})
        else:
            _print(result)
        raise typer.Exit(0 if result.is_whole else ERROR)


def _read(file: Path) -> Checkpoint:
    try:
        return Checkpoint.from_document(json.loads(file.read_text()))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"{file} is not a checkpoint: `data-platform evidence checkpoint` makes one") from None


def _print(result: Verification) -> None:
    for found in result.breaks:
        screen.err().print(f"{found.kind}: {_line(found)}", markup=False, soft_wrap=True, style="red")
    against = f", and the checkpoint of {result.anchored}" if result.anchored else ""
    counts = f"{number_of(result.records, 'record')} in {number_of(result.chains, 'chain')}"
    checkpoints = number_of(result.checkpoints, "stored checkpoint")
    state = "whole" if result.is_whole else number_of(len(result.breaks), "break")
    screen.out().print(f"{state}: {counts}, {checkpoints}{against}", markup=False, soft_wrap=True)
    if result.unchained:
        sealed = "sealed as a whole by the first checkpoint"
        unsealed = "not sealed yet: `data-platform evidence checkpoint` does it"
        older = number_of(result.unchained, "record is older than the chains", "records are older than the chains")
        screen.out().print(f"{older}: {sealed if result.checkpoints else unsealed}", markup=False, soft_wrap=True)
    if result.unverifiable:
        records = number_of(result.unverifiable, "record was sealed", "records were sealed")
        screen.out().print(f"{records} with a key that is lost: only the order was checked", soft_wrap=True)


def _line(found: Break) -> str:
    record = f"evidence {found.evidence_id} of run {found.run_id}" if found.evidence_id else ""
    position = f"position {found.position}" if found.position else ""
    place = ", ".join(part for part in (found.dataset_urn, position, record) if part)
    return f"{place}: {found.detail}" if place else found.detail


def checkpoint(
    *,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write it to a new file instead of the screen.")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Make a checkpoint: a small JSON document of the heads of all chains. Keep it outside the catalog.

    Examples:

    data-platform evidence checkpoint --output /mnt/audit/2026-02-15.json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        if output is not None and output.exists():
            raise UsageError(f"{output} exists, and a checkpoint is never overwritten: name another file")
        made = platform.catalog.evidence.make_checkpoint(now=platform.now())
        if output is not None:
            _write(made, output)
        if output is None or as_json:
            screen.print_json(made.document())
            return
        records = number_of(made.records, "record")
        line = f"checkpoint {made.number} of {records} is in {output}: keep it outside this machine"
        screen.out().print(line, markup=False, soft_wrap=True)


def _write(made: Checkpoint, output: Path) -> None:
    try:
        with output.open("x") as target:
            json.dump(made.document(), target, indent=1)
    except OSError as error:
        raise EnvironmentProblem(f"{output} cannot be written: {error.strerror}") from None


def rekey(
    *,
    lost: Annotated[
        bool, typer.Option("--lost", help="Give up the keys that are not there: their records are never verified.")
    ] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Seal new evidence with a new key. The present key is kept beside it, and verifies what it sealed."""
    with opened(as_json=as_json, debug=debug) as platform:
        document = _give_up(platform) if lost else _replace(platform)
        if as_json:
            screen.print_json(document)
            return
        for key_id in document["lost"]:
            screen.out().print(f"key {key_id} was given up: what it sealed cannot be verified", markup=False)
        line = f"new evidence is sealed with key {document['key_id']} in {platform.settings.evidence_key}: back it up"
        screen.out().print(line, markup=False, soft_wrap=True)


def _replace(platform: Platform) -> dict[str, Any]:
    return {"key_id": EvidenceKeys(platform.settings.evidence_key).replace().id, "lost": []}


def _give_up(platform: Platform) -> dict[str, Any]:
    lost, made = platform.catalog.evidence.reseal_after_loss(now=platform.now())
    if made is None:
        raise UsageError("no key is lost: every key that sealed a head of the evidence log is there")
    return {"key_id": made.key_id, "lost": lost}
