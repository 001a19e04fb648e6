"""What a signal or a failure signature shows, as far as it matters for the cause."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.lateness import LateCause
from data_platform.model.signal import SignalKind

if TYPE_CHECKING:
    from data_platform.model.signal import Finding


class Symptom(StrEnum):
    """The first five are about runs, the others about data. COUNT: another number of rows than usual."""

    NOT_STARTED = "NOT_STARTED"
    CRASHED = "CRASHED"
    SLOW = "SLOW"
    PARTIAL = "PARTIAL"
    HELD = "HELD"
    ABSENT = "ABSENT"
    INCOMPLETE = "INCOMPLETE"
    DUPLICATE = "DUPLICATE"
    SCHEMA = "SCHEMA"
    VALUE = "VALUE"
    PERSONAL = "PERSONAL"
    ROWS = "ROWS"
    COUNT = "COUNT"
    IDENTITY = "IDENTITY"
    ERROR = "ERROR"


LATE = frozenset({Symptom.NOT_STARTED, Symptom.CRASHED, Symptom.SLOW, Symptom.PARTIAL})
"""Symptoms of a partition that is not there, for which the inputs may be to blame that are not there either."""

_OF_LATENESS = {
    LateCause.JOB_NOT_TRIGGERED: Symptom.NOT_STARTED,
    LateCause.UPSTREAM_LATE: Symptom.NOT_STARTED,
    LateCause.JOB_FAILED: Symptom.CRASHED,
    LateCause.JOB_RUNNING_SLOW: Symptom.SLOW,
    LateCause.PARTIAL_WRITE: Symptom.PARTIAL,
    LateCause.HELD_BY_GATE: Symptom.HELD,
}

_OF_SIGNATURE = {
    Symptom.ERROR: ("GATE_RAISED", "NO_VERDICT", "TWO_VERDICTS", "UNEXPECTED_VERDICT"),
    Symptom.ABSENT: ("NO_DELIVERY", "NO_FILES", "NO_MANIFEST"),
    Symptom.INCOMPLETE: (
        "RECORD_COUNT", "CONTROL_TOTAL", "UNREADABLE", "MANIFEST", "CHECKSUM", "CUT_OFF", "EMPTY", "TRUNCATED",
    ),
    Symptom.DUPLICATE: ("NOT_UNIQUE", "DUPLICATE"),
    Symptom.SCHEMA: ("SCHEMA", "TYPE_MISMATCH"),
    Symptom.VALUE: ("UNKNOWN_ENUM",),
    Symptom.PERSONAL: ("PII",),
    Symptom.COUNT: ("VOLUME_ANOMALY", "ROW_COUNT"),
    Symptom.IDENTITY: ("WRONG_PRODUCER", "UNKNOWN_PRODUCER"),
}  # fmt: skip
"""The kinds of signatures, or the start of them: ``MANIFEST`` is for ``MANIFEST_SIZE`` too. Others are about rows."""
_OF_COLUMNS = frozenset({Symptom.SCHEMA, Symptom.VALUE, Symptom.ROWS, Symptom.PERSONAL, Symptom.DUPLICATE})


@dataclass(frozen=True, order=True)
class Effect:
    """``columns`` are those that the signature names; empty if it is about the whole batch, or about a run."""

    symptom: Symptom
    columns: tuple[str, ...] = ()
    signature: str = ""


def effect_of_signature(signature: str) -> Effect:
    prefix, *parts = signature.split(":")
    symptom = _symptom_of(prefix)
    if symptom not in _OF_COLUMNS:
        return Effect(symptom, (), signature)
    named = parts if symptom is Symptom.PERSONAL else parts[:1]
    columns = {column.strip().split(".")[0].lower() for part in named for column in part.split(",")}
    return Effect(symptom, tuple(sorted(columns - {"", "*"})), signature)


def _symptom_of(kind: str) -> Symptom:
    for symptom, starts in _OF_SIGNATURE.items():
        if any(kind == start or kind.startswith(f"{start}_") for start in starts):
            return symptom
    return Symptom.ROWS


def effect_of_finding(finding: Finding) -> Effect:
    if finding.kind is SignalKind.JOB:
        return Effect(Symptom.CRASHED, (), finding.signature)
    if finding.details.get("errored") or finding.signature.endswith(":errored"):
        return Effect(Symptom.ERROR, (), finding.signature)
    if finding.signature in _OF_LATENESS:
        without = ", ".join(finding.details.get("without", ()))
        shown = f"without rows of {without}" if without else finding.signature
        return Effect(_OF_LATENESS[LateCause(finding.signature)], (), shown)
    if finding.kind in (SignalKind.FRESHNESS, SignalKind.AT_RISK):
        return Effect(Symptom.NOT_STARTED, (), finding.signature)
    if finding.kind is SignalKind.VOLUME:
        return Effect(Symptom.COUNT, (), finding.signature)
    return effect_of_signature(finding.signature)
