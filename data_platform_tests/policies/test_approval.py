"""The fingerprint of an approval changes with what the files declare, and with nothing else."""

import json
from pathlib import Path

import pytest
import yaml

from data_platform.policies import load_policies
from data_platform.policies.approval import approval_fingerprint

DATASET = {"urn": "ds://sales/orders", "owner_team": "sales", "tier": "TIER_3"}
BUNDLE = {"schema": {"constraints": [{"field": "id", "type": "INT"}]}}
BASELINE = {"schema": [{"name": "id", "type": "int"}], "row_count": {"mean": 10}}


def fingerprint(
    root: Path, dataset: object = DATASET, bundle: object = BUNDLE, baseline: object = BASELINE, comment: str = ""
) -> str:
    folder = root / "policies" / "datasets" / "sales" / "orders"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dataset.yaml").write_text(comment + yaml.safe_dump(dataset))
    (folder / "policy_bundle.yaml").write_text(yaml.safe_dump(bundle))
    (folder / "baseline.json").write_text(json.dumps(baseline))
    return approval_fingerprint(load_policies(root / "policies").dataset("orders"))


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        pytest.param({"dataset": {**DATASET, "tier": "TIER_1"}}, True, id="another tier"),
        pytest.param({"bundle": {**BUNDLE, "dq": {"min_rows": 2}}}, True, id="another rule"),
        pytest.param({"baseline": {"schema": [{"name": "id", "type": "bigint"}]}}, True, id="another column"),
        pytest.param({"baseline": {**BASELINE, "row_count": {"mean": 99}}}, False, id="another mean"),
        pytest.param({"bundle": {**BUNDLE, "dq": {"min_rows": 1}}}, False, id="a default, written out"),
        pytest.param({"comment": "# a comment\n"}, False, id="a comment"),
    ],
)
def test_an_edit_needs_a_new_approval_if_it_declares_something_else(
    tmp_path: Path, edit: dict[str, object], *, changes: bool
) -> None:
    before = fingerprint(tmp_path)

    assert (fingerprint(tmp_path, **edit) != before) is changes  # type: ignore[arg-type]
