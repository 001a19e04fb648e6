"""Compares a legacy job's output with the certified version of a dataset: ``legacy compare`` without its screen output.

The dataset's own PII rules remediate personal values of the legacy output before the comparison, as in silver: a legacy
address is compared as its token. A version that is not certified is never read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from data_platform.errors import NotCertifiedError, SourceError, UsageError
from data_platform.lake.partition import Slice
from data_platform.lake.table import LakeTable, schema_of
from data_platform.model.dataset import Stage
from data_platform.parity.column import check_rules, paired
from data_platform.parity.comparison import Comparison
from data_platform.parity.kind import is_scalar
from data_platform.parity.output import read_output
from data_platform.parity.report import Incomparable, NewSide, ParityReport
from data_platform.parity.rule import Rules
from data_platform.parity.sample import samples
from data_platform.parity.side import legacy_side, new_side, of_partition
from data_platform.stage.redaction import protector
from data_platform.stage.spark_failure import condition_of, spark_errors
from data_platform.stage.table_read import READER, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.pii_policy import Pii
    from data_platform.model.schema import Schema
    from data_platform.parity.column import Columns
    from data_platform.parity.comparison import Counted
    from data_platform.parity.output import LegacyOutput, OutputPlace
    from data_platform.parity.report import Sample
    from data_platform.policies import Dataset


@dataclass(frozen=True, kw_only=True)
class ParityRequest:
    """A comparison to run. Without ``keys`` the keys are the first ``unique`` of the dataset's contract.

    ``renamed`` maps a legacy column to ours; ``samples`` is the number of keys shown for each kind of difference.
    """

    output: OutputPlace
    dataset: str
    keys: tuple[str, ...] = ()
    partition: str | None = None
    renamed: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    rules: Rules = field(default_factory=Rules)
    samples: int = 0


def compare(platform: Platform, request: ParityRequest, on_step: Callable[[str], None]) -> ParityReport:
    """Compares both sides; ``on_step`` receives a text for each step.

    Raises:
        UsageError: A name or option of the request does not fit the two sides.
        NotCertifiedError: No version of the dataset, or of that partition, has ever been certified.
        SourceError: The legacy output cannot be read.
    """
    dataset = platform.policies.dataset(request.dataset)
    partition = _partition(platform, dataset, request.partition)
    new = _certified(platform, dataset, partition)
    on_step("opening Spark")
    spark = tuned(platform.spark)
    on_step("looking at both sides")
    output = read_output(spark, request.output)
    rows = rows_of(LakeTable(spark, new.path), dataset, Stage.CERTIFIED, new.version, READER)
    schema = schema_of(rows)
    keys = request.keys or _promised_key(dataset, partition)
    columns = paired(output.schema, schema, keys=keys, renamed=request.renamed, ignored=request.ignored)
    check_rules(columns, request.rules)
    if partition is not None:
        output, rows, columns = _of_partition(dataset, partition, output, rows, columns)
    comparison = Comparison(
        legacy_side(output, columns, request.rules, protector(platform, dataset)),
        new_side(rows, columns, request.rules),
        columns,
        request.rules,
        personal_columns(dataset.bundle.pii, schema),
    )
    counted, shown = _count(comparison, request, on_step)
    column_facts = _column_facts(columns, request.rules)
    return ParityReport(
        legacy=output.side, new=new, partition=partition, rows=counted.rows,
        columns=counted.columns, compared_at=platform.now(), samples=shown, **column_facts,
    )  # fmt: skip


def tuned(spark: SparkSession) -> SparkSession:
    """Returns a new session, for more rows than a day's batch has.

    Spark itself merges shuffle partitions that turn out to be small.
    """
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "64")
    return session


def personal_columns(policy: Pii, schema: Schema) -> frozenset[str]:
    """Returns the lower-case names of the columns that a PII rule searches; a rule without fields searches every text.

    No rule searches nested columns, so they may contain anything: they count as personal if there is any rule.
    """
    named = {name.lower() for rule in policy.detection for name in rule.fields}
    everywhere = any(not rule.fields for rule in policy.detection)
    searched = {c.name.lower() for c in schema.columns if everywhere and c.type == "string"}
    nested = {c.name.lower() for c in schema.columns if policy.detection and not is_scalar(c.type)}
    return frozenset(named | searched | nested)


def _partition(platform: Platform, dataset: Dataset, text: str | None) -> PartitionKey | None:
    if text is None:
        return None
    if dataset.policy.partition is None:
        raise UsageError(f"{dataset.urn} has no partitions: leave --partition out")
    return platform.partition(dataset, text)


def _certified(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> NewSide:
    pointer = platform.certified(dataset.urn)
    last = platform.catalog.runs.latest(dataset.urn, Stage.CERTIFIED, partition, passed_only=True)
    if partition and last is None:
        raise NotCertifiedError(f"{dataset.urn} {partition} was never certified: run it until its gates pass")
    assert pointer.version is not None, "a pointer without a version is not certified"  # noqa: S101
    return NewSide(urn=dataset.urn, path=pointer.path, version=pointer.version, certified_at=pointer.certified_at)


def _promised_key(dataset: Dataset, partition: PartitionKey | None) -> tuple[str, ...]:
    """Returns the contract's unique fields, with the partition key, since they are unique within a partition."""
    if not dataset.bundle.contract.unique:
        raise UsageError(f"{dataset.urn} promises no unique columns: name those that identify a row, such as --keys id")
    fields = dataset.bundle.contract.unique[0].fields
    declared = dataset.policy.partition
    if partition is not None or declared is None or declared.key.lower() in map(str.lower, fields):
        return fields
    return (*fields, declared.key)


