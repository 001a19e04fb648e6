"""The codes of lint, and one finding with its place."""

from __future__ import annotations

from dataclasses import dataclass

from data_platform.model.finding_level import Level


@dataclass(frozen=True)
class Code:
    """``fix`` says what to do about each finding of this code."""

    id: str
    level: Level
    title: str
    fix: str


def _code(number: int, level: Level, title: str, fix: str) -> Code:
    return Code(f"DP{number:03}", level, title, fix)


PROBLEM = _code(0, Level.ERROR, "policy problem", "correct the file; data-platform validate reports the same")
CONTRACT = _code(1, Level.ERROR, "no contract", "declare invariants, required_fields, unique, references or enum")
OWNER = _code(2, Level.ERROR, "no owner", "name the team in owner_team")
ADDRESS = _code(3, Level.WARNING, "no address of the owner", "add owner_email, so that somebody receives the alerts")
URN = _code(4, Level.ERROR, "wrong URN", "write ds://<zone>/<name>, as the folder is named")
REFERENCE = _code(5, Level.ERROR, "unknown dataset", "correct the name, or declare the dataset")
FRESHNESS = _code(6, Level.WARNING, "no freshness SLA", "add slo.freshness, so that a late delivery is noticed")
PERSONAL = _code(7, Level.ERROR, "personal data without a rule", "add a rule to pii.detection that names the column")
ALWAYS_TRUE = _code(8, Level.ERROR, "rule that can never fail", "write what must hold, or remove the rule")
THRESHOLD = _code(9, Level.WARNING, "threshold that can never fail", "choose a bound that bad data would break")
UNBOUNDED = _code(10, Level.WARNING, "metric without bounds", "add a bound, or remove the metric")
WEAK_MODE = _code(11, Level.WARNING, "weaker enforcement than the tier's", "remove enforcement from dataset.yaml")
ENVIRONMENT = _code(12, Level.WARNING, "unknown environment", "correct it, or name it in policies/platform.yaml")
SCRIPT = _code(13, Level.WARNING, "undeclared output of a script", "declare the dataset, or its path as a watch file")
ROUTE = _code(
    14, Level.WARNING, "owner without a route", "add a route for the team to alerts in policies/platform.yaml"
)

CODES = {
    code.id: code
    for code in (
        PROBLEM, CONTRACT, OWNER, ADDRESS, URN, REFERENCE, FRESHNESS, PERSONAL, ALWAYS_TRUE, THRESHOLD, UNBOUNDED,
        WEAK_MODE, ENVIRONMENT, SCRIPT, ROUTE,
    )
}  # fmt: skip


@dataclass(frozen=True, order=True)
class LintFinding:
    """``file`` is relative to the parent of the policies folder; a ``line`` of 0 means the file as a whole."""

    file: str
    line: int
    code: str
    level: Level
    message: str

    @property
    def fix(self) -> str:
        return CODES[self.code].fix

    @property
    def text(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.level} {self.code} {self.message}; {self.fix}"
