"""``data-platform evidence …``: the recorded result of each gate for each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from data_platform.cli import screen
from data_platform.cli.evidence_chain import checkpoint, rekey, show, verify
from data_platform.cli.evidence_relay import relay
from data_platform.cli.guard import AsJson, DatasetName, Debug, Partition, opened, parse_partition
from data_platform.cli.status import time
from data_platform.model.dataset import Stage
from data_platform.model.run import ENFORCEMENT
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.catalog import Catalog
    from data_platform.model.evidence import Evidence
    from data_platform.model.verdict import Verdict

app = typer.Typer(help="Recorded results of the gates, and proofs that nobody changed them.", no_args_is_help=True)
app.command()(show)
app.command()(verify)
app.command()(checkpoint)
app.command()(rekey)
app.command()(relay)


@app.command("list")
def list_(
    dataset: DatasetName = None,
    *,
    run_id: Annotated[str | None, typer.Option("--run", help="Only this run.")] = None,
    gate: Annotated[Gate | None, typer.Option(help="Only this gate.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only failures.")] = False,
    partition: Partition = None,
    stage: Annotated[Stage | None, typer.Option(help="Only this stage.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Lines to show.")] = 50,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List the results of the gates, newest first."""
    with opened(as_json=as_json, debug=debug) as platform:
        urn = platform.policies.dataset(dataset).urn if dataset else None
        result = "FAIL" if failed else None
        records = platform.catalog.evidence.find(
            urn,
            run_id=run_id,
            gate=gate.value if gate else None,
            result=result,
            partition=parse_partition(partition),
            stage=stage.value if stage else None,
            limit=limit,
        )
        why = _reasons(platform.catalog, records)
        if as_json:
            modes = _modes(platform.catalog, records)
            screen.print_json([_document(*one) for one in zip(records, why, modes, strict=True)])
            return
        rows = [
            (time(e.timestamp), e.dataset_urn, e.stage, e.partition, e.gate, e.result, e.failure_signature, reason)
            for e, reason in zip(records, why, strict=True)
        ]
        columns = ("when (UTC)", "dataset", "stage", "partition", "gate", "result", "signature", "why")
        screen.print_table(screen.out(), columns, rows, empty="no evidence matches")


def _document(item: Evidence, reason: str, mode: str) -> dict[str, Any]:
    place = {"stage": item.stage, "partition": item.partition, "evidence_id": item.evidence_id}
    return item.payload() | {"reason": reason, "enforcement": mode, "waivers": item.waivers} | place


def _modes(catalog: Catalog, records: Sequence[Evidence]) -> list[str]:
    """The enforcement mode of each record, of an older record that of its run; empty if neither has one."""
    older = {(item.run_id, item.dataset_urn, item.stage) for item in records if item.enforcement is None and item.stage}
    runs = {key: run for key in older if (run := catalog.runs.get(*key[:2], Stage(key[2]))) is not None}
    of_runs = {key: str(run.metadata.get(ENFORCEMENT, "")) for key, run in runs.items()}
    return [item.enforcement or of_runs.get((item.run_id, item.dataset_urn, item.stage), "") for item in records]


def _reasons(catalog: Catalog, records: Sequence[Evidence]) -> list[str]:
    """The reason of each failure, with the number of rows; empty for a pass."""
    verdicts: dict[tuple[str, str, str], tuple[Verdict, ...]] = {}
    reasons = []
    for item in records:
        if item.result != "FAIL" or not item.stage:
            reasons.append("")
            continue
        key = (item.run_id, item.dataset_urn, item.stage)
        if key not in verdicts:
            verdicts[key] = catalog.runs.verdicts(item.run_id, item.dataset_urn, Stage(item.stage))
        reasons.append(_reason(verdicts[key], item))
    return reasons


def _reason(verdicts: Sequence[Verdict], item: Evidence) -> str:
    for verdict in (verdict for verdict in verdicts if verdict.gate == item.gate):
        for result in verdict.results:
            if result.signature == item.failure_signature and result.outcome is not Outcome.PASSED:
                return result.line.removeprefix(result.signature).removeprefix(": ") or verdict.reason
        return verdict.reason
    return ""
