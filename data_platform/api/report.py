"""Dagster's report endpoints, at the same paths, for assets that the platform does not write.

Dagster accepts any asset, check and partition, and each report as often as it is sent. Here undeclared ones are
refused, and a repeated report is stored once. Reports are stored in the catalog, and the arrival sensor passes them to
Dagster with its next tick; so Dagster may be unavailable meanwhile.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import Path, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from data_platform.api.access import Caller, guarded_router
from data_platform.api.body import parse_json
from data_platform.api.document import REPORT_BODY, ReportReceipt
from data_platform.api.event import count, results_of
from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.catalog.lineage.ingest import Receipt
from data_platform.errors import InputError
from data_platform.legacy.arrival import arrival_event
from data_platform.model.arrival import AssetReport, ReportKind, version_tag
from data_platform.policies.problem import did_you_mean

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.lineage import LineageEvent
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies.external import ExternalAsset

router = guarded_router("reports", prefix="")

METADATA_CHARACTERS = 50_000
_COMMON = ("asset_key", "partition", "description", "metadata")
_TEXT = 2_000

AssetPath = Annotated[str, Path(max_length=2_000, description="The asset's key, with slashes between its parts.")]


@dataclass(frozen=True)
class ParsedReport:
    """A parsed report of a declared asset. Reports with the same ``event_id`` are the same report."""

    asset: ExternalAsset
    partition: PartitionKey | None
    description: str
    metadata: dict[str, Any]
    event_id: str | None
    values: dict[str, Any]

    @property
    def receipt(self) -> dict[str, Any]:
        return {"asset_key": list(self.asset.key), "dataset": self.asset.urn, "partition": self.partition}


@router.post("/report_asset_materialization/{key:path}", response_model=ReportReceipt, openapi_extra=REPORT_BODY)
async def post_materialization(request: Request, key: AssetPath) -> JSONResponse:
    """Report a materialization. The same ``data_version`` of the same partition is the same materialization."""
    parsed = await _read(request, key, ("data_version",))
    _check_parts(parsed.metadata.get("parts", {}))
    service = service_of(request)
    version = _version(parsed.values.get("data_version")) or parsed.event_id or uuid.uuid4().hex
    tag = version_tag(version, parsed.partition)
    exists = await service.arrived.is_member((parsed.asset.arrives_as, tag))
    if not exists:
        results = await results_of(service, [_arrival(parsed, version, service.now())])
        count(service, results)
        if not isinstance(results[0], Receipt):
            raise results[0]
    return JSONResponse({**parsed.receipt, "version": tag, "stored": not exists})


def _check_parts(parts: Any) -> None:
    """Raises: InputError, ``metadata.parts`` is not the number of rows of each part."""
    if not isinstance(parts, dict) or any(
        isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in parts.values()
    ):
        raise InputError("metadata", 'parts: expected the rows of each part, such as {"EMEA": 1200}')


def _arrival(parsed: ParsedReport, version: str, now: datetime) -> LineageEvent:
    rows = parsed.metadata.get("dagster/row_count", parsed.metadata.get("rows"))
    return arrival_event(
        parsed.asset.arrives_as,
        version,
        parsed.partition,
        time=now,
        process=parsed.asset.process,
        rows=rows if isinstance(rows, int) and not isinstance(rows, bool) and 0 <= rows < 2**63 else None,
        description=parsed.description,
        metadata=parsed.metadata,
    )


@router.post("/report_asset_check/{key:path}", response_model=ReportReceipt, openapi_extra=REPORT_BODY)
async def post_check(request: Request, caller: Caller, key: AssetPath) -> JSONResponse:
    """Report the result of an asset's check. A result for one partition does not count for others."""
    parsed = await _read(request, key, ("check_name", "passed", "severity"))
    values = parsed.values
    check, passed, severity = values.get("check_name"), values.get("passed"), values.get("severity") or "ERROR"
    if not isinstance(check, str) or not check:
        raise InputError("check_name", "missing: expected the name of a check of the asset")
    if check not in parsed.asset.checks:
        name = "/".join(parsed.asset.key)
        hint = did_you_mean(check, parsed.asset.checks) or _listed(parsed.asset.checks)
        raise ProblemError(
            404, "unknown-check", f"{name} has no check {check[:100]!r}{hint}", errors=[("check_name", "unknown")]
        )
    if not isinstance(passed, bool):
        raise InputError("passed", "expected true or false")
    if severity not in ("ERROR", "WARN"):
        raise InputError("severity", "expected ERROR or WARN")
    return await _keep(request, caller.name, parsed, ReportKind.CHECK, check=check, passed=passed, severity=severity)


@router.post("/report_asset_observation/{key:path}", response_model=ReportReceipt, openapi_extra=REPORT_BODY)
async def post_observation(request: Request, caller: Caller, key: AssetPath) -> JSONResponse:
    """Report an observation of an asset; it triggers nothing."""
    parsed = await _read(request, key, ("data_version",))
    return await _keep(request, caller.name, parsed, ReportKind.OBSERVATION)


