"""Generated estates with their graph, written as JIL in every form that JIL allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from random import Random

STATES = ("success", "failure", "done", "terminated", "notrunning", "exitcode")
BROKEN = ("s({name}", "s({name}) &", "x({name})", "s({name}) s({name})", "not s({name})", "s({name},.30)", "s()")
Edge = tuple[str, str, str, str]
"""Upstream job (``NAME`` or ``NAME^INSTANCE``), downstream job, state, attribute."""


@dataclass
class GeneratedJob:
    name: str
    kind: str
    box: str | None = None
    conditions: dict[str, str] = field(default_factory=dict)
    secret: str | None = None


@dataclass
class GeneratedEstate:
    """``refused`` are jobs whose condition is none; ``secrets`` are in commands."""

    files: list[bytes]
    boxes: dict[str, str | None]
    edges: set[Edge]
    refused: set[str]
    secrets: list[str]
    renamed: dict[str, str]
    deleted: set[str]


@st.composite
def estates(draw: st.DrawFn) -> GeneratedEstate:
    return make_estate(draw(st.randoms(use_true_random=False)), draw(st.integers(1, 25)))


def make_estate(random: Random, size: int) -> GeneratedEstate:
    return _Maker(random, size).estate()


class _Maker:
    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.jobs: dict[str, GeneratedJob] = {}
        self.edges: set[Edge] = set()
        self.refused: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.deleted: set[str] = set()
        for number in range(size):
            name = f"{random.choice(['FIN', 'd68.am', 'or_x', 'and-1', 'night:b'])}{random.choice('._-#')}{number}"
            self.jobs[name] = GeneratedJob(name, random.choice(["CMD", "CMD", "BOX", "FW"]))

    def estate(self) -> GeneratedEstate:
        names = list(self.jobs)
        for place, job in enumerate(self.jobs.values()):
            above = [name for name in names[:place] if self.jobs[name].kind == "BOX"]
            job.box = self.random.choice([None, *above])
        stanzas = [self._insert(job) for job in self.jobs.values()]
        stanzas += [stanza for job in list(self.jobs.values()) for stanza in self._afterwards(job)]
        boxes = {job.name: job.box for job in self.jobs.values()}
        secrets = [job.secret for job in self.jobs.values() if job.secret]
        return GeneratedEstate(
            self._files(stanzas), boxes, self.edges, self.refused, secrets, self.renamed, self.deleted
        )

    def _insert(self, job: GeneratedJob) -> list[str]:
        """A stanza's lines."""
        words = {"CMD": ["c", "CMD", "cmd"], "BOX": ["b", "BOX"], "FW": ["f", "fw", "FT"]}[job.kind]
        said = [("job_type", self.random.choice(words))]
        if job.box:
            said.append(("box_name", self._name(job.box)))
        if job.kind == "CMD":
            said.append(("command", self._command(job)))
        if job.kind == "FW":
            said.append(("watch_file", f'"/in/{job.name.replace(":", "_")}_$$DAY.dat"'))
        if self.random.random() < 0.7:
            said.append(("condition", self._condition(job, "condition")))
        if job.kind == "BOX" and self.random.random() < 0.3:
            said.append(("box_success", self._condition(job, "box_success")))
        return self._stanza("insert_job", job.name, said)

    def _afterwards(self, job: GeneratedJob) -> list[list[str]]:
        """What later statements do to the job. Jobs that conditions name keep their names."""
        what = self.random.choice(["", "", "", "condition", "box", "delete", "rename", "override"])
        named = {edge[0] for edge in self.edges} | {other.box for other in self.jobs.values()}
        if what == "condition":
            self._forget(job.name, "condition")
            return [self._stanza("update_job", job.name, [("condition", self._condition(job, "condition"))])]
        if what == "box" and job.box:
            job.box = None
            return [self._stanza("update_job", job.name, [("box_name", self.random.choice(["NULL", ""]))])]
        if what == "override":
            return [self._stanza("override_job", job.name, [("condition", "s(never)")])]
        if what in ("delete", "rename") and job.name not in named:
            return [self._gone(job) if what == "delete" else self._named_anew(job)]
        return []

    def _gone(self, job: GeneratedJob) -> list[str]:
        del self.jobs[job.name]
        self.edges = {edge for edge in self.edges if edge[1] != job.name}
        self.refused.discard(job.name)
        self.deleted.add(job.name)
        return [f"delete_job: {self._name(job.name)}"]

    def _named_anew(self, job: GeneratedJob) -> list[str]:
        old, new = job.name, f"{job.name}_new"
        self.jobs[new] = self.jobs.pop(old)
        job.name = new
        self.edges = {(up, new if down == old else down, state, via) for up, down, state, via in self.edges}
        if old in self.refused:
            self.refused.remove(old)
            self.refused.add(new)
        self.renamed[old] = new
        return [f"rename_job: {self._name(old)}", f"new_name: {self._name(new)}"]

    def _forget(self, name: str, via: str) -> None:
        self.edges = {edge for edge in self.edges if edge[1] != name or edge[3] != via}
        self.refused.discard(name)

    def _condition(self, job: GeneratedJob, via: str) -> str:
        if via == "condition" and self.random.random() < 0.1:
            self.refused.add(job.name)
            return self.random.choice(BROKEN).format(name=self._name(self.random.choice(list(self.jobs))))
        parts = [self._atom(job, via) for _ in range(self.random.randint(1, 4))]
        text = parts[0]
        for part in parts[1:]:
            operator = self.random.choice([" & ", "|", " and ", " OR ", " &\n   ", "\n   or "])
            text = self.random.choice(["{}{}{}", "({}{}{})", "{}{}({})"]).format(text, operator, part)
        return text

    def _atom(self, job: GeneratedJob, via: str) -> str:
        if self.random.random() < 0.15:
            return f'{self.random.choice(["v", "VALUE"])}(GLOBAL_1) != "a (b) & s(c)"'
        state = self.random.choice(STATES)
        name = self.random.choice([*self.jobs, "gone"])
        instance = self.random.choice(["", "", "", "^PRD"])
        self.edges.add((f"{name}{instance}", job.name, state, via))
        function = self.random.choice([state, state[0], state.upper()])
        look_back = self.random.choice(["", "", ",0", ", 12.00", ",9999", ",01\\:15"])
        compared = " >= 4" if state == "exitcode" else ""
        return f"{function}({self._name(name)}{instance}{look_back}){compared}"

    def _command(self, job: GeneratedJob) -> str:
        plain = ["/x.sh a", "ls /data/* /work/*", 'echo "a /* b */ c"', "cmd --to: x owner: y", "a \\\n  --b \\\n  c"]
        if self.random.random() > 0.2:
            return self.random.choice(plain)
        job.secret = f"Example-Pw{self.random.randint(10_000, 99_999)}"
        forms = [
            "isql -U u -P {}",
            "sqlplus u/{}@DB",
            "run --password={}",
            "export DB_PWD={}; run",
            "curl ftp://u:{}@h/x",
        ]
        return self.random.choice(forms).format(job.secret)

    def _stanza(self, kind: str, name: str, said: list[tuple[str, str]]) -> list[str]:
        kind = self.random.choice([kind, kind, kind.upper()])
        lines = [f"{kind}:{self.random.choice([' ', ''])}{self._name(name)}"]
        if said and said[0][0] == "job_type" and self.random.random() < 0.7:
            lines[0] += f"   job_type: {said.pop(0)[1]}"
        for key, value in said:
            key = self.random.choice([key, key, key.capitalize()])
            trailing = self.random.choice(["", "", "   ", "  /* said */"]) if "\n" not in value else ""
            lines.append(f"{key}:{self.random.choice([' ', '', '  '])}{value}{trailing}")
        return [line for text in lines for line in text.split("\n")]

    def _name(self, name: str) -> str:
        return name.replace(":", "\\:")

    def _files(self, stanzas: list[list[str]]) -> list[bytes]:
        """In order, in one file or two, each with its own encoding and line ends."""
        at = self.random.choice([len(stanzas), self.random.randint(0, len(stanzas))])
        files = []
        for part in (stanzas[:at], stanzas[at:]):
            indent = self.random.choice(["", " ", "   "])
            lines = [indent + line for stanza in part for line in [*self._between(), *stanza]]
            text = self.random.choice(["\n", "\r\n"]).join(lines) + self.random.choice(["", "\n"])
            files.append(text.encode(self.random.choice(["utf-8", "utf-8-sig", "utf-16"])))
        return files

    def _between(self) -> list[str]:
        return self.random.choice(
            [[], [""], ["# insert_job: GHOST"], ["/* ---- x ---- */"], ["/* a", "   condition: s(GHOST)", "*/", ""]]
        )
