"""Applies the statements of all files in order, to get what the scheduler would hold at the end.

As in the scheduler, a second ``insert_job`` of a name changes nothing, an update changes only what it names, deleting a
box with ``delete_job`` leaves its jobs without a box, and ``delete_box`` deletes them too. Renaming a box updates its
jobs, but not the conditions that name it. A statement that cannot be applied is a conflict in the findings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.legacy.jil.attribute import JOB_STATEMENTS, OBJECT_STATEMENTS, OTHER_STATEMENTS, REPEATABLE
from data_platform.legacy.jil.value import is_null, plain_text
from data_platform.model.legacy_coverage import Concern, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.legacy.jil.stanza import Attribute, Statement

Attributes = dict[str, tuple["Attribute", ...]]


@dataclass
class Job:
    """``attributes`` has several values only for attributes that JIL allows to repeat."""

    name: str
    file: str
    line: int
    attributes: Attributes
    overrides: Attributes = field(default_factory=dict)

    def value(self, key: str) -> str:
        """Returns the value as written; empty if there is none."""
        values = self.attributes.get(key)
        return values[-1].value if values else ""

    @property
    def box(self) -> str | None:
        return plain_text(self.value("box_name")) or None


@dataclass
class Thing:
    """A machine, calendar, global variable or instance."""

    kind: str
    name: str
    file: str
    line: int
    attributes: list[Attribute]


@dataclass
class Estate:
    jobs: dict[str, Job] = field(default_factory=dict)
    things: dict[tuple[str, str], Thing] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)


def build_estate(statements: Iterable[Statement], findings: list[Finding]) -> Estate:
    builder = _Builder(findings)
    for statement in statements:
        builder.apply(statement)
    return builder.estate


class _Builder:
    def __init__(self, findings: list[Finding]) -> None:
        self.estate = Estate()
        self.findings = findings
        self.members: dict[str, dict[str, None]] = {}  # jobs of each box, so that deleting one is quick
        self.first_names: dict[str, str] = {}  # maps the new name of a renamed job to its first name

    def apply(self, statement: Statement) -> None:
        name = plain_text(statement.subject)
        if not name:
            self._add(statement, Concern.STATEMENT, statement.kind, "has no name, and was not applied")
        elif statement.kind in JOB_STATEMENTS:
            getattr(self, f"_{statement.kind}")(statement, name)
        elif statement.kind in OBJECT_STATEMENTS:
            self._object(statement, name)
        elif statement.kind in OTHER_STATEMENTS:
            self._add(
                statement, Concern.STATEMENT, name, f"{statement.kind} is JIL, but the registry does not store it"
            )
        else:
            self._add(statement, Concern.STATEMENT, name, f"{statement.kind} is an unknown statement")

    def _insert_job(self, statement: Statement, name: str) -> None:
        if name in self.estate.jobs:
            first = self.estate.jobs[name]
            text = f"already inserted at {first.file}:{first.line}, which counts; use update_job, or delete it first"
            self._add(statement, Concern.CONFLICT, name, text)
            return
        job = Job(name, statement.file, statement.line, self._grouped(statement, name))
        self.estate.jobs[name] = job
        self.estate.deleted.pop(name, None)
        self._join(name, job.box)

    def _update_job(self, statement: Statement, name: str) -> None:
        job = self._existing(statement, name)
        if job is None:
            return
        before = job.box
        for key, values in self._grouped(statement, name).items():
            if is_null(values[-1].value):
                job.attributes.pop(key, None)
            else:
                job.attributes[key] = values
        if job.box != before:
            self._leave(name, before)
            self._join(name, job.box)

    def _override_job(self, statement: Statement, name: str) -> None:
        job = self._existing(statement, name)
        if job is not None:
            attributes = self._grouped(statement, name)
            job.overrides = {} if "delete" in attributes else {**job.overrides, **attributes}

    def _delete_job(self, statement: Statement, name: str) -> None:
        if self._existing(statement, name) is None:
            self.estate.deleted.setdefault(name)  # an earlier scan may have registered it
            return
        self._remove(name)
        for member in self.members.pop(name, {}):
            self.estate.jobs[member].attributes.pop("box_name", None)

    def _delete_box(self, statement: Statement, name: str) -> None:
        job = self._existing(statement, name)
        if job is None:
            self.estate.deleted.setdefault(name)
            return
        if not is_box(job):
            self._add(statement, Concern.CONFLICT, name, "is not a box and was not deleted; use delete_job")
            return
        pending = [name]
        while pending:
            box = pending.pop()
            if box in self.estate.jobs:
                self._remove(box)
            pending += self.members.pop(box, {})

    def _rename_job(self, statement: Statement, name: str) -> None:
        new_names = [a for a in statement.attributes if a.key == "new_name"]
        new = plain_text(new_names[-1].value) if new_names else ""
        if not new:
            self._add(statement, Concern.STATEMENT, name, "rename_job needs new_name, and was not applied")
            return
        if self._existing(statement, name) is None:
            return
        if new in self.estate.jobs:
            self._add(statement, Concern.CONFLICT, name, "its new name already belongs to another job; not renamed")
            return
        self._rename(name, new)

    def _rename(self, name: str, new: str) -> None:
        job = self.estate.jobs[new] = self.estate.jobs.pop(name)
        job.name = new
        self._leave(name, job.box)
        self._join(new, job.box)
        if members := self.members.pop(name, None):
            self.members[new] = members
            for member in members:
                self._put_in(self.estate.jobs[member], new)
        first = self.first_names.pop(name, name)
        self.first_names[new] = first
        self.estate.renamed[first] = new

    def _put_in(self, job: Job, box: str) -> None:
        old = job.attributes["box_name"][-1]
        job.attributes["box_name"] = (type(old)(old.key, box, old.file, old.line),)

    def _object(self, statement: Statement, name: str) -> None:
        noun = OBJECT_STATEMENTS[statement.kind]
        verb = statement.kind.partition("_")[0]
        key = (noun, name)
        existing = self.estate.things.get(key)
        if verb == "delete":
            if self.estate.things.pop(key, None) is None:
                self._add(statement, Concern.CONFLICT, name, f"no file has this {noun}; nothing was deleted")
        elif existing is None:
            if verb == "update":
                self._add(
                    statement,
                    Concern.CONFLICT,
                    name,
                    f"no file inserts this {noun}; its attributes here were kept",
                )
            self.estate.things[key] = Thing(noun, name, statement.file, statement.line, list(statement.attributes))
        elif noun == "global" or verb == "update":
            updated = {a.key for a in statement.attributes}
            existing.attributes = [*(a for a in existing.attributes if a.key not in updated), *statement.attributes]
        else:
            text = f"already inserted at {existing.file}:{existing.line}, which counts"
            self._add(statement, Concern.CONFLICT, name, text)

    def _existing(self, statement: Statement, name: str) -> Job | None:
        job = self.estate.jobs.get(name)
        if job is None:
            text = (
                f"{statement.kind} of a job that no statement before it inserts; scan the file that does, before this"
            )
            self._add(statement, Concern.CONFLICT, name, text)
        return job

    def _grouped(self, statement: Statement, name: str) -> Attributes:
        grouped: Attributes = {}
        for attribute in statement.attributes:
            before = grouped.get(attribute.key, ())
            if before and attribute.key not in REPEATABLE:
                text = f"appears twice, first at line {before[0].line}; the later one counts"
                self._add(attribute, Concern.CONFLICT, f"{name}.{attribute.key}", text)
            grouped[attribute.key] = (*before, attribute) if attribute.key in REPEATABLE else (attribute,)
        return grouped

    def _remove(self, name: str) -> None:
        job = self.estate.jobs.pop(name)
        self._leave(name, job.box)
        self.estate.deleted[name] = None

    def _join(self, name: str, box: str | None) -> None:
        if box is not None:
            self.members.setdefault(box, {})[name] = None

    def _leave(self, name: str, box: str | None) -> None:
        if box is not None:
            self.members.get(box, {}).pop(name, None)

    def _add(self, at: Statement | Attribute, concern: Concern, subject: str, text: str) -> None:
        self.findings.append(Finding(at.file, at.line, concern, subject, text))


def is_box(job: Job) -> bool:
    return plain_text(job.value("job_type")).lower() in ("b", "box")
