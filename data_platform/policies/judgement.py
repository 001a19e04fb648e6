"""Which parts of a policy a verdict depends on, as one fingerprint for each stage.

A verdict counts under its own policy only. A stage that was judged under other parts than the current ones is judged
again before anything depends on it; a change of a part that no gate reads has no effect:

    bronze   source (but not how a database is reached), partition, the names and types of columns, schema.mode,
             widening, accepted; the baseline's columns
    silver   partition, source.exponents and rounding, schema, contract_lite, pii, dq, slo.volume,
             slo.freshness.parts, the process's inputs and steps
    gold     partition, schema, contract, pii.detection, pii.kinds

Silver's verdicts depend on the versions of the detectors of personal values too (``model.detector``), gold's on that of
the patterns if a rule is for one: a new version causes the rows to be judged again.

No gate reads: urn, owner_team, owner_email, tier, description (of datasets, columns and steps), category, tags,
status, storage, other keys of slo.freshness, and of a process its owner, trigger and schedule. A policy that is changed
back has its old fingerprint again, and so its old verdicts.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from data_platform.model.dataset import Stage
from data_platform.model.detector import CLASSIFIER, PATTERNS
from data_platform.model.table_source import OPERATIONAL, TableSource

if TYPE_CHECKING:
    from data_platform.model.baseline import Baseline
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle, SchemaPolicy
    from data_platform.model.process import Process
    from data_platform.model.source import Source

RULES_VERSION = 2
"""Raise it if a gate judges the same rows under the same policy differently: older verdicts then no longer count."""


def judgement_fingerprint(
    stage: Stage, policy: DatasetPolicy, bundle: PolicyBundle, baseline: Baseline | None, process: Process | None
) -> str:
    """16 hexadecimal digits over the parts that the gates of ``stage`` read, defaults included."""
    parts: dict[str, Any] = {"rules": RULES_VERSION, "partition": _plain(policy.partition)}
    schema = _plain(bundle.schema_)
    if stage is Stage.BRONZE:
        columns = [(constraint.field, constraint.column.type) for constraint in bundle.schema_.constraints]
        registered = baseline.schema_fingerprint or baseline.declared.fingerprint if baseline else None
        parts |= {
            "source": _source(policy.source),
            "schema": [*_mode(bundle.schema_), columns, registered],
        }
    elif stage is Stage.SILVER:
        reading = [policy.source.exponents, policy.source.rounding] if policy.source else None
        parts |= {"reading": reading, "schema": schema, "contract": _plain(bundle.contract_lite)}
        parts |= {
            "pii": [_plain(bundle.pii), PATTERNS, CLASSIFIER],
            "dq": _plain(bundle.dq),
            "volume": _plain(policy.slo.volume),
        }
        parts |= {"process": [_plain(process.inputs), _plain(process.steps)] if process else None}
        freshness = policy.slo.freshness
        if freshness and freshness.parts:
            parts |= {"parts": {"column": freshness.parts.column, "values": freshness.parts.values}}
    else:
        personal = [_plain(bundle.pii.detection), _plain(bundle.pii.kinds), PATTERNS] if bundle.pii.detection else []
        parts |= {"schema": schema, "contract": _plain(bundle.contract), "pii": personal}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _mode(schema: SchemaPolicy) -> list[Any]:
    return [schema.mode.value, schema.allows_widening, list(schema.accepted)]


def _source(source: Source | TableSource | None) -> Any:
    """How rows are found and read; not how a database is reached, nor when.

    Of files only the keys that the format supports: a key that a new version adds for another format changes no
    fingerprint.
    """
    if source is None:
        return None
    left_out = OPERATIONAL if isinstance(source, TableSource) else set(source.format.traits.unsupported_keys)
    return source.model_dump(mode="json", by_alias=True, exclude=set(left_out))


def _plain(part: Any) -> Any:
    """A part of a policy as JSON, without descriptions."""
    if isinstance(part, list | tuple):
        return [_plain(item) for item in part]
    if isinstance(part, dict):
        return {name: _plain(value) for name, value in part.items() if name != "description"}
    return _plain(part.model_dump(mode="json", by_alias=True)) if hasattr(part, "model_dump") else part
