"""How much of a legacy scheduler's files was understood, and what was not: the findings of a scan."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Concern(StrEnum):
    """The subject of a finding. The first group was not understood, or not applied; the second is worth knowing."""

    TEXT = "text"
    STATEMENT = "statement"
    ATTRIBUTE = "attribute"
    JOB_TYPE = "job_type"
    VALUE = "value"
    CONDITION = "condition"
    CONFLICT = "conflict"

    REFERENCE = "reference"
    CYCLE = "cycle"
    ENCODING = "encoding"
    COMMENT = "comment"
    AMBIGUITY = "ambiguity"
    DATASET = "dataset"
    SECRET = "secret"  # noqa: S105 - a label, not a secret

    @property
    def is_gap(self) -> bool:
        return self in _GAPS


_GAPS = frozenset(
    {
        Concern.TEXT, Concern.STATEMENT, Concern.ATTRIBUTE, Concern.JOB_TYPE, Concern.VALUE, Concern.CONDITION,
        Concern.CONFLICT,
    }
)  # fmt: skip


@dataclass(frozen=True, order=True)
class Finding:
    """``subject`` is a job, or ``job.attribute``. The text never quotes a value: it could be a password."""

    file: str
    line: int
    concern: Concern
    subject: str
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.subject, self.text) if part)


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How much of the files was understood. Every line is blank, comment, read, or named by a finding.

    ``kept`` attributes are JIL's own, stored with their process, and without a meaning for the registry.
    """

    files: tuple[str, ...] = ()
    lines: int = 0
    statements: tuple[tuple[str, int], ...] = ()
    read: int = 0
    kept: int = 0
    unknown: int = 0
    findings: tuple[Finding, ...] = ()

    @property
    def gaps(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.concern.is_gap)
