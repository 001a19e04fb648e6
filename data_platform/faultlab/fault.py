"""The faults of the lab: each changes the plans of a day, and says what is true of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random

from data_platform.faultlab.estate import COLUMNS, Estate, Node
from data_platform.faultlab.plan import Day, Deployed, Truth

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


def two_deploys(rng: Random, day: Day) -> Truth:
    """Two deployments of one job before its first bad run; its runs name their code, so the older one is innocent."""
    nodes = [node for node in day.estate.nodes if node.names_its_code]
    node = rng.choice(nodes or [_choose(rng, day, "external", "derived")])
    began = day.estate.began(node, day.estate.day)
    innocent, bad = _reference(rng), _reference(rng)
    ago = timedelta(minutes=rng.randrange(200, 400)) if nodes else timedelta(days=2)
    day.deployments.append(Deployed(innocent, node.process, began - ago))
    day.deployments.append(Deployed(bad, node.process, began - timedelta(minutes=rng.randrange(20, 150))))
    plan = day.of(node)
    plan.does, plan.error = "crash", "no such column"
    return Truth("two_deploys", "DEPLOYMENT", node.urn, node.urn, bad)


def shared_deploy(rng: Random, day: Day) -> Truth:
    """One deployment breaks two jobs that have nothing to do with each other."""
    one = _choose(rng, day, "derived", "external")
    related = {one.urn, *day.estate.above(one.urn), *day.estate.below(one.urn)}
    others = [node for node in day.estate.nodes if node.kind != "landed" and node.urn not in related]
    reference, ago = _reference(rng), timedelta(minutes=rng.randrange(20, 400))
    broken = [one, *([rng.choice(others)] if others else [])]
    at = min(day.estate.began(node, day.estate.day) for node in broken) - ago
    for node in broken:
        day.deployments.append(Deployed(reference, node.process, at))
        plan = day.of(node)
        if node.kind == "external" or rng.random() < 0.4:
            plan.does, plan.error = "crash", "no such column"
        else:
            _hold(day, node.urn, f"INVARIANT:{rng.choice(COLUMNS)}:positive")
    also = tuple(node.urn for node in broken[1:])
    return Truth("shared_deploy", "DEPLOYMENT", one.urn, one.urn, reference, also=also)


def older_version(rng: Random, day: Day) -> Truth:
    """A dataset fails on a good version of its input; the input is made again later, and is held: two causes."""
    node = _choose(rng, day, "derived")
    sources = [one for one in day.estate.nodes if one.urn in node.inputs and one.kind == "landed"]
    day.of(node).policy = day.of(node).judged_under = "judgement 2"
    _hold(day, node.urn, f"INVARIANT:{rng.choice(COLUMNS)}:below_limit")
    if sources:
        day.held_again = rng.choice(sources).urn
    return Truth("older_version", "POLICY_EDIT", node.urn, node.urn)


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
    not_triggered, crashed, slow, truncated, retyped_column, new_value, upstream_late, bad_deploy, two_deploys,
    shared_deploy, older_version, bad_policy_edit, pii_leak, duplicate_delivery, gate_error, wrong_clock,
    stopped_half_way, no_cause, nothing,
)  # fmt: skip


def completed(truth: Truth, day: Day) -> Truth:
    """The truth with the datasets that are affected, once the day has all its plans."""
    breaches, below = day.breaches(), day.estate.below
    unrelated = {day.elsewhere, *below(day.elsewhere)} & breaches.keys() if day.elsewhere else set()
    unrelated |= {day.held_again} if day.held_again else set()
    shown = [urn for urn in (truth.shows_at, *truth.also) if urn]
    affected = {name for urn in shown for name in (urn, *below(urn))} & breaches.keys()
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
