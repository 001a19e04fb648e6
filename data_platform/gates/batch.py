"""What the gates of a stage plan from: the policy, rows that are not read yet, and facts about the batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal

    from pyspark.sql import Column, DataFrame

    from data_platform.gates.pii_plan import PiiPlan
    from data_platform.model.baseline import Baseline
    from data_platform.model.contract import Reference
    from data_platform.model.delivered_content import ContentHistory
    from data_platform.model.delivery_history import DeliveryHistory
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.model.schema import Schema
    from data_platform.model.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class BronzeBatch:
    """A delivery before its rows are read.

    ``problems`` and ``warnings`` map signatures to reasons. The columns of each file are compared with ``registered``.
    ``counted`` are the declared columns of a text delivery whose values are counted by type. ``totals`` are the sums
    that the sender promised, ``file_counts`` its counts of records by file. ``stored`` reads the columns of bronze's
    table, None if there is none. ``domains`` are the learned codes of columns. ``contents`` reads what was delivered
    for the partitions around this one, to compare with a digest; None without partitions.
    """

    policy: DatasetPolicy
    bundle: PolicyBundle
    delivery_id: str
    files: Sequence[str]
    problems: Mapping[str, str]
    warnings: Mapping[str, str]
    producer: str | None
    registered: Schema
    columns: Schema
    file_columns: Mapping[str, Schema]
    unreadable: Mapping[str, str]
    renamed: Mapping[str, str]
    counted: Schema
    record_count: int | None
    file_counts: Mapping[str, int]
    totals: Mapping[str, Decimal]
    stored: Callable[[], Schema | None]
    domains: Mapping[str, Sequence[str]]
    unread: str
    """The end of a record's reason if the rest of its file could not be read."""
    contents: Callable[[str], ContentHistory] | None = None


@dataclass(frozen=True, kw_only=True)
class SilverBatch:
    """Typed rows.

    ``flags`` map signatures to rows that must be rejected whatever the contract is: their values have other types,
    no calendar has their dates, or they are of another day; ``reasons`` has what was expected instead. ``text`` maps a
    column to the one with its delivered text. ``promised`` are the sums that the sender promised. ``columns_verdict``
    judges the columns that a process makes; None if the rows were delivered. ``history`` are the deliveries of earlier
    partitions, None without partitions.
    """

    policy: DatasetPolicy
    bundle: PolicyBundle
    baseline: Baseline | None
    rows: DataFrame
    target: Schema
    now: datetime
    personal: PiiPlan
    stand_in: Callable[[Column], Column]
    flags: Mapping[str, Column] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    promised: Mapping[str, Decimal] = field(default_factory=dict)
    columns_verdict: Verdict | None = None
    history: DeliveryHistory | None = None


@dataclass(frozen=True, kw_only=True)
class GoldBatch:
    """The candidate for certification, as a whole.

    ``before`` are the columns that consumers see now, ``after`` those of the candidate. ``promised`` are the sums of
    the rows that silver kept. ``referenced`` reads the certified rows of a reference and their version. ``domains`` are
    the learned codes of columns.
    """

    policy: DatasetPolicy
    bundle: PolicyBundle
    rows: DataFrame
    now: datetime
    before: Schema | None
    after: Schema
    promised: Mapping[str, Decimal]
    referenced: Callable[[Reference], tuple[DataFrame, int]]
    domains: Mapping[str, Sequence[str]] = field(default_factory=dict)


Batch: TypeAlias = BronzeBatch | SilverBatch | GoldBatch
