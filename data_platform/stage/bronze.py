"""Bronze: a delivery as it came, with every record, once its sender, files and columns are as expected.

Text stays text here. The gates that need no row (G1, G2, the columns of G3) hold the batch before anything is written;
what needs the rows (record count, control totals, retyped columns) is counted by the write and judged after it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.errors import VanishedInputError
from data_platform.gates.batch import BronzeBatch
from data_platform.gates.expression.control_total import parse
from data_platform.gates.expression.nested import is_json_type
from data_platform.gates.expression.split import split
from data_platform.gates.registry import plans_of
from data_platform.ingestion.columns import bronze_schema
from data_platform.ingestion.formats.text.record import REST_UNREAD
from data_platform.lake.partition import column_value
from data_platform.model.dataset import Stage
from data_platform.model.enforcement import holds_early
from data_platform.model.personal import shown_names, shown_type
from data_platform.model.schema import Column, Schema, fits_in
from data_platform.model.verdict import Gate
from data_platform.stage import control_total
from data_platform.stage.candidate import Attempt, Candidate, QuarantinePlan, RowRules
from data_platform.stage.delivered import find_delivered
from data_platform.stage.delivery_history import content_history
from data_platform.stage.landed_delivery import as_delivered, in_format
from data_platform.stage.redaction import protector
from data_platform.stage.spark_failure import spark_errors
from data_platform.stage.waiving import waived

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from pyspark.sql import DataFrame

    from data_platform.gates.plan import GatePlans
    from data_platform.ingestion.delivered import Delivered, DeliveredPart
    from data_platform.ingestion.examined_file import ExaminedFiles
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset

PARTITION = "_partition"
"""Bronze's own partition column, since the dataset's key may arrive as text in a delivery."""


MOST_COUNTED = 200
"""Up to this many files have their records counted one by one; with more files only the sum is checked."""


def prepare(
    platform: Platform,
    dataset: Dataset,
    partition: PartitionKey | None,
    run_id: str,
    examined: ExaminedFiles | None = None,
) -> Candidate:
    """The delivery of ``partition`` as a candidate for bronze. It reads headers and checksums, and no row yet.

    Files in ``examined`` that have not changed since are not read again.
    """
    attempt = Attempt(dataset, Stage.BRONZE, partition, run_id, platform.now())
    delivery = find_delivered(platform, attempt, examined)
    try:
        return _candidate(platform, attempt, delivery)
    except BaseException:
        delivery.close()
        raise


def _candidate(platform: Platform, attempt: Attempt, delivery: Delivered) -> Candidate:
    from pyspark.sql import functions as F

    dataset, partition = attempt.dataset, attempt.partition
    columns = bronze_schema(delivery, as_delivered(dataset))
    totals = _control_totals(delivery, columns)
    gates = plans_of(dataset.gates(Stage.BRONZE), _batch(platform, attempt, delivery, columns, totals))
    rows = _rows(platform, delivery, columns)
    protect = protector(platform, dataset)
    metadata = _metadata(delivery, totals)
    if rows is None or _holds_early(platform, attempt, delivery, gates):
        return replace(_held_early(attempt, gates, delivery, rows, protect), metadata=metadata)
    if partition is not None:
        rows = rows.withColumn(PARTITION, column_value(partition))
    return Candidate(
        attempt=attempt,
        gates=gates,
        split=split(rows, {}, measures=gates.measures(F.lit(True))),
        quarantine=QuarantinePlan(protect=protect),
        rules=None if delivery.facts else RowRules(rows=rows),
        partition_by=PARTITION if partition is not None else None,
        delivery_id=delivery.id,
        metadata=metadata,
        missing_inputs=delivery.missing_parts,
        damaged_inputs=delivery.damaged_parts,
        source_failure=delivery.failure,
        close=delivery.close,
    )


def _held_early(
    attempt: Attempt,
    gates: GatePlans,
    delivery: Delivered,
    rows: DataFrame | None,
    protect: Callable[[DataFrame], DataFrame],
) -> Candidate:
    return Candidate(
        attempt=attempt,
        gates=gates,
        split=None,
        quarantine=_whole_batch(rows, protect),
        delivery_id=delivery.id,
        is_read=rows is not None and not delivery.unreadable,
        close=delivery.close,
    )


def _whole_batch(rows: DataFrame | None, protect: Callable[[DataFrame], DataFrame]) -> QuarantinePlan:
    if rows is None:
        return QuarantinePlan(protect=protect)
    return QuarantinePlan(protect=protect, batch=lambda: rows)


def _rows(platform: Platform, delivery: Delivered, columns: Schema) -> DataFrame | None:
    """The rows of the readable parts; None if there are none.

    Raises:
        VanishedInputError: A file is gone since the delivery was examined.
    """
    if not delivery.parts:
        return None
    try:
        return delivery.read(platform.spark, columns)
    except spark_errors():
        if not (missing := delivery.missing_parts()):
            raise
        raise VanishedInputError("It vanished after the delivery was examined", missing) from None


def _holds_early(platform: Platform, attempt: Attempt, delivery: Delivered, gates: GatePlans) -> bool:
    """Whether the batch is held before it is written; what cannot be written as a table is held in every mode."""
    if not gates.holds_early:
        return False
    columns = gates.of(Gate.G3_SCHEMA).early
    is_writable = not delivery.unreadable and (not delivery.is_typed or columns is None or columns.outcome.qualifies)
    early = waived(platform, attempt, (verdict.redacted() for verdict in gates.early))
    return not is_writable or holds_early(early, attempt.dataset.enforcement)


def _metadata(delivery: Delivered, totals: dict[str, Decimal]) -> dict[str, Any]:
    return {
        "files": [part.name for part in delivery.parts],
        **delivery.facts,
        "details": [*delivery.details, *delivery.warnings.values()],
        "passed_over": delivery.skipped,
        control_total.PROMISED: {name: str(promised) for name, promised in totals.items()},
    }


def _batch(
    platform: Platform, attempt: Attempt, delivery: Delivered, columns: Schema, totals: dict[str, Decimal]
) -> BronzeBatch:
    dataset = attempt.dataset
    registered, source = _registered(dataset), dataset.policy.source
    is_text = source is not None and not source.traits.is_typed
    return BronzeBatch(
        policy=dataset.policy,
        bundle=dataset.bundle,
        delivery_id=delivery.id,
        files=[part.name for part in delivery.parts] + list(delivery.unreadable),
        problems=dict(zip(delivery.problems, delivery.details, strict=True)),
        warnings=delivery.warnings,
        producer=delivery.producer,
        registered=registered,
        columns=columns,
        file_columns={part.name: _comparable(_shown(part, registered), registered) for part in delivery.parts},
        unreadable=delivery.unreadable,
        renamed={n: o for part in delivery.parts for n, o in part.renamed.items() if registered.get(n)},
        counted=_counted(dataset) if is_text else Schema(()),
        record_count=delivery.record_count,
        file_counts=delivery.file_counts if len(delivery.file_counts) <= MOST_COUNTED else {},
        totals=totals,
        stored=lambda: _stored(platform, dataset),
        domains=dataset.learned_domains,
        unread=REST_UNREAD,
        contents=content_history(platform, dataset.urn, attempt.partition),
    )


def _stored(platform: Platform, dataset: Dataset) -> Schema | None:
    """The columns of bronze's table; None if there is none yet."""
    table = platform.table(dataset, Stage.BRONZE)
    return table.schema() if table.exists else None