def _of_partition(
    dataset: Dataset, partition: PartitionKey, output: LegacyOutput, rows: DataFrame, columns: Columns
) -> tuple[LegacyOutput, DataFrame, Columns]:
    """Returns both sides of it; a legacy output without the partition's column is assumed to contain only that one."""
    assert dataset.policy.partition is not None, "a dataset without partitions has none to compare"  # noqa: S101
    key = dataset.policy.partition.key
    rows = Slice(key, partition).of(rows)
    if pair := columns.of(key):
        return replace(output, rows=of_partition(output, pair, partition)), rows, columns
    others = tuple(name for name in columns.only_in_new if name.lower() != key.lower())
    return output, rows, replace(columns, only_in_new=others)


def _count(
    comparison: Comparison, request: ParityRequest, on_step: Callable[[str], None]
) -> tuple[Counted, tuple[Sample, ...]]:
    on_step("comparing")
    try:
        counted = comparison.count()
        if counted.files_cut_off:
            raise SourceError(
                f"{request.output.path}: {counted.files_cut_off} of its files cannot be read to the end, so that "
                f"it is unknown how much is missing: are they {request.output.encoding}? --encoding names another"
            )
        if not request.samples or not counted.rows.differing:
            return counted, ()
        on_step("taking samples")
        return counted, samples(comparison, request.samples)
    except spark_errors() as error:
        raise SourceError(
            f"comparing {request.output.path} with {request.dataset}: Spark ended with {condition_of(error)}; look "
            "whether the legacy job's files are whole and stay while they are read, and compare again"
        ) from None


def _column_facts(columns: Columns, rules: Rules) -> dict[str, Any]:
    """Returns the report's fields about column names and options."""
    unmatched = (
        Incomparable(name=p.name, legacy_type=p.legacy.type, new_type=p.new.type) for p in columns.incomparable
    )
    return {
        "keys": tuple(pair.name for pair in columns.keys),
        "incomparable": tuple(unmatched),
        "only_in_legacy": columns.only_in_legacy,
        "only_in_new": columns.only_in_new,
        "ignored": columns.ignored,
        "renamed": {p.legacy.name: p.name for p in (*columns.keys, *columns.values) if p.legacy.name != p.name},
        "rules": rules.non_defaults,
        "allowed": rules.allowed,
    }
