"""What each dataset does on the examined day. A fault and the distractors change the plans of some."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from data_platform.faultlab.estate import Estate, Node

USUAL_ROWS = 1000
FIRST_CODE = "r1"


@dataclass
class Plan:
    """``does``: good, nothing, crash, die, hang, hold, stop, or repeat (it writes the day before again).

    ``signatures`` are those of rules that hold it, ``warnings`` those that only warn; ``stage`` is where it is held,
    dies or stops. ``retyped`` and ``added`` are columns that came in with another type, or that are new.
    """

    does: str = "good"
    stage: str = "silver"
    gate: str = "G4_CONTRACT"
    signatures: tuple[str, ...] = ()
    errored: bool = False
    warnings: tuple[str, ...] = ()
    retyped: str = ""
    added: str = ""
    rows: int = USUAL_ROWS
    delivered_again: bool = False
    judged_under: str = "judgement 1"
    policy: str = "policy 1"
    error: str = ""
    waits_for: str = ""

    @property
    def breach(self) -> str:
        """The kind of lateness that it causes; empty if it is there in time."""
        return {
            "good": "", "nothing": "JOB_NOT_TRIGGERED", "repeat": "JOB_NOT_TRIGGERED", "crash": "JOB_FAILED",
            "die": "JOB_FAILED", "hang": "JOB_RUNNING_SLOW", "hold": "HELD_BY_GATE", "stop": "PARTIAL_WRITE",
        }[self.does]  # fmt: skip


@dataclass(frozen=True)
class Deployed:
    deploy_ref: str
    target: str
    at: datetime


@dataclass
class Day:
    """``backfills`` are datasets of which an older day was made again, with the number of days before.

    ``elsewhere`` is a dataset that fails by itself, and has nothing to do with the fault. ``held_again`` is one whose
    day was good, and is held when it is made again after all others.
    """

    estate: Estate
    plans: dict[str, Plan] = field(default_factory=dict)
    deployments: list[Deployed] = field(default_factory=list)
    backfills: list[tuple[str, int]] = field(default_factory=list)
    elsewhere: str | None = None
    held_again: str | None = None

    def of(self, node: Node | str) -> Plan:
        return self.plans.setdefault(node if isinstance(node, str) else node.urn, Plan())

    def code_of(self, node: Node) -> str:
        """The reference of the code that the run of the day uses; empty if its job does not name it."""
        if not node.names_its_code:
            return ""
        began = self.estate.began(node, self.estate.day)
        used = [one for one in self.deployments if one.target in (node.urn, node.process) and one.at <= began]
        return max(used, key=lambda one: one.at).deploy_ref if used else FIRST_CODE

    def is_untouched(self, urn: str) -> bool:
        plan = self.plans.get(urn)
        return plan is None or plan == Plan()

    def waiting(self) -> frozenset[str]:
        """Datasets that cannot run, since an input of them is not there."""
        gone = {urn for urn, plan in self.plans.items() if plan.breach}
        waiting: set[str] = set()
        for node in self.estate.nodes:  # in the order of layers
            if set(node.inputs) & (gone | waiting):
                waiting.add(node.urn)
        return frozenset(waiting)

    def breaches(self) -> dict[str, str]:
        """The kind of lateness of each dataset that is late."""
        own = {urn: plan.breach for urn, plan in self.plans.items() if plan.breach}
        waiting = self.waiting()
        return {urn: kind for urn, kind in own.items() if urn not in waiting} | dict.fromkeys(waiting, "UPSTREAM_LATE")


@dataclass(frozen=True)
class Truth:
    """What went wrong; ``cause`` is None if nothing of what is recorded explains it.

    ``shows_at`` is where it is noticed, None if it is not. ``affected`` are the datasets with a signal because of it,
    and ``unrelated`` those with one because of something else. ``also`` are datasets that the same cause broke too.
    """

    fault: str
    cause: str | None
    dataset: str | None
    shows_at: str | None
    deploy_ref: str | None = None
    affected: tuple[str, ...] = ()
    unrelated: tuple[str, ...] = ()
    breaches: dict[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        return asdict(self)
