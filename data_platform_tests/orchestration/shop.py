"""The shop that these tests are about, and how its assets are looked at and run."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData
from dagster._core.events import (
    AssetMaterializationPlannedData,
    DagsterEvent,
    DagsterEventType,
    StepMaterializationData,
)

from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.automation import Automation as Automatic
from data_platform.orchestration.automation_sensor import tick
from data_platform.orchestration.location import build
from data_platform.policies import load_policies
from data_platform.policies.external import ExternalAssets
from data_platform_tests.flows.estate import DAY, Estate

ZONE = "America/New_York"
DAILY = {"key": "day", "start": date(2025, 1, 1), "time_zone": ZONE}
NEXT = DAY.next
"""The latest whole day at ``NOON_AFTER``."""
NOON_AFTER = datetime(2025, 1, 8, 12, tzinfo=UTC)
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
ORDER_STAGES = ("shop/orders__bronze", "shop/orders__silver", "shop/orders__gold", "shop/orders")
CUSTOMER_STAGES = tuple(name.replace("orders", "customers") for name in ORDER_STAGES)
DERIVED = ("__silver", "__gold", "")
LANDED = ("__bronze", *DERIVED)
"""What the keys of a dataset's stages end in; the certified view has the dataset's own name."""
TOTAL_STAGES = ("report/totals__silver", "report/totals__gold", "report/totals")


def columns(**types: str) -> dict[str, Any]:
    return {"constraints": [{"field": name, "type": kind} for name, kind in types.items()]}


def landed(estate: Estate, name: str, bundle: dict[str, Any], *, daily: bool = True, **policy: Any) -> None:
    path = f"{name}/{{partition}}" if daily else name
    partition = {"partition": DAILY} if daily else {}
    source = {"format": "csv", "path": path, "producer": "till"}
    estate.declare(f"ds://shop/{name}", bundle, source=source, **{**partition, **policy})


def derived(
    estate: Estate,
    name: str,
    inputs: Sequence[Any],
    sql: str,
    *,
    trigger: str = "DATASET",
    schedule: str | None = None,
    **policy: Any,
) -> None:
    """One column, ``customer``, unless ``policy`` has a bundle; by day, unless its partition is None."""
    bundle = policy.pop("bundle", {"schema": columns(customer="STRING")})
    partition = policy.pop("partition", DAILY)
    estate.declare(
        f"ds://report/{name}", bundle, process=name, **({"partition": partition} if partition else {}), **policy
    )
    read = [item if isinstance(item, dict) else {"dataset": item} for item in inputs]
    step = {"name": "counted", "description": "One row a customer.", "sql": sql}
    when = {"trigger": trigger, **({"schedule": schedule} if schedule else {})}
    estate.process(name, output=f"ds://report/{name}", inputs=read, steps=[step], **when)


def declare_shop(estate: Estate) -> None:
    order_bundle = {
        "schema": {
            "constraints": [
                {"field": "id", "type": "INT", "nullable": False, "description": "Counts from 1."},
                {"field": "customer", "type": "STRING", "pattern": "[a-z]+"},
                {"field": "amount", "type": "DECIMAL(10,2)"},
            ]
        },
        "contract_lite": {"invariants": ["amount > 0"], "min_compliance": 0.5},
        "contract": {"unique": ["id"], "references": [{"fields": ["customer"], "dataset": "ds://shop/customers"}]},
        "pii": {"detection": [{"pattern": "EMAIL", "action": "redact", "fields": ["customer"]}]},
    }
    landed(
        estate,
        "orders",
        order_bundle,
        owner_team="sales",
        owner_email="sales@example.com",
        tier="TIER_1",
        description="One row an order.",
        tags=["daily", "for finance"],
        slo={"freshness": {"expected_update_by": "06:00 ET daily", "grace_period": "30m"}},
    )
    landed(estate, "customers", {"schema": columns(customer="STRING")}, daily=False)
    landed(estate, "refunds", {"schema": columns(id="INT")})
    estate.declare("ds://market/rates", {"schema": columns(currency="STRING")}, description="Kept by the bank.")
    derived(
        estate,
        "totals",
        ["ds://shop/orders", {"dataset": "ds://shop/customers", "rows": "all"}],
        "SELECT o.customer, COUNT(o.id) AS orders FROM orders AS o JOIN customers AS c ON c.customer = o.customer "
        "GROUP BY o.customer",
        bundle={"schema": columns(customer="STRING", orders="BIGINT")},
    )


def deliver_day(estate: Estate, *lines: str, day: PartitionKey = DAY) -> None:
    """Orders of ``day``, and the two customers that they refer to."""
    estate.deliver("customers", {"customers.csv": "customer\nann\nbob\n"})
    estate.deliver(f"orders/{day}", {"orders.csv": "\n".join(("id,customer,amount", *lines)) + "\n"})


def key(name: str) -> dg.AssetKey:
    return dg.AssetKey(name.split("/"))


def specs(estate: Estate) -> dict[str, dg.AssetSpec]:
    """By name, such as ``shop/orders__gold``."""
    return {spec.key.to_user_string(): spec for spec in build(estate.settings).resolve_all_asset_specs()}


def checks(location: dg.Definitions) -> dict[str, list[dg.AssetCheckSpec]]:
    """Of each asset, by name."""
    found: dict[str, list[dg.AssetCheckSpec]] = {}
    for asset in location.assets or ():
        for spec in asset.check_specs if isinstance(asset, dg.AssetsDefinition) else ():
            found.setdefault(spec.asset_key.to_user_string(), []).append(spec)
    return found


def run(
    estate: Estate, instance: dg.DagsterInstance, *names: str, day: PartitionKey | None = DAY, more: Sequence[Any] = ()
) -> dg.ExecuteInProcessResult:
    """Materialize through Dagster, in this process, with the location's own resources; ``more`` are other assets."""
    location = build(estate.settings, session=estate.spark)
    return dg.materialize(
        [*(location.assets or ()), *more],
        selection=[key(name) for name in names],
        partition_key=str(day) if day else None,
        resources=dict(location.resources or {}),
        instance=instance,
        run_config=QUIET,
        raise_on_error=False,
    )


