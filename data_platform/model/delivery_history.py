"""What the catalog knows of earlier deliveries of a dataset: their row counts, and the metrics of their columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.volume import DeliveredRows


@dataclass(frozen=True, kw_only=True)
class FieldMetrics:
    """Metrics of one column over the rows of a delivery that were kept; None for what was not measured.

    ``null_rate`` is a share of the rows, 0..1. ``mean``, ``stddev``, ``min`` and ``max`` are over finite values,
    ``distinct`` is an estimate. ``shares`` map known codes to their share of the values.
    """

    null_rate: float | None = None
    mean: float | None = None
    stddev: float | None = None
    min: float | None = None
    max: float | None = None
    distinct: float | None = None
    shares: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> FieldMetrics:
        """From the metadata of DQ's verdict, which may have more or fewer metrics."""
        numbers = {name: document.get(name) for name in ("null_rate", "mean", "stddev", "min", "max", "distinct")}
        return cls(**numbers, shares=document.get("shares") or {})


@dataclass(frozen=True)
class DeliveredFields:
    """``rows`` is the number that was kept. ``fields`` are the metrics by the column's name in lower case."""

    partition: PartitionKey
    rows: int
    fields: Mapping[str, FieldMetrics]


@dataclass(frozen=True)
class DeliveryHistory:
    """``rows`` and ``fields`` read the deliveries of partitions before ``partition``, in their order."""

    partition: PartitionKey
    rows: Callable[[], Sequence[DeliveredRows]]
    fields: Callable[[], Sequence[DeliveredFields]]
