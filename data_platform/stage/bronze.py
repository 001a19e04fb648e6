"""Bronze: a delivery as it came, every record of it, once its sender, files and columns are what they should be.

Text stays text here. What is judged before a row is read (G1, G2, the columns of G3) holds the batch
before anything is written; what only reading tells (record count, control totals, retyped columns)
is counted by the write and judged after it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates import identity, resolution, schema
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.nested import is_json_type
from data_platform.gates.expression.split import split
from data_platform.ingestion.delivery import Delivery, bronze_schema, find_delivery
from data_platform.ingestion.reader import REST_UNREAD, read_rows
from data_platform.ingestion.selection import Neighbour
from data_platform.model.dataset import Stage
from data_platform.model.personal import shown_names, shown_type
from data_platform.model.schema import Column, Schema
from data_platform.model.source import SourceFormat
from data_platform.model.verdict import Outcome, worst
from data_platform.stage import control_total
from data_platform.stage.candidate import Candidate, Measured
from data_platform.stage.redaction import protector

if TYPE_CHECKING:
    from datetime import date
    from decimal import Decimal

    from pyspark.sql import Column as SparkColumn

    from data_platform.ingestion.delivery import DeliveryFile
    from data_platform.installation import Platform
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset

PARTITION = "_partition"
"""Bronze's own partition column, since a delivery may bring the dataset's key as text."""


MOST_COUNTED = 200
"""Files whose records are counted one by one; of more than these only the sum is asked."""


def prepare(platform: Platform, dataset: Dataset, partition: date | None, run_id: str) -> Candidate:
    """The delivery of ``partition`` as a candidate for bronze. Reads headers and checksums, and no row yet."""
    from pyspark.sql import functions as F

    policy, started = dataset.policy, platform.now()
    source = policy.source
    assert source is not None, "only a dataset with a source has a bronze stage"  # noqa: S101
    declared, registered = _as_delivered(dataset), _registered(dataset)
    delivery = find_delivery(platform.settings.landing, source, partition, declared, _neighbours(platform, dataset))
    early = (
        resolution.judge(
            dataset.urn,
            files=[file.name for file in delivery.files] + list(delivery.unreadable),
            delivery_id=delivery.id,
            problems=dict(zip(delivery.problems, delivery.details, strict=True)),
            warnings=delivery.warnings,
        ),
        identity.judge(declared=source.producer, named=delivery.manifest.producer if delivery.manifest else None),
        schema.judge_delivery(
            registered,
            {file.name: _comparable(_shown(file, registered), registered) for file in delivery.files},
            dataset.bundle.schema_,
            unreadable=delivery.unreadable,
            renamed={n: o for file in delivery.files for n, o in file.renamed.items() if registered.get(n)},
        ),
    )
    columns = bronze_schema(delivery, declared)
    rows = read_rows(platform.spark, delivery, source, columns) if delivery.files else None
    protect = protector(platform, dataset)
    common: dict[str, Any] = {
        "dataset": dataset,
        "stage": Stage.BRONZE,
        "partition": partition,
        "run_id": run_id,
        "started_at": started,
        "protect": protect,
        "delivery_id": delivery.id,
        "metadata": {
            "files": [file.name for file in delivery.files],
            "details": [*delivery.details, *delivery.warnings.values()],
            "passed_over": delivery.passed,
            control_total.PROMISED: {name: str(said) for name, said in _control_totals(delivery, columns).items()},
        },
    }
    if rows is None or worst(verdict.outcome for verdict in early) is not Outcome.PASSED:
        held = protect(rows) if rows is not None else None
        return Candidate(**common, split=None, judge=lambda _: (), early=early, held_rows=held)
    retypings = schema.plan(_counted(dataset), columns.names) if source.format is not SourceFormat.PARQUET else ()
    measures: dict[str, SparkColumn] = {}
    for item in retypings:
        measures[f"values:{item.column}"], measures[f"misfits:{item.column}"] = item.values, item.misfits
        measures[f"form:{item.column}"] = item.form
    totals = _control_totals(delivery, columns)
    unread = quoted("_malformed").endswith(REST_UNREAD)
    measures["unread"] = F.count_if(unread)
    measures["unread_reason"] = F.min(F.when(unread, F.format_string("%s:%d: %s", "_file", "_line", "_malformed")))
    counts = delivery.file_counts if len(delivery.file_counts) <= MOST_COUNTED else {}
    for name in counts:
        measures[f"records:{name}"] = F.count_if(quoted("_file") == F.lit(name))
    for name in (name for name in totals if columns.get(name) is not None):
        measures[f"total:{name}"] = control_total.total(name)
    if partition is not None:
        rows = rows.withColumn(PARTITION, F.lit(partition))

    def judge(measured: Measured) -> tuple[Verdict, ...]:
        found = measured.measures
        first = resolution.judge_counts(
            early[0],
            records=measured.read,
            promised=delivery.record_count,
            totals={name: (found.get(f"total:{name}"), said) for name, said in totals.items()},
            unread=found["unread"],
            unread_reason=found["unread_reason"] or "",
            by_file={name: (found[f"records:{name}"], said) for name, said in counts.items()},
        )
        third = schema.judge_retyping(
            early[2],
            retypings,
            {i.column: (found[f"values:{i.column}"], found[f"misfits:{i.column}"]) for i in retypings},
            {i.column: found[f"form:{i.column}"] for i in retypings},
        )
        return (first, early[1], third)

    return Candidate(
        **common,
        split=split(rows, {}, measures=measures),
        rows=rows,
        judge=judge,
        partition_by=PARTITION if partition is not None else None,
    )


def _neighbours(platform: Platform, dataset: Dataset) -> list[Neighbour]:
    """Other datasets that have files in the landing zone."""
    sources = [(other.urn, other.policy.source) for other in platform.policies.datasets if other.urn != dataset.urn]
    return [Neighbour(urn, source) for urn, source in sources if source is not None]


def _declared(dataset: Dataset) -> Schema:
    return dataset.bundle.schema_.declared


def _counted(dataset: Dataset) -> Schema:
    """The declared columns whose misfits bronze counts: not JSON, which Python parses, and no count can call it."""
    return Schema.of(column for column in _declared(dataset).columns if not is_json_type(column.type))


def _as_delivered(dataset: Dataset) -> Schema:
    """The declared columns as a file can have them: text where the format has no types, and all nullable."""
    return _in_format(dataset, _declared(dataset))


def _registered(dataset: Dataset) -> Schema:
    """What a delivery is compared with: the registered baseline, else the declared columns."""
    baseline = dataset.baseline.declared if dataset.baseline else Schema(())
    return _in_format(dataset, baseline if baseline.columns else _declared(dataset))


def _in_format(dataset: Dataset, schema: Schema) -> Schema:
    source = dataset.policy.source
    typed = source is not None and source.format is SourceFormat.PARQUET
    return Schema.of(Column(name=c.name, type=c.type if typed else "string") for c in schema.columns)


def _comparable(found: Schema, declared: Schema) -> Schema:
    """A file's column that is narrower than declared fits, and is no change."""
    from data_platform.model.schema import is_widening

    columns = []
    for column in found.columns:
        want = declared.get(column.name)
        fits = want is not None and is_widening(column.type, want.type)
        columns.append(Column(name=column.name, type=want.type if want and fits else column.type, nullable=True))
    return Schema.of(columns)


def _shown(file: DeliveryFile, registered: Schema) -> Schema:
    """The file's columns as they may be told: who sends no header sends values for names."""
    names = shown_names(file.schema.names, registered.names, file.renamed)
    return Schema.of(
        replace(c, name=names[c.name], type=shown_type(c.type, was.type if (was := registered.get(c.name)) else None))
        for c in file.schema.columns
    )


def _control_totals(delivery: Delivery, columns: Schema) -> dict[str, Decimal]:
    """Column, in the table's spelling, to the sum that the sender promises; one of no column can never be met."""
    promised = control_total.parse(delivery.control_totals)
    return {column.name if (column := columns.get(name)) else name: said for name, said in promised.items()}
