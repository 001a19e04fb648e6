"""What to do about quarantined rows, by the kind of their failure signature. The one place that has this advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.quarantine import Level, QuarantineEntry

_ASK = "ask the producer for a corrected delivery"
_POLICY = "or change the rule in policy_bundle.yaml and replay"

ADVICE: Mapping[str, str] = {
    "UNKNOWN_ENUM": "add the value to the column's enum and replay, or fix it upstream",
    "MISSING_FIELD": f"{_ASK}, or make the column nullable and replay",
    "FORMAT": f"{_ASK}, {_POLICY}",
    "INVARIANT": f"{_ASK}, {_POLICY}",
    "TYPE_MISMATCH": f"{_ASK}; the column's text is not of its declared type",
    "INVALID_TEXT": f"{_ASK}; the text is not UTF-8, and other readers cannot read it",
    "NOT_FINITE": f"{_ASK}; the number is NaN or infinite",
    "ROUNDED": f"{_ASK}, or declare a wider type or `rounding` and replay",
    "YEAR_OUT_OF_RANGE": f"{_ASK}; other readers cannot store the year",
    "MALFORMED_RECORD": f"{_ASK}; the record cannot be split into columns, so check quotes and delimiters",
    "WRONG_PARTITION": f"{_ASK} for each day; the rows are of another day",
    "DISCARDED": "nothing: somebody discarded these rows",
    "NOT_UNIQUE": f"{_ASK} without duplicates, or correct `unique` in policy_bundle.yaml and replay",
    "UNKNOWN_REFERENCE": "run the dataset that is referred to, then replay",
    "CONTROL_TOTAL": f"{_ASK}; the sums differ from those that the sender declared",
    "RECORD_COUNT": f"{_ASK}; the number of records differs from the declared one",
    "REPEATED_DELIVERY": "ask the producer for the rows of this day; set source.repeated_delivery: allow if they may "
    "stay the same",
    "NULL_WATERMARK": "have the watermark of these rows filled, or leave them out with `source.query`, and run again",
    "EMPTY_BATCH": f"{_ASK}; no row was accepted",
    "ROW_COUNT": f"{_ASK}, or lower min_rows and replay",
    "NULL_RATE": f"{_ASK}, or widen the metric's bounds and replay",
    "SCHEMA": "accept the changed columns in policy_bundle.yaml and replay, or ask the producer to undo the change",
    "PII": "declare an action for this kind of value in `pii` and replay",
    "PII_UNDECLARED": "add a rule for the column to `pii`, or list the kind in pii.undeclared.allowed, and replay",
    "PII_LEAK": "add the column to a rule of `pii` and replay",
    "NO_DELIVERY": "wait for the delivery, or check `source.path`",
    "NO_FILES": "wait for the delivery, or check `source.path`",
    "WRONG_PRODUCER": "check who sent the delivery; `source.producer` names the expected one",
    "UNKNOWN_PRODUCER": "ask the sender to name the producer in the manifest",
    "UNREADABLE": f"{_ASK}; a file cannot be read",
    "MANIFEST": f"{_ASK} with a manifest that fits its files",
    "NO_MANIFEST": "wait for the manifest, or ask the producer for it",
    "UNEXPECTED": "move files that do not belong to the delivery out of its folder, then run again",
    "BASELINE_MISSING": "restore or correct baseline.json, or set `baseline: optional` in policy_bundle.yaml; then run",
    "INPUT_VANISHED": "restore the file or table that is named, or run what makes it again; then run the day again",
    "GATE_RAISED": "run the day again; if it raises again, report the error with --debug to who maintains the platform",
    "POLICY_CHANGED": "run every stage of the day again",
    "NOT_PASSED": "fix the cause, and run the failed day again",
    "RELEASE_WITHDRAWN": "run the day again, or have a new release approved first",
    "WAIVER": "run the day again, or have a new waiver approved first",
    "CUT_OFF": f"{_ASK}; a file ends within a record",
}
"""By the kind, or by the start of it: ``MANIFEST`` is for ``MANIFEST_SIZE`` too."""

OTHERWISE = "look at the rows with `data-platform quarantine show`, then fix them upstream or change the policy"

RELEASABLE_ROWS = frozenset({"UNKNOWN_ENUM", "MISSING_FIELD", "FORMAT", "INVARIANT"})
"""A released row keeps its values. Rows of other kinds have no value of their type, or belong to another day."""
RELEASABLE_BATCHES = RELEASABLE_ROWS | {"NOT_UNIQUE", "UNKNOWN_REFERENCE", "ROW_COUNT", "NULL_RATE"}
"""Never the columns, personal values, or totals that the sender declared."""


def kind_of(signature: str) -> str:
    return signature.partition(":")[0]


def advice(signature: str) -> str:
    """What to do about rows with this signature."""
    kind = kind_of(signature)
    if kind in ADVICE:
        return ADVICE[kind]
    starts = [start for start in ADVICE if kind.startswith(f"{start}_")]
    return ADVICE[max(starts, key=len)] if starts else OTHERWISE


def has_releasable_delivery(entry: QuarantineEntry) -> bool:
    """A release is bound to a delivery that passed bronze."""
    return bool(entry.delivery_id) and entry.stage is not Stage.BRONZE


def is_releasable(signature: str, level: Level) -> bool:
    """Whether people may let through what breaks this rule."""
    return kind_of(signature) in (RELEASABLE_ROWS if level == "row" else RELEASABLE_BATCHES)
