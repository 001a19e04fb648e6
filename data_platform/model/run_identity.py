"""Ids of the platform's runs in OpenLineage events, each derived from the platform's own run id."""

from __future__ import annotations

import uuid

_RUNS = uuid.UUID("8d5f3c1e-5a0b-4c55-9b0e-6f4f2a7c9d11")


def run_uuid(run_id: str, *parts: str) -> str:
    return str(uuid.uuid5(_RUNS, "/".join((run_id, *parts))))


def parent_of(run_id: str) -> str:
    """The parent run; a retry (``…r1``) of a step has its own run id within the same Dagster run."""
    return run_uuid(run_id.rpartition("r")[0] if retries_of(run_id) else run_id)


def retries_of(run_id: str) -> int:
    """Which retry of a step the run is; 0 if it is the first attempt."""
    base, _, retry = run_id.rpartition("r")
    return int(retry) if retry.isdecimal() and len(base) > len("run_20260101_") else 0
