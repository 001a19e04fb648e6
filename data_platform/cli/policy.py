"""``data-platform policy …``: reviewed edits of policy files that follow from what was delivered."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.actor import By, actor
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.errors import UsageError
from data_platform.model.number_text import number_of
from data_platform.model.schema_change import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.model.enum_domain import LearnedDomains
    from data_platform.model.schema_change import SchemaChange
    from data_platform.policies import Dataset
    from data_platform.policies.drift_edit import DriftEdit
    from data_platform.policies.policy_file import PolicyFiles
    from data_platform.stage.recorded_drift import RecordedDrift

app = typer.Typer(help="Edit policy files by what was delivered, for review.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="DATASET", help="A name, zone/name or ds://zone/name.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the edit and write nothing.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write the edited files to this folder instead.")
]
_OTHER = "no change of columns is on record for it: have the delivery corrected, or run the day again"


@app.callback()
def policies() -> None:
    """Edit policy files by what was delivered, for review."""


@app.command()
def submit(dataset: Name, *, by: By = None, as_json: AsJson = False, debug: Debug = False) -> None:
    """Request the approval of an onboarded dataset's policy as its files are now.

    Nothing of the dataset runs with the edited policy before somebody else has approved it.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.onboarding.submission import submit_edit

        entry = submit_edit(platform, platform.policies.dataset(dataset), actor(by))
        if as_json:
            screen.print_json(entry)
            return
        line = (
            f"registration {entry.id} waits: somebody else approves it with `data-platform catalog approve {entry.id}`"
        )
        screen.out().print(line, markup=False, soft_wrap=True)


