"""The policy of a dataset that a job writes, and frames for it."""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from data_platform.job_guard.guarded import Guarded
from data_platform_tests.policies.tree import write

URN = "ds://shop/orders"
POLICY: dict[str, Any] = {"urn": URN, "owner_team": "shop", "tier": "TIER_2"}
BUNDLE: dict[str, Any] = {
    "schema": {
        "mode": "compatible",
        "constraints": [
            {"field": "order_id", "type": "BIGINT", "nullable": False},
            {"field": "kind", "type": "STRING", "enum": ["A", "B"]},
            {"field": "total", "type": "DOUBLE"},
            {"field": "note", "type": "STRING"},
        ],
    },
    "contract_lite": {"required_fields": ["order_id"], "min_compliance": 0.5},
    "contract": {
        "invariants": [{"id": "total_is_positive", "rule": "total IS NULL OR total > 0.0e0"}],
        "unique": ["order_id"],
    },
    "pii": {"detection": [{"pattern": "EMAIL", "action": "mask", "fields": ["note"]}]},
    "dq": {"min_rows": 2, "metrics": [{"field": "total", "max_null_rate": 0.5}]},
}
GOOD = {"order_id": [1, 2, 3], "kind": ["A", "B", None], "total": [1.5, 2.5, None], "note": ["x", None, "y"]}


def declare(folder: Path, *, bundle: dict[str, Any] | None = None, **policy: Any) -> None:
    text = yaml.safe_dump({**BUNDLE, **(bundle or {})})
    write(
        folder,
        {
            "datasets/shop/orders/dataset.yaml": yaml.safe_dump({**POLICY, **policy}),
            "datasets/shop/orders/policy_bundle.yaml": text,
        },
    )


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({**GOOD, **columns})


def broken(guarded: Guarded) -> dict[str, set[str]]:
    return {str(v.gate): set(v.signatures) for v in guarded.verdicts if v.signatures}