def _counted(dataset: Dataset) -> Schema:
    """The declared columns whose misfits bronze counts: not JSON, which Python parses, so that no count applies."""
    return Schema.of(column for column in dataset.bundle.schema_.declared.columns if not is_json_type(column.type))


def _registered(dataset: Dataset) -> Schema:
    """The columns that a delivery is compared with: those of the registered baseline, else the declared ones."""
    baseline = dataset.baseline.declared if dataset.baseline else Schema(())
    return in_format(dataset, baseline if baseline.columns else dataset.bundle.schema_.declared)


def _comparable(present: Schema, declared: Schema) -> Schema:
    """Replaces a file's column that is narrower than declared: it fits, and is no change."""
    columns = []
    for column in present.columns:
        want = declared.get(column.name)
        fits = want is not None and fits_in(column.type, want.type)
        columns.append(Column(name=column.name, type=want.type if want and fits else column.type, nullable=True))
    return Schema.of(columns)


def _shown(part: DeliveredPart, registered: Schema) -> Schema:
    """The columns of a part as they may be shown: in a file without a header, values are in place of the names."""
    names = shown_names(part.schema.names, registered.names, part.renamed)
    return Schema.of(
        replace(c, name=names[c.name], type=shown_type(c.type, was.type if (was := registered.get(c.name)) else None))
        for c in part.schema.columns
    )


def _control_totals(delivery: Delivered, columns: Schema) -> dict[str, Decimal]:
    """Maps each column, in the table's spelling, to the promised sum; a sum for a missing column can never match."""
    promised = parse(delivery.control_totals)
    return {column.name if (column := columns.get(name)) else name: total for name, total in promised.items()}
