"""The faults of the lab: each changes the plans of a day, and says what is true of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

from data_platform_tests.faultlab.estate import COLUMNS, Estate, Node
from data_platform_tests.faultlab.plan import Day, Deployed, Truth

Fault = Callable[[Random, Day], Truth]


def _choose(rng: Random, day: Day, *kinds: str) -> Node:
    """A dataset with something downstream, if one has."""
    nodes = [node for node in day.estate.nodes if node.kind in kinds]
    used = [node for node in nodes if day.estate.below(node.urn)]
    return rng.choice(used or nodes)


def _reference(rng: Random) -> str:
    return f"{rng.getrandbits(28):07x}"


def not_triggered(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "derived", "external", "landed")
    day.of(node).does = "nothing"
    return Truth("not_triggered", "JOB_NOT_TRIGGERED", node.urn, node.urn)


def crashed(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "derived", "external", "landed")
    plan = day.of(node)
    plan.does = "die" if node.kind != "external" and rng.random() < 0.3 else "crash"
    plan.error = rng.choice(["out of memory", "the disk is full", "exit code 137", "connection reset"])
    plan.stage = rng.choice(["silver", "gold"])
    return Truth("crashed", "JOB_FAILED", node.urn, node.urn)


def slow(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "derived", "external", "landed")
    day.of(node).does = "hang"
    return Truth("slow", "JOB_RUNNING_SLOW", node.urn, node.urn)


def truncated(rng: Random, day: Day) -> Truth:
    """Its manifest shows it, or only the number of rows does."""
    node = _choose(rng, day, "landed")
    plan = day.of(node)
    plan.does, plan.rows = "hold", rng.randrange(100, 450)
    if rng.random() < 0.5:
        plan.stage, plan.gate, plan.signatures = "bronze", "G1_RESOLUTION", (f"RECORD_COUNT:{plan.rows}≠1000",)
    else:
        plan.stage, plan.gate, plan.signatures = "silver", "DQ", ("VOLUME_ANOMALY",)
    return Truth("truncated", "TRUNCATED_DELIVERY", node.urn, node.urn)


def retyped_column(rng: Random, day: Day) -> Truth:
    """The gate of the dataset holds it, or it passes and a dataset downstream fails on what it computes from it."""
    node = _choose(rng, day, "landed")
    column = rng.choice(COLUMNS)
    plan = day.of(node)
    plan.retyped = column
    target = _downstream(rng, day.estate, node, column)
    if target is None:
        plan.does, plan.stage, plan.gate = "hold", "bronze", "G3_SCHEMA"
        plan.signatures = (f"SCHEMA_BREAK:{column}:INT→STRING",)
        return Truth("retyped_column", "SCHEMA_CHANGE", node.urn, node.urn)
    urn, failing = target
    _hold(day, urn, rng.choice([f"INVARIANT:{failing}:positive", f"TYPE_MISMATCH:{failing}:INT"]))
    return Truth("retyped_column", "SCHEMA_CHANGE", node.urn, urn)


def new_value(rng: Random, day: Day) -> Truth:
    """It is a warning where it came in, and fails downstream; or it is held at once."""
    node = _choose(rng, day, "landed")
    column = rng.choice(COLUMNS)
    plan, signature = day.of(node), f"UNKNOWN_ENUM:{column}"
    target = _downstream(rng, day.estate, node, column)
    if target is None:
        plan.does, plan.signatures = "hold", (signature,)
        return Truth("new_value", "NEW_VALUE", node.urn, node.urn)
    plan.warnings = (signature,)
    urn, failing = target
    _hold(day, urn, f"INVARIANT:{failing}:known")
    return Truth("new_value", "NEW_VALUE", node.urn, urn)


def upstream_late(rng: Random, day: Day) -> Truth:
    """The completion marker of a delivery never came."""
    node = _choose(rng, day, "landed")
    plan = day.of(node)
    plan.does, plan.waits_for = "nothing", "_SUCCESS is missing"
    return Truth("upstream_late", "NOT_DELIVERED", node.urn, node.urn)


def bad_deploy(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "derived", "external")
    reference = _reference(rng)
    ago = timedelta(minutes=rng.randrange(20, 400))
    target = rng.choice([node.process, node.urn])
    day.deployments.append(Deployed(reference, target, day.estate.began(node, day.estate.day) - ago))
    plan = day.of(node)
    if node.kind == "external" or rng.random() < 0.4:
        plan.does, plan.error = "crash", "no such column"
    else:
        _hold(day, node.urn, f"INVARIANT:{rng.choice(COLUMNS)}:positive")
    return Truth("bad_deploy", "DEPLOYMENT", node.urn, node.urn, reference)


def bad_policy_edit(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "derived", "landed")
    plan = day.of(node)
    plan.judged_under, plan.policy = "judgement 2", "policy 2"
    _hold(day, node.urn, f"INVARIANT:{rng.choice(COLUMNS)}:below_limit")
    return Truth("bad_policy_edit", "POLICY_EDIT", node.urn, node.urn)


def pii_leak(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "landed")
    plan = day.of(node)
    plan.does, plan.gate = "hold", "G5_PII"
    plan.signatures = (f"PII_UNDECLARED:EMAIL:{rng.choice(COLUMNS)}",)
    return Truth("pii_leak", "PERSONAL_DATA", node.urn, node.urn)


def duplicate_delivery(rng: Random, day: Day) -> Truth:
    """The file of the day before came again: its keys are there already, here or in a dataset downstream."""
    node = _choose(rng, day, "landed")
    day.of(node).delivered_again = True
    target = _downstream(rng, day.estate, node, "id") if rng.random() < 0.5 else None
    urn, column = target or (node.urn, "id")
    _hold(day, urn, f"NOT_UNIQUE:{column}")
    return Truth("duplicate_delivery", "DUPLICATE_DELIVERY", node.urn, urn)


def gate_error(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "landed", "derived")
    plan = day.of(node)
    plan.does, plan.errored, plan.gate = "hold", True, rng.choice(["G4_CONTRACT", "G5_PII"])
    plan.signatures = (f"GATE_RAISED:{plan.gate}",)
    return Truth("gate_error", "GATE_ERROR", node.urn, node.urn)


def wrong_clock(rng: Random, day: Day) -> Truth:
    """A job in another time zone takes yesterday for today, and makes it again."""
    node = _choose(rng, day, "derived", "external", "landed")
    day.of(node).does = "repeat"
    return Truth("wrong_clock", "WRONG_DAY", node.urn, node.urn)


def stopped_half_way(rng: Random, day: Day) -> Truth:
    node = _choose(rng, day, "derived", "landed")
    plan = day.of(node)
    plan.does, plan.stage = "stop", rng.choice(["silver", "gold"])
    return Truth("stopped_half_way", "PARTIAL_WRITE", node.urn, node.urn)


def no_cause(rng: Random, day: Day) -> Truth:
    """Derived rows fail, and nothing that anybody recorded says why."""
    node = _choose(rng, day, "derived")
    _hold(day, node.urn, f"INVARIANT:{rng.choice(COLUMNS)}:positive")
    return Truth("no_cause", None, None, node.urn)


def nothing(_: Random, __: Day) -> Truth:
    """All is well, whatever else happens."""
    return Truth("nothing", None, None, None)


FAULTS: Sequence[Fault] = (
    not_triggered, crashed, slow, truncated, retyped_column, new_value, upstream_late, bad_deploy, bad_policy_edit,
    pii_leak, duplicate_delivery, gate_error, wrong_clock, stopped_half_way, no_cause, nothing,
)  # fmt: skip


def completed(truth: Truth, day: Day) -> Truth:
    """The truth with the datasets that are affected, once the day has all its plans."""
    breaches, below = day.breaches(), day.estate.below
    unrelated = {day.elsewhere, *below(day.elsewhere)} & breaches.keys() if day.elsewhere else set()
    affected = {truth.shows_at, *below(truth.shows_at)} & breaches.keys() if truth.shows_at else set()
    if truth.dataset and day.of(truth.dataset).warnings:
        affected.add(truth.dataset)
    return replace(
        truth, affected=tuple(sorted(affected - unrelated)), unrelated=tuple(sorted(unrelated)), breaches=breaches
    )


def _hold(day: Day, urn: str, signature: str) -> None:
    plan = day.of(urn)
    plan.does, plan.signatures = "hold", (signature,)
    if day.estate.by_urn[urn].kind == "derived" and len(signature) % 2:
        plan.stage = "gold"


def _downstream(rng: Random, estate: Estate, node: Node, column: str) -> tuple[str, str] | None:
    """A dataset that computes one of its columns from this one, and that column; seldom none although there is one."""
    found = sorted(estate.derived_columns(node.urn, column).items())
    return rng.choice(found) if found and rng.random() < 0.8 else None