@app.command("accept-drift")
def accept_drift(
    dataset: Name,
    *,
    from_run: Annotated[
        str | None, typer.Option("--from-run", metavar="RUN", help="The drift of this run; the newest by default.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="SIGNATURE", help="Repeatable; all by default.")
    ] = None,
    dry_run: DryRun = False,
    output: Output = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Accept the last drift of a dataset: edit its policy files so that the next run of the day passes.

    Comments and layout stay. The edit is validated with all policies before it is written. A suggested rename is taken:
    the rules of the column go with it. --only with the removal and the addition takes them as two columns.

    data-platform policy accept-drift orders --dry-run

    data-platform policy accept-drift orders --only SCHEMA_DRIFT:note:ADDED
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.policies.policy_file import BASELINE, BUNDLE, read_files
        from data_platform.stage.recorded_drift import find_drift

        declared = platform.policies.dataset(dataset)
        drift = find_drift(platform, declared, from_run)
        files = read_files(platform.settings.policies, declared.id)
        edit = _edited(platform, declared, files, drift, only or [])
        new = {BUNDLE: edit.bundle_text} | ({BASELINE: edit.baseline_text} if edit.baseline_text else {})
        refused = edit.refused | ({} if only else dict.fromkeys(drift.others, _OTHER))
        changed = {name: text for name, text in new.items() if text != files.text(name)}
        if not changed:
            raise UsageError(_nothing(drift, edit, refused))
        written = finish(files, changed, dry_run=dry_run, output=output)
        run = {"run_id": drift.run_id, "partition": drift.partition}
        report = {"dataset": declared.urn, **run, "accepted": edit.accepted, "refused": refused}
        show(files, changed, report, written, as_json=as_json)


def _edited(
    platform: Platform, dataset: Dataset, files: PolicyFiles, drift: RecordedDrift, only: Sequence[str]
) -> DriftEdit:
    from data_platform.policies.drift_edit import PolicyTexts, edited
    from data_platform.policies.policy_file import BASELINE, BUNDLE
    from data_platform.stage.recorded_drift import has_rows

    texts = PolicyTexts(
        bundle_text=files.text(BUNDLE) or "",
        bundle=files.bundle(),
        baseline_text=files.text(BASELINE),
        baseline=files.baseline(),
        has_rows=has_rows(platform, dataset),
        at_gold=drift.at_gold,
    )
    return edited(texts, _selected(drift, only))


@app.command("learn-enums")
def learn_enums(
    dataset: Name,
    *,
    dry_run: DryRun = False,
    output: Output = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Learn which columns hold codes, and which codes, from the certified version; DQ then warns of a new code.

    It writes enum_domains of baseline.json. A column is left out if a PII rule searches it, if its name is about
    people, or if its values are not codes such as FLASH_SALE. Review the values before you commit the file.

    Examples:

    data-platform policy learn-enums orders --dry-run
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.policies.baseline_edit import with_domains
        from data_platform.policies.policy_file import BASELINE, read_files
        from data_platform.stage.learned_enum import learn_from_certified

        declared = platform.policies.dataset(dataset)
        files = read_files(platform.settings.policies, declared.id)
        learned = learn_from_certified(platform, declared)
        text = with_domains(files.text(BASELINE), files.baseline(), learned.domains)
        if not learned.domains or text == files.text(BASELINE):
            raise UsageError(_nothing_learned(declared.urn, learned))
        written = finish(files, {BASELINE: text}, dry_run=dry_run, output=output)
        accepted = [f"{column}: {number_of(len(values), 'value')}" for column, values in learned.domains.items()]
        report = {"dataset": declared.urn, "accepted": accepted, "refused": learned.skipped}
        show(files, {BASELINE: text}, report, written, as_json=as_json)


def _nothing_learned(urn: str, learned: LearnedDomains) -> str:
    if learned.domains:
        return f"{urn}: baseline.json has every code of the certified version already"
    reasons = [f"{column}: {why}" for column, why in learned.skipped.items()]
    return f"{urn}: no column of codes was found: {'; '.join(reasons) or 'it has no text columns'}"


def _selected(drift: RecordedDrift, only: Sequence[str]) -> list[SchemaChange]:
    """Raises: UsageError, if a signature is not one of the drift's."""
    by_signature = {change.signature: change for change in drift.changes}
    if unknown := [signature for signature in only if signature not in by_signature]:
        known = ", ".join(by_signature) or "none"
        raise UsageError(f"{drift.run_id} has no drift {', '.join(unknown)}; it has: {known}")
    if not only:
        return list(drift.changes)
    wanted = {signature: by_signature[signature] for signature in only}
    renames = [c for c in wanted.values() if c.kind is ChangeKind.RENAMED]
    for change in drift.changes:  # a rename explains two facts, which it includes
        names = {change.column} & {name for rename in renames for name in (rename.column, rename.after)}
        if names and change.kind in (ChangeKind.REMOVED, ChangeKind.ADDED):
            wanted.setdefault(change.signature, change)
    return list(wanted.values())


def _nothing(drift: RecordedDrift, edit: DriftEdit, refused: dict[str, str]) -> str:
    reasons = [f"{signature}: {why}" for signature, why in refused.items()]
    reasons += [f"{signature}: the policy has it already" for signature in edit.accepted]
    return f"nothing of the drift of {drift.run_id} can be written: {'; '.join(reasons)}"


def finish(files: PolicyFiles, changed: dict[str, str], *, dry_run: bool, output: Path | None) -> list[str]:
    """Validates the edit, and writes it unless it is a dry run. Returns the paths that were written.

    Raises:
        PolicyError: The edited policies have problems. UsageError: A file cannot be written, or was edited meanwhile.
    """
    from data_platform.policies.policy_file import require_valid, write_files

    require_valid(files, changed)
    if dry_run:
        return []
    if output is None:
        return [str(path) for path in write_files(files, changed)]
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, text in changed.items():
            with (output / name).open("x", encoding="utf-8", newline="") as file:
                file.write(text)
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror}; name a new folder") from None
    return [str(output / name) for name in changed]


def show(
    files: PolicyFiles, changed: dict[str, str], report: dict[str, Any], written: list[str], *, as_json: bool
) -> None:
    """Prints what was accepted, what was not and why, and the difference of each file."""
    diffs = {name: _diff(files.text(name) or "", text, name) for name, text in changed.items()}
    if as_json:
        screen.print_json({**report, "files": diffs, "written": written})
        return
    if "run_id" in report:
        of_run = f"{report['dataset']} {report['partition'] or ''}".rstrip()
        screen.out().print(f"drift of {of_run}, recorded by {report['run_id']}\n", markup=False)
    rows = [(signature, "accepted") for signature in report["accepted"]]
    rows += [(signature, f"not accepted: {why}") for signature, why in report["refused"].items()]
    screen.print_table(screen.out(), ("what", "result"), rows)
    for text in diffs.values():
        screen.out().print(f"\n{text.rstrip()}", markup=False, soft_wrap=True)
    end = f"written: {', '.join(written)}" if written else "nothing was written: this is a dry run"
    screen.out().print(f"\n{end}", markup=False, soft_wrap=True)


def _diff(before: str, after: str, name: str) -> str:
    lines = unified_diff(before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return "\n".join(lines)
