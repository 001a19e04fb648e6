"""Deliveries of the cases, read without Spark: the rows, or what holds them."""

from pathlib import Path
from typing import Any

from data_platform.ingestion.delivery import Delivery, find_delivery
from data_platform.ingestion.formats.text.text_format import read_share
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform.policies import load_policies
from data_platform_tests.case import CASES


def delivered(case: str, dataset: str, **keys: object) -> tuple[Delivery, list[dict[str, Any]]]:
    """The delivery of ``dataset`` in ``case``, with ``keys`` added to its source, and its rows."""
    folder = next(CASES.glob(f"{case}_*"))
    policies = load_policies(folder / "policies", check_rules=False)
    one = next(d for d in policies.datasets if d.id.name == dataset)
    assert one.policy.source is not None
    source = Source.model_validate({**one.policy.source.model_dump(), **keys})
    return read(folder / "landing", source, one.bundle.schema_.declared)


def read(landing: Path, source: Source, declared: Schema) -> tuple[Delivery, list[dict[str, Any]]]:
    columns = Schema.of(Column(name=column.name) for column in declared.columns)
    delivery = find_delivery(landing, source, None, columns)
    rows = [
        row
        for file in delivery.files
        for batch in read_share(delivery.format, file, columns)
        for row in batch.to_pylist()
    ]
    return delivery, rows


def reasons(delivery: Delivery) -> str:
    """All that a person reads of why the delivery is held."""
    return "; ".join([*delivery.details, *(f"{file}: {why}" for file, why in delivery.unreadable.items())])


def is_held(delivery: Delivery) -> bool:
    return bool(delivery.problems or delivery.unreadable)