async def _keep(request: Request, by: str, parsed: ParsedReport, kind: ReportKind, **more: Any) -> JSONResponse:
    service = service_of(request)
    own = parsed.event_id or uuid.uuid4().hex
    report = AssetReport(
        kind=kind,
        urn=parsed.asset.urn,
        partition=parsed.partition,
        digest=hashlib.sha256(f"{kind}\0{parsed.asset.urn}\0{more.get('check')}\0{own}".encode()).hexdigest(),
        reported_by=by,
        reported_at=service.now(),
        description=parsed.description,
        metadata=parsed.metadata,
        **more,
    )
    stored = await run_in_threadpool(service.catalog.arrivals.add_report, report)
    return JSONResponse({**parsed.receipt, "check_name": more.get("check"), "stored": stored})


async def _read(request: Request, path: str, own: tuple[str, ...]) -> ParsedReport:
    raw = await request.body()
    body = parse_json(raw) if raw.strip() else {}
    if not isinstance(body, dict):
        raise InputError("", "expected a JSON object")
    query = _query(request)
    if differing := sorted(name for name in query.keys() & body.keys() if query[name] != body[name]):
        raise InputError(differing[0][:100], "the query and the body give two values; expected one")
    values = {**query, **body}
    if unknown := sorted(set(values) - {*_COMMON, *own}):
        allowed = (*_COMMON, *own)
        raise InputError(unknown[0][:100], f"unknown{did_you_mean(unknown[0], allowed) or _listed(allowed)}")
    service = service_of(request)
    asset = await _asset(request, path, values)
    metadata = values.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise InputError("metadata", "expected a JSON object")
    if len(orjson.dumps(metadata, option=orjson.OPT_NON_STR_KEYS)) > METADATA_CHARACTERS:
        raise InputError("metadata", f"longer than {METADATA_CHARACTERS} characters")
    description = values.get("description") or ""
    if not isinstance(description, str):
        raise InputError("description", "expected text")
    given = metadata.get("event_id") or request.headers.get("idempotency-key")
    return ParsedReport(
        asset=asset,
        partition=_partition(asset, values.get("partition"), service.now()),
        description=description[:_TEXT],
        metadata=metadata,
        event_id=str(given)[:200] if given is not None else None,
        values=values,
    )


def _query(request: Request) -> dict[str, Any]:
    """The query parameters as Dagster reads them: ``asset_key``, ``metadata`` and ``passed`` are JSON."""
    values: dict[str, Any] = dict(request.query_params)
    for name in ("asset_key", "metadata", "passed"):
        if name in values:
            try:
                values[name] = orjson.loads(values[name])
            except orjson.JSONDecodeError:
                raise InputError(name, "not JSON: in a query it has to be JSON") from None
    return values


async def _asset(request: Request, path: str, values: dict[str, Any]) -> ExternalAsset:
    given = values.get("asset_key")
    if path:
        parts = tuple(part for part in path.split("/") if part)
        if given is not None and given not in (list(parts), "/".join(parts)):
            raise InputError("asset_key", "not the asset that the path names; name it once")
    elif isinstance(given, list) and given and all(isinstance(part, str) for part in given):
        parts = tuple(given)
    elif isinstance(given, str) and given:
        parts = (given,)  # Dagster also reads a string as one part
    else:
        raise InputError(
            "asset_key", 'missing: name the asset in the path, or as a list such as ["legacy", "positions"]'
        )
    reportable = service_of(request).assets
    assets = reportable.fresh()
    if assets is None:
        assets = await run_in_threadpool(reportable.current)
    declared = assets.by_key
    if parts in declared:
        return declared[parts]
    name = "/".join(parts)[:200]
    names = {"/".join(key): key for key in declared}
    if name in names:
        hint = f"; its key is a list: {orjson.dumps(names[name]).decode()}"
    else:
        hint = did_you_mean(name, names) or f"; number of declared ones: {len(names)}"
    detail = f"{name!r} is not an asset that can be reported{hint}"
    raise ProblemError(404, "unknown-asset", detail, errors=[("asset_key", "unknown")])


def _partition(asset: ExternalAsset, given: Any, now: datetime) -> PartitionKey | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise InputError("partition", "expected text")
    if asset.partitions is None:
        raise InputError("partition", "the asset has no partitions")
    try:
        partition = asset.partitions.parse(given)
    except ValueError as error:
        raise InputError("partition", str(error)) from None
    if not asset.partitions.has_begun(partition, now):
        raise InputError("partition", f"{given!r} is not a partition yet: that day has not begun")
    return partition


def _version(given: Any) -> str | None:
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise InputError("data_version", "expected text")
    return str(given)[:400]


def _listed(names: tuple[str, ...]) -> str:
    return f"; there are {', '.join(names)}" if names else "; it has none"