def check_outcomes(result: dg.ExecuteInProcessResult, name: str) -> dict[str, bool]:
    """Gate to whether it passed, of one asset."""
    found = result.get_asset_check_evaluations()
    return {item.check_name: item.passed for item in found if item.asset_key == key(name)}


def materialized_days(instance: dg.DagsterInstance, name: str) -> set[str | None]:
    return {event.partition_key for event in instance.fetch_materializations(key(name), limit=100).records}


@dataclass(frozen=True)
class OpenShop:
    """A shop after its first day, and the runs that made it."""

    estate: Estate
    instance: dg.DagsterInstance
    customers: dg.ExecuteInProcessResult
    good_day: dg.ExecuteInProcessResult


@dataclass
class Automation:
    """The automation of a location, tick by tick, without a daemon. It ``began`` long after what was there before.

    Each request becomes a run that has ended, and what is reported of its assets and day counts as made by it.
    """

    estate: Estate
    instance: dg.DagsterInstance
    cursor: str | None = None
    now: datetime = field(default=NOON_AFTER)
    began: datetime = field(default_factory=lambda: datetime.now(UTC) + timedelta(hours=1))
    runs: dict[tuple[dg.AssetKey, str | None], str] = field(default_factory=dict)
    said: str | None = None

    def __post_init__(self) -> None:
        self.definitions = build(self.estate.settings)
        self.tick()

    def requests(self) -> list[dg.RunRequest]:
        """What the sensor asks for."""
        policies = load_policies(self.estate.settings.policies)
        automation = Automatic(policies, ExternalAssets(policies))
        result = tick(automation, self.instance, self.cursor, now=self.now, began=self.began)
        self.cursor = result.cursor
        requests = list(result.run_requests or [])
        self.said = result.skip_reason.skip_message if result.skip_reason else None
        for request in requests:
            day = request.tags.get("dagster/partition")
            self.start(*(made.to_user_string() for made in request.asset_selection or ()), day=day)
        return requests

    def start(
        self,
        *names: str,
        day: str | None,
        status: dg.DagsterRunStatus = dg.DagsterRunStatus.SUCCESS,
        selected: bool = True,
    ) -> dg.DagsterRun:
        """A run of these assets; what is reported of them from now on is made by it."""
        made, partition = frozenset(key(name) for name in names), str(day) if day else None
        run = dg.DagsterRun("datasets", status=status, asset_selection=made if selected else None)
        self.instance.add_run(run)
        for asset in sorted(made):
            self.runs[asset, partition] = run.run_id
            data = AssetMaterializationPlannedData(asset, partition=partition)
            kind = DagsterEventType.ASSET_MATERIALIZATION_PLANNED.value
            self.instance.report_dagster_event(DagsterEvent(kind, "datasets", event_specific_data=data), run.run_id)
        return run

    def tick(self) -> dict[str, list[str]]:
        """What is requested: asset to days, none of which is the dataset as a whole."""
        found: dict[str, list[str]] = {}
        for request in self.requests():
            day = request.tags.get("dagster/partition")
            for asset in request.asset_selection or ():
                found.setdefault(asset.to_user_string(), []).extend([day] if day else [])
        return {name: sorted(days) for name, days in found.items()}

    def report(self, *names: str, day: PartitionKey | None = DAY, passed: bool = True) -> None:
        """What a run would leave: an asset's materialization, unless it was held, and what its checks found."""
        gates = checks(self.definitions)
        partition = str(day) if day else None
        for name in names:
            last = None
            if passed:
                self._materialize(dg.AssetMaterialization(key(name), partition=partition))
                [last] = self.instance.fetch_materializations(key(name), limit=1).records
            for spec in gates.get(name, ()):
                self._report_check(spec, partition, last, passed=passed)

    def _materialize(self, made: dg.AssetMaterialization) -> None:
        run_id = self.runs.get((made.asset_key, made.partition))
        if run_id is None:
            self.instance.report_runless_asset_event(made)
            return
        kind = DagsterEventType.ASSET_MATERIALIZATION.value
        event = DagsterEvent(kind, "datasets", event_specific_data=StepMaterializationData(made, []))
        self.instance.report_dagster_event(event, run_id=run_id)

    def _report_check(
        self, spec: dg.AssetCheckSpec, partition: str | None, judged: dg.EventLogRecord | None, *, passed: bool
    ) -> None:
        """Under a run of its own: without one, Dagster keeps one result of a check and day, and refuses a second."""
        said = dg.AssetCheckEvaluation(
            asset_key=spec.asset_key,
            check_name=spec.name,
            passed=passed,
            metadata={},
            blocking=True,
            partition=partition if spec.partitions_def else None,
            target_materialization_data=judged
            and AssetCheckEvaluationTargetMaterializationData(
                run_id=judged.run_id, storage_id=judged.storage_id, timestamp=judged.timestamp
            ),
        )
        event = DagsterEvent(DagsterEventType.ASSET_CHECK_EVALUATION.value, "a run", event_specific_data=said)
        self.instance.report_dagster_event(event, run_id=str(uuid.uuid4()))
