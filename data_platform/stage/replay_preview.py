"""What a replay would do with quarantined rows, without writing anything: judged by today's policy, and compared.

The rows are judged as silver or gold would judge them. They are compared with the rows of the day that are accepted by
now and have the same key; only counts by column are returned, never a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.lake.partition import Slice
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import VIOLATIONS
from data_platform.stage import decided_row, decision, rejudge, silver_plan, token_key
from data_platform.stage.bronze import PARTITION
from data_platform.stage.day import session_of
from data_platform.stage.prerequisite import delivery_id, require_judged, version_of
from data_platform.stage.stage_record import broken_signatures
from data_platform.stage.table_read import READER, rows_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from data_platform.installation import Platform
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.policies import Dataset

MOST_REASONS = 100


@dataclass(frozen=True, kw_only=True)
class Preview:
    """``would_pass`` and ``still_broken`` are None with a ``reason`` if the rows cannot be judged without a run.

    ``still_broken`` maps signatures to rows; a row with several counts for each. ``accepted_meanwhile`` are quarantined
    rows whose key is accepted by now, ``differing`` how many of them differ in each column; None without a key.
    """

    entry: QuarantineEntry
    would_pass: int | None = None
    would_not: int | None = None
    still_broken: dict[str, int | None] = field(default_factory=dict)
    accepted_meanwhile: int | None = None
    differing: dict[str, int] = field(default_factory=dict)
    reason: str = ""


def preview(platform: Platform, entry: QuarantineEntry) -> Preview:
    """Raises: UsageError, UnreadableVersionError, TableNotFoundError: there is no policy, or a table is gone."""
    dataset = platform.policies.dataset(entry.dataset_urn)
    if reason := _why_not(platform, dataset, entry):
        return Preview(entry=entry, reason=reason)
    if entry.stage is Stage.GOLD:
        return _of_batch_at_gold(platform, dataset, entry)
    return _of_rows(platform, dataset, entry)


def _why_not(platform: Platform, dataset: Dataset, entry: QuarantineEntry) -> str:
    if entry.stage is Stage.BRONZE:
        return "bronze held the delivery before its rows were judged: a replay ingests it again"
    if entry.stage is Stage.SILVER and dataset.derived:
        return "the rows of a derived dataset are made anew by a replay, and cannot be judged without one"
    before = Stage.BRONZE if entry.stage is Stage.SILVER else Stage.SILVER
    if delivery_id(platform, dataset, before, entry.partition) != entry.delivery_id:
        return "the day was delivered anew since, and the newer delivery wins: these rows will not be merged"
    return ""


def _of_batch_at_gold(platform: Platform, dataset: Dataset, entry: QuarantineEntry) -> Preview:
    version = version_of(require_judged(platform, dataset, Stage.SILVER, entry.partition))
    before = decision.released_at(platform, dataset, Stage.SILVER, entry.partition)
    allowed = decision.find(platform, dataset, Stage.GOLD, entry.partition, entry.delivery_id, before).allowed
    verdicts = rejudge.judge(platform, dataset, entry.partition, version, READER, stage=Stage.SILVER, allowed=allowed)
    passed = all(verdict.passed for verdict in verdicts)
    return Preview(
        entry=entry,
        would_pass=entry.rows if passed else 0,
        would_not=0 if passed else entry.rows,
        still_broken=broken_signatures(verdicts),
    )


def _of_rows(platform: Platform, dataset: Dataset, entry: QuarantineEntry) -> Preview:
    from pyspark.sql import functions as F

    raw = _bronze(platform, dataset, entry)
    table = decided_row.quarantined(raw, entry.path, entry.name)
    decided = decision.find(platform, dataset, Stage.SILVER, entry.partition, entry.delivery_id).rows
    rows = decided_row.at_places(raw, decided_row.place_of(table)) if entry.level == "row" else raw
    typed = silver_plan.typed_rows(decided.marked(rows), dataset)
    key, now = token_key.current(platform, dataset), platform.now()
    split = silver_plan.plan(dataset, entry.partition, typed, now, key, decisions=decided).split
    broken = split.rejected.select(F.explode(VIOLATIONS).alias("signature")).groupBy("signature").count()
    counts = broken.orderBy(F.desc("count"), "signature").limit(MOST_REASONS).collect()
    meanwhile, differing = _compared(platform, dataset, entry, table)
    return Preview(
        entry=entry,
        would_pass=split.accepted.count(),
        would_not=split.rejected.count(),
        still_broken={row["signature"]: row["count"] for row in counts},
        accepted_meanwhile=meanwhile,
        differing=differing,
    )


def _bronze(platform: Platform, dataset: Dataset, entry: QuarantineEntry) -> DataFrame:
    version = version_of(require_judged(platform, dataset, Stage.BRONZE, entry.partition))
    raw = rows_at(platform, dataset, Stage.BRONZE, version, READER, session_of(platform, dataset))
    return Slice(PARTITION, entry.partition).of(raw) if entry.partition is not None else raw


def _compared(
    platform: Platform, dataset: Dataset, entry: QuarantineEntry, table: DataFrame
) -> tuple[int | None, dict[str, int]]:
    """Quarantined rows whose key is accepted by now, and how many of them differ in each column that is not nested."""
    from pyspark.sql import functions as F

    last = platform.catalog.runs.latest(dataset.urn, Stage.SILVER, entry.partition, passed_only=True)
    unique = dataset.bundle.contract.unique
    if entry.level != "row" or not unique or last is None or last.version is None:
        return None, {}
    accepted = rows_at(platform, dataset, Stage.SILVER, last.version, READER, table.sparkSession)
    declared = dataset.policy.partition
    if declared is not None and entry.partition is not None:
        accepted = Slice(declared.key, entry.partition).of(accepted)
    key = unique[0].fields
    names = [
        c.name for c in dataset.bundle.schema_.declared.columns if "<" not in c.type and c.name in accepted.columns
    ]
    left = silver_plan.typed_rows(table, dataset).rows.select(
        *(quoted(n).cast("string").alias(f"q_{n}") for n in names)
    )
    right = accepted.select(*(quoted(n).cast("string").alias(f"a_{n}") for n in names))
    same = [F.col(f"`q_{name}`") == F.col(f"`a_{name}`") for name in key]
    both = left.join(right.dropDuplicates([f"a_{name}" for name in key]), same)
    differs = [F.count_if(~F.col(f"`q_{n}`").eqNullSafe(F.col(f"`a_{n}`"))).alias(n) for n in names]
    [row] = both.agg(F.count(F.lit(1)).alias("_rows"), *differs).collect()
    return int(row["_rows"]), {name: row[name] for name in names if row[name]}
