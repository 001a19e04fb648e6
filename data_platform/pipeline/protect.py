"""Takes personal values out of rows on their way to quarantine, where they are kept as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates import pii
from data_platform.gates.column import quoted
from data_platform.model.policy import Pii, PiiRule
from data_platform.pipeline import token_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from data_platform.pipeline.platform import Platform
    from data_platform.policies import Dataset

_RAW = "_raw"


def protector(platform: Platform, dataset: Dataset) -> Callable[[DataFrame], DataFrame]:
    """Rows with every text column remediated by the dataset's PII rules; the raw text of a record by all of them."""
    rules = dataset.bundle.pii.detection
    if not rules:
        return lambda rows: rows
    secret = token_key.secret(platform, dataset)

    def protect(rows: DataFrame) -> DataFrame:
        present = {name.lower() for name in rows.columns}
        narrowed = [
            PiiRule(pattern=r.pattern, action=r.action, fields=tuple(f for f in r.fields if f.lower() in present))
            for r in rules
            if not r.fields or any(f.lower() in present for f in r.fields)
        ]
        anywhere = tuple(PiiRule(pattern=r.pattern, action=r.action) for r in rules)
        values = pii.plan(rows.drop(_RAW).schema, Pii(detection=tuple(narrowed)), secret).remediated
        if _RAW in rows.columns:
            values |= pii.plan(rows.select(_RAW).schema, Pii(detection=anywhere), secret, told=(_RAW,)).remediated
        return rows.select(*(values[n].alias(n) if n in values else quoted(n) for n in rows.columns))

    return protect
