"""The orders of a shop, whose contract has a rule of each kind, and rows that keep or break each of them."""

import random
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from data_platform.frame.contract import DatasetContract
from data_platform.model.policy import DatasetPolicy
from data_platform.model.policy_bundle import PolicyBundle
from data_platform.policies.catalog import Dataset

URN = "ds://shop/orders"
BUNDLE: dict[str, Any] = {
    "schema": {
        "constraints": [
            {"field": "id", "type": "INT", "nullable": False, "description": "Counts from 1."},
            {"field": "kind", "type": "STRING", "enum": ["A", "B"]},
            {"field": "code", "type": "STRING", "pattern": "[a-z]{2}"},
            {"field": "level", "type": "INT", "enum": ["1", "2"]},
            {"field": "price", "type": "DECIMAL(10,2)", "enum": ["1.50", "20.00", "-1.00"]},
            {"field": "share", "type": "DOUBLE"},
            {"field": "ordered", "type": "DATE", "nullable": False},
            {"field": "sent_at", "type": "TIMESTAMP"},
        ]
    },
    "contract_lite": {
        "required_fields": ["kind"],
        "invariants": [
            {"id": "price_is_positive", "rule": "price > 0"},
            {"id": "sent_after_the_order", "rule": "sent_at >= ordered", "severity": "BLOCK"},
            {"id": "share_is_small", "rule": "share < 0.5e0", "severity": "WARN"},
        ],
    },
    "contract": {
        "invariants": [{"id": "a_has_a_level", "rule": "kind <> 'A' OR level IS NOT NULL"}],
        "unique": [{"fields": ["id", "kind"], "compare": ["trim"]}],
    },
}
VALUES: dict[str, list[Any]] = {
    "id": [None, 1, 2, 3, 40, 41, 42, 43, 44, 45],
    "kind": [None, "A", "B", "B ", "C", ""],
    "code": [None, "ab", "abc", "ab\n", "A", "", "éé"],
    "level": [None, 1, 2, 3],
    "price": [None, Decimal("1.50"), Decimal("20.00"), Decimal("-1.00"), Decimal("7.00")],
    "share": [None, 0.25, 0.75, float("inf"), -0.0],
    "ordered": [None, date(2025, 3, 9), date(2025, 3, 10)],
    "sent_at": [None, datetime(2025, 3, 9, 5, tzinfo=UTC), datetime(2025, 3, 9, 4, 59, tzinfo=UTC)],
}
SPARK_TYPES = (
    "id int, kind string, code string, level int, price decimal(10,2), share double, ordered date, sent_at timestamp"
)
GOOD: dict[str, Any] = {name: values[1] for name, values in VALUES.items()}


def dataset(zone: str = "America/New_York", **changes: Any) -> Dataset:
    """``changes`` replace parts of the bundle."""
    policy = {"urn": URN, "owner_team": "shop", "tier": "TIER_2", "time_zone": zone}
    source = {"format": "csv", "path": "orders", "producer": "till"}
    bundle = PolicyBundle.model_validate({**BUNDLE, **changes})
    return Dataset(DatasetPolicy.model_validate({**policy, "source": source}), bundle, None, None, "0" * 16)


def contract(**changes: Any) -> DatasetContract:
    return DatasetContract(dataset(**changes))


def random_rows(count: int) -> list[dict[str, Any]]:
    """Rows of good and bad values, always the same; half of the values are good."""
    choice = random.Random(3)  # noqa: S311 - not for secrets
    return [
        {name: choice.choice([GOOD[name], choice.choice(values)]) for name, values in VALUES.items()}
        for _ in range(count)
    ]
