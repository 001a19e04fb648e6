"""Records in Dagster what arrived in the catalog, as materializations: one sensor for markers, events and reports.

A legacy job may report its dataset, or a completion marker may be found. Both are stored in the catalog first, and the
sensor reads them from there in the order of arrival. The cursor holds how far it came. Events are stored before the
cursor, so after a crash the same arrivals are read again; the number in the tag of every materialization identifies
them. A check result that is recorded twice has the same content.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import dagster as dg

from data_platform.arrival.watcher import Delivered, Looked, Watcher
from data_platform.catalog import Catalog, open_catalog
from data_platform.model.arrival import ArrivedVersion
from data_platform.model.internal import JOBS
from data_platform.model.scheduler_state import ARRIVALS
from data_platform.orchestration.external_event import partition_of
from data_platform.orchestration.record import passed_on, record_arrival, record_report
from data_platform.policies.external import ExternalAsset, ExternalAssets
from data_platform.settings import Settings

NAME = ARRIVALS
INTERVAL_SECONDS = 5
LOOK_SECONDS = 20
"""The time limit for markers, of the 60 s that Dagster gives a sensor."""

MOST = 200
"""The maximum of events in one tick: Dagster writes each on its own, in up to 50 ms."""

_MAX_LOGGED = 20


@dataclass
class Cursor:
    """``held`` are arrivals of a day that is not over: it becomes a partition only then."""

    arrival: int = 0
    report: int = 0
    held: list[int] = field(default_factory=list)

    @staticmethod
    def read(text: str | None) -> "Cursor":
        try:
            return Cursor(**json.loads(text)) if text else Cursor()
        except (TypeError, ValueError):
            raise dg.Failure(f"the cursor of {NAME} was not written by it; reset it in the sensor's page") from None

    def write(self) -> str:
        return json.dumps(self.__dict__)


class Arrivals:
    """Reads arrivals for one code server. The catalog is opened at the first tick, so that loading needs none."""

    def __init__(self, settings: Settings, external: ExternalAssets) -> None:
        self._settings = settings
        self._assets = list(external.by_urn.values())
        self._by_name = {name: asset for asset in self._assets for name in (asset.urn, asset.arrives_as)}
        self._catalog: Catalog | None = None
        self._watcher: Watcher | None = None
        self._passed_on = -1  # the highest number of this process; what is below may have been passed on before

    def tick(self, context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        catalog, watcher = self._opened()
        looked = watcher.look(LOOK_SECONDS)
        _log_deliveries(context, looked)
        before = Cursor.read(context.cursor)
        cursor, counts = self._pass_on(context.instance, catalog, before)
        if cursor == before:
            return dg.SkipReason(_skip_message(looked, before))
        if sum(counts):
            context.log.info(f"passed on: {counts[0]} materializations, {counts[1]} reports")
        return dg.SensorResult(cursor=cursor.write())

    def _opened(self) -> tuple[Catalog, Watcher]:
        if self._catalog is None or self._watcher is None:
            self._catalog = open_catalog(self._settings.catalog_url)
            self._watcher = Watcher(self._settings.landing, self._assets, self._catalog, now=_now)
        return self._catalog, self._watcher

    def _pass_on(
        self, instance: dg.DagsterInstance, catalog: Catalog, before: Cursor
    ) -> tuple[Cursor, tuple[int, int]]:
        """Returns the cursor that was reached, and how many arrivals and reports were recorded."""
        reports = catalog.arrivals.reports(before.report, limit=MOST)
        cursor = Cursor(before.arrival, reports[-1].number if reports else before.report)
        wanted = [*before.held]
        for number, name in catalog.arrivals.names(before.arrival):
            if len(wanted) - len(before.held) >= MOST:
                break
            cursor.arrival = number
            if name in self._by_name:
                wanted.append(number)
        new = list(self._new(instance, catalog.arrivals.versions(wanted), cursor))
        declared = [report for report in reports if report.urn in self._by_name]
        self._passed_on, reached = -1, max(self._passed_on, cursor.arrival)  # -1: whatever stops this comes again
        for asset, version in new:
            record_arrival(instance, catalog, asset, version, reported=before.report)
        for report in declared:
            record_report(instance, self._by_name[report.urn], report)
        self._passed_on = reached
        return cursor, (len(new), len(declared))

    def _new(
        self, instance: dg.DagsterInstance, versions: Iterable[ArrivedVersion], cursor: Cursor
    ) -> Iterable[tuple[ExternalAsset, ArrivedVersion]]:
        recorded: dict[str, set[str]] = {}
        for version in versions:
            asset = self._by_name[version.urn]
            if asset.landed and version.urn == asset.urn and _is_ours(version):
                continue  # the pipeline's own version of a delivery is no delivery: it would be ingested again
            if version.gone or (asset.arrival is not None and not version.report):
                continue  # a watched dataset arrives with its marker, and not with an event that has no report
            partition = partition_of(asset, version)
            if partition and asset.partitions and not asset.partitions.is_over(partition, _now()):
                cursor.held.append(version.number)
                continue
            if version.number <= self._passed_on or self._passed_on < 0:
                if asset.urn not in recorded:
                    recorded[asset.urn] = passed_on(instance, asset)
                if str(version.number) in recorded[asset.urn]:
                    continue
            yield asset, version


def arrivals_sensor(settings: Settings, external: ExternalAssets) -> dg.SensorDefinition:
    arrivals = Arrivals(settings, external)

    @dg.sensor(
        name=NAME,
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Watches for completion markers, and materializes what arrives from outside the platform.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        return arrivals.tick(context)

    return sensor


def _is_ours(version: ArrivedVersion) -> bool:
    return (version.process or "").startswith(f"{JOBS}/")


def _log_deliveries(context: dg.SensorEvaluationContext, looked: Looked) -> None:
    for delivered in looked.delivered[:_MAX_LOGGED]:
        context.log.info(_message(delivered))
    if len(looked.delivered) > _MAX_LOGGED:
        context.log.info(f"and {len(looked.delivered) - _MAX_LOGGED} more deliveries")
    if looked.unfinished:
        context.log.info(f"not all markers were checked in {LOOK_SECONDS} s; the next tick continues from there")


def _message(delivered: Delivered) -> str:
    what = f"{delivered.urn} {delivered.partition or ''}".strip()
    if delivered.duplicate:
        return f"{what}: {delivered.marker} is a duplicate of delivery {delivered.number}, nothing is started"
    if delivered.number > 1:
        return f"{what}: delivery {delivered.number} at {delivered.marker} takes the place of {delivered.number - 1}"
    return f"{what}: delivered, complete by its marker {delivered.marker}"


def _skip_message(looked: Looked, cursor: Cursor) -> str:
    parts = ["nothing new has arrived"]
    if looked.waiting:
        parts.append(f"{looked.waiting} of {looked.markers} deliveries are not whole yet")
    if cursor.held:
        parts.append(f"{len(cursor.held)} are of a day that is not over")
    return "; ".join(parts)


def _now() -> datetime:
    return datetime.now(UTC)
