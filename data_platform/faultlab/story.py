"""The records of an estate, as plain documents in the order of time: what each component would have written.

The kinds are ``stage`` (a judged stage), ``event`` (an OpenLineage event), ``deployment``, ``intent`` and ``lease`` (a
stage that writes now), and ``marker`` (a completion marker that is watched). None of them knows of a fault.
"""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any

from data_platform.faultlab.estate import COLUMNS, Estate, Node
from data_platform.faultlab.plan import FIRST_CODE, Day, Plan
from data_platform.model.internal import JOBS
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run_identity import parent_of, run_uuid

Record = dict[str, Any]
STAGES = {"landed": ("bronze", "silver", "gold", "gold_certified"), "derived": ("silver", "gold", "gold_certified")}
_STAGE_TAKES = timedelta(minutes=3)
_GOOD = Plan()


def history(estate: Estate) -> list[Record]:
    """The good days before the examined one."""
    return _in_order(
        record for day in estate.days for node in estate.nodes for record in _node_records(estate, node, day, _GOOD)
    )


def examined_day(rng: Random, day: Day, until: datetime) -> list[Record]:
    """What the plans of the day lead to, until the last look."""
    estate, waiting = day.estate, day.waiting()
    records: list[Record] = []
    for node in estate.nodes:
        if node.urn not in waiting:
            plan = day.plans.get(node.urn, _GOOD)
            records += _node_records(estate, node, estate.day, plan, until, code=day.code_of(node))
    for urn, back in day.backfills:
        records += _node_records(
            estate, estate.by_urn[urn], estate.day.shifted(-back), _GOOD, until, later=timedelta(days=back, hours=2)
        )
    if day.held_again:
        node, again = estate.by_urn[day.held_again], Plan(does="hold", signatures=("INVARIANT:c0:positive",))
        records += _node_records(estate, node, estate.day, again, until, later=timedelta(hours=5))
    for one in day.deployments:
        zone = timezone(timedelta(hours=rng.choice([-8, -5, 0, 1, 9])))
        records.append(
            {"at": _text(one.at), "kind": "deployment", "deploy_ref": one.deploy_ref, "target": one.target,
             "deployed_at": one.at.astimezone(zone).isoformat()}
        )  # fmt: skip
    return _in_order(record for record in records if record["at"] <= _text(until))


def _in_order(records: Any) -> list[Record]:
    return sorted(records, key=lambda record: record["at"])


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _node_records(
    estate: Estate,
    node: Node,
    day: PartitionKey,
    plan: Plan,
    until: datetime | None = None,
    *,
    later: timedelta = timedelta(),
    code: str = FIRST_CODE,
) -> Iterator[Record]:
    at = estate.began(node, day) + later
    if plan.waits_for:
        yield {"at": _text(at), "kind": "marker", "dataset": node.urn, "partition": day, "waits_for": plan.waits_for}
    if plan.does == "nothing":
        return
    if plan.does == "repeat":
        yield from _node_records(estate, node, day.previous, _GOOD, until, later=timedelta(days=1), code=code)
    elif node.kind == "external":
        yield from _external(node, day, plan, at, code if node.names_its_code else "")
    else:
        yield from _run(estate, node, day, plan, at, until)


def _external(node: Node, day: PartitionKey, plan: Plan, at: datetime, code: str) -> Iterator[Record]:
    """A wrapped job of another scheduler: its start, and its end with the version that it wrote."""
    run = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{node.urn} {day} {at}"))
    facets: Record = {"nominalTime": {"nominalStartTime": day.nominal_start}}
    if code:
        facets["tags"] = {"tags": [{"key": "deploy_ref", "value": code}]}
    yield _event("START", at, run, node.process, facets)
    if plan.does == "hang":
        return
    end = at + timedelta(minutes=9)
    if plan.does == "crash":
        yield _event("FAIL", end, run, node.process, {**facets, "errorMessage": {"message": plan.error}})
        return
    output = {
        **_dataset(node.urn, version=f"{day}/{run[:8]}", schema=_schema(plan)),
        "outputFacets": {"outputStatistics": {"rowCount": plan.rows}},
    }
    yield _event("COMPLETE", end, run, node.process, facets, outputs=[output])


def _run(
    estate: Estate, node: Node, day: PartitionKey, plan: Plan, at: datetime, until: datetime | None
) -> Iterator[Record]:
    """A run of the platform, stage by stage until one is held, dies or stops."""
    run_id = f"run_{at:%Y%m%d}_{uuid.uuid5(uuid.NAMESPACE_URL, f'{node.urn} {day} {at}').hex[:12]}"
    for place, stage in enumerate(STAGES[node.kind]):
        began, ended = at + place * _STAGE_TAKES, at + (place + 1) * _STAGE_TAKES
        if plan.does in ("hang", "die") and stage == _stopping(node, plan):
            yield from _writing(node, day, run_id, stage, began, until if plan.does == "hang" else None)
            return
        if plan.does == "crash" and stage == _stopping(node, plan):
            yield _stage_event("FAIL", ended, node, day, run_id, stage, error=plan.error)
            return
        is_held = plan.does == "hold" and stage == _stopping(node, plan)
        yield _judged(estate, node, day, plan, run_id, stage, began, ended, is_held=is_held)
        yield _stage_event("START", began, node, day, run_id, stage)
        if is_held:
            yield _stage_event("FAIL", ended, node, day, run_id, stage, error=f"held: {', '.join(plan.signatures)}")
            return
        yield _stage_event("COMPLETE", ended, node, day, run_id, stage, plan=plan)
        if plan.does == "stop" and stage == _stopping(node, plan):
            return


