"""Converts a job to a process of the registry: reads its fields, removes its secrets, and keeps the rest unchanged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.legacy.jil.attribute import NATURES, READ, Nature
from data_platform.legacy.jil.grammar import ConditionError, parse_condition
from data_platform.legacy.jil.line import is_open_quote
from data_platform.legacy.jil.schedule import schedule_of
from data_platform.legacy.jil.value import command_text, has_smart_quotes, items, plain_text
from data_platform.model.legacy import LegacyProcess, process_key
from data_platform.model.legacy_coverage import Concern, Finding
from data_platform.model.personal import redacted
from data_platform.model.secret import redact_named

if TYPE_CHECKING:
    from data_platform.legacy.jil.condition import Condition
    from data_platform.legacy.jil.estate import Attributes, Job
    from data_platform.legacy.jil.stanza import Attribute

KINDS = {
    **dict.fromkeys(("", "c", "cmd"), "CMD"),
    **dict.fromkeys(("b", "box"), "BOX"),
    **dict.fromkeys(("f", "fw", "ft"), "FW"),
}
"""Maps job types to their kind; JIL treats a job without a type as a command."""

_CONDITIONS = ("condition", "box_success", "box_failure")
_GLOBAL = re.compile(r"\$\$\{?([A-Za-z_][\w.#-]{0,63})", re.ASCII)


@dataclass(frozen=True)
class ReadJob:
    """``conditions`` maps each attribute to its condition; conditions that could not be read are missing."""

    process: LegacyProcess
    conditions: dict[str, tuple[Condition, Attribute]]


def read_job(job: Job, findings: list[Finding]) -> ReadJob:
    return _Reader(job, findings).read()


class _Reader:
    def __init__(self, job: Job, findings: list[Finding]) -> None:
        self.job = job
        self.findings = findings

    def read(self) -> ReadJob:
        job = self.job
        conditions = self._conditions()
        schedule, unread = schedule_of(job, self.findings)
        unread |= {key for key in _CONDITIONS if job.value(key) and key not in conditions}
        texts = {
            key: self._safe(job.attributes[key][-1])
            for key in ("command", "description", "watch_file")
            if job.value(key)
        }
        kept = {key: values for key, values in job.attributes.items() if key not in READ or key in unread}
        attributes = self._pairs(kept)
        overrides = self._pairs(job.overrides)
        written = [*texts.values(), *(value for _, value in attributes)]
        process = LegacyProcess(
            key=process_key(job.name, job.box),
            name=job.name,
            kind=self._kind(),
            box=job.box,
            owner=plain_text(job.value("owner")),
            machines=items(job.value("machine")),
            schedule=schedule,
            condition_globals=tuple(dict.fromkeys(n for c, _ in conditions.values() for n in c.globals_read)),
            text_globals=tuple(dict.fromkeys(name for text in written for name in _GLOBAL.findall(text))),
            attributes=attributes,
            overrides=overrides,
            file=job.file,
            line=job.line,
            **texts,
            **{via: str(condition) for via, (condition, _) in conditions.items()},
            trees={via: tree for via, (condition, _) in conditions.items() if (tree := condition.tree()) is not None},
        )
        return ReadJob(process, conditions)

    def _kind(self) -> str:
        written = plain_text(self.job.value("job_type"))
        kind = KINDS.get(written.lower())
        if kind is None:
            attribute = self.job.attributes["job_type"][-1]
            self._add(attribute, Concern.JOB_TYPE, f"{written!r} is a job type of which the scan reads only the name")
            return f"other:{written}"
        return kind

    def _conditions(self) -> dict[str, tuple[Condition, Attribute]]:
        conditions = {}
        for via in _CONDITIONS:
            if not self.job.value(via):
                continue
            attribute = self.job.attributes[via][-1]
            try:
                conditions[via] = (parse_condition(plain_text_of_condition(attribute.value)), attribute)
            except ConditionError as error:
                self._add(attribute, Concern.CONDITION, f"{error}; the job has no edges from it")
        return conditions

    def _pairs(self, attributes: Attributes) -> tuple[tuple[str, str], ...]:
        return tuple((key, self._safe(value)) for key, values in sorted(attributes.items()) for value in values)

    def _safe(self, attribute: Attribute) -> str:
        """Returns the value without JIL's quoting and without secrets."""
        key, written = attribute.key, attribute.value
        value = command_text(written) if key == "command" else plain_text(written)
        if key != "command" and has_smart_quotes(written):
            text = 'typographic quotes were removed where they served as quotes; write "'
            self._add(attribute, Concern.ENCODING, text)
        if NATURES.get(key) is Nature.TEXT and is_open_quote(written):
            self._add(attribute, Concern.AMBIGUITY, "an odd number of quotes; kept as written, to the end of the line")
        if key == "description":  # as in events: other attributes say what the job does, and stay whole
            value = redacted(value)
        safe = redact_named(key, value)
        if safe != value:
            text = "a secret was removed and is not stored; move it out of the definition"
            self._add(attribute, Concern.SECRET, text)
        return safe

    def _add(self, at: Attribute, concern: Concern, text: str) -> None:
        self.findings.append(Finding(at.file, at.line, concern, f"{self.job.name}.{at.key}", text))


def plain_text_of_condition(value: str) -> str:
    """Removes quotes around a whole condition; the grammar handles escapes."""
    text = value.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2 else text