def _stopping(node: Node, plan: Plan) -> str:
    return plan.stage if plan.stage in STAGES[node.kind] else "silver"


def _writing(
    node: Node, day: PartitionKey, run_id: str, stage: str, began: datetime, until: datetime | None
) -> Iterator[Record]:
    """A stage that has begun to write; its lease is renewed until the last look, or never again."""
    own = {"at": _text(began), "dataset": node.urn, "run_id": run_id}
    yield {**own, "kind": "intent", "stage": stage, "partition": day}
    yield {**own, "kind": "lease", "until": _text((until or began) + timedelta(minutes=2))}


def _judged(
    estate: Estate, node: Node, day: PartitionKey, plan: Plan, run_id: str, stage: str, began: datetime,
    ended: datetime, *, is_held: bool,
) -> Record:  # fmt: skip
    version = 500 + estate.days[0].steps_to(day)
    first = stage == STAGES[node.kind][0]
    delivered = day.previous if plan.delivered_again else day
    return {
        "at": _text(ended), "kind": "stage", "run_id": run_id, "dataset": node.urn, "stage": stage, "partition": day,
        "started_at": _text(began), "finished_at": _text(ended), "version": None if is_held else version,
        "rows": plan.rows, "schema": _schema(plan),
        "delivery": f"{node.name} {delivered}" if node.kind == "landed" else "",
        "policy": plan.policy, "judged_under": plan.judged_under,
        "inputs": dict.fromkeys(_platform_inputs(estate, node), version) if first else {},
        "gate": plan.gate if is_held else None, "errored": plan.errored and is_held,
        "signatures": list(plan.signatures) if is_held else [],
        "warnings": list(plan.warnings) if stage == "silver" else [],
    }  # fmt: skip


def _platform_inputs(estate: Estate, node: Node) -> list[str]:
    return [urn for urn in node.inputs if estate.by_urn[urn].kind != "external"]


def _schema(plan: Plan) -> list[list[str]]:
    columns = [[name, "string" if name == plan.retyped else "int"] for name in COLUMNS]
    return [["day", "date"], *columns, *([[plan.added, "string"]] if plan.added else [])]


def _stage_event(
    kind: str, at: datetime, node: Node, day: PartitionKey, run_id: str, stage: str, *, error: str = "",
    plan: Plan = _GOOD,
) -> Record:  # fmt: skip
    stages = STAGES[node.kind]
    is_first = stage == stages[0]
    facets: Record = {
        "parent": {"run": {"runId": parent_of(run_id)}, "job": {"namespace": JOBS, "name": "run"}},
        "nominalTime": {"nominalStartTime": day.nominal_start},
    }
    if error:
        facets["errorMessage"] = {"message": error}
    inputs, outputs = [], []
    if kind == "COMPLETE":
        place = stages.index(stage)
        inputs = [_dataset(urn) for urn in node.inputs] if is_first else [_dataset(f"{node.urn}/{stages[place - 1]}")]
        outputs = [_output(node, stage, plan)]
    job = node.process if is_first and node.kind == "derived" else f"{JOBS}/lab/{node.name}/{stage}"
    run = run_uuid(run_id, node.urn, stage)
    return _event(kind, at, run, job, facets, inputs=inputs, outputs=outputs)


def _output(node: Node, stage: str, plan: Plan) -> Record:
    name = node.urn if stage == "gold_certified" else f"{node.urn}/{stage}"
    stages = STAGES[node.kind]
    if stage != stages[0]:
        before = f"{node.urn}/{stages[stages.index(stage) - 1]}"
        links = {column: (before, column) for column in COLUMNS}
    else:
        links = {column: (source, theirs) for column, source, theirs in node.sources}
    fields = {
        column: {"inputFields": [{**_dataset(source), "field": theirs}]} for column, (source, theirs) in links.items()
    }
    return _dataset(name, schema=_schema(plan), links=fields)


def _dataset(
    urn: str, *, version: str | None = None, schema: list[list[str]] | None = None, links: Record | None = None
) -> Record:
    scheme, _, rest = urn.partition("://")
    zone, _, name = rest.partition("/")
    facets: Record = {}
    if version is not None:
        facets["version"] = {"datasetVersion": version}
    if schema is not None:
        facets["schema"] = {"fields": [{"name": column, "type": kind} for column, kind in schema]}
    if links:
        facets["columnLineage"] = {"fields": links}
    return {"namespace": f"{scheme}://{zone}", "name": name, **({"facets": facets} if facets else {})}


def _event(kind: str, at: datetime, run: str, job: str, facets: Record, **datasets: list[Record]) -> Record:
    namespace, _, name = job.partition("/")
    document = {
        "eventType": kind, "eventTime": _text(at), "producer": "urn:lab", "run": {"runId": run, "facets": facets},
        "job": {"namespace": namespace, "name": name}, **datasets,
    }  # fmt: skip
    return {"at": _text(at), "kind": "event", "document": document}
