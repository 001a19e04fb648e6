"""What else happens on a day, unrelated to the fault: deployments, edits, warnings, a failure elsewhere."""

from datetime import datetime, timedelta
from random import Random

from data_platform.faultlab.estate import COLUMNS
from data_platform.faultlab.plan import USUAL_ROWS, Day, Deployed, Truth


def add_distractors(rng: Random, day: Day, truth: Truth) -> None:
    """Never where it would be a second cause: at the dataset of the cause, or a deployment where a warning appears."""
    estate = day.estate
    taken = {urn for urn in (truth.dataset, truth.shows_at, *truth.also, day.held_again) if urn}
    free = [node for node in estate.nodes if node.urn not in taken and day.is_untouched(node.urn)]
    for urn in sorted(taken):
        node = estate.by_urn[urn]
        began = estate.began(node, estate.day)
        after, long_before = began + timedelta(minutes=rng.randrange(20, 600)), began - timedelta(days=3)
        day.deployments += [_deployed(rng, node.process, at) for at in (after, long_before)]
    for node in rng.sample(free, min(len(free), 6)):
        _disturb(rng, day, node.urn)
    quiet = [node for node in free if day.is_untouched(node.urn)]
    for node in rng.sample(quiet, min(len(quiet), 8)):
        ago = timedelta(minutes=rng.randrange(-600, 5 * 24 * 60))
        target = rng.choice([node.process, node.urn])
        day.deployments.append(_deployed(rng, target, estate.began(node, estate.day) - ago))
    day.backfills += [(node.urn, rng.randrange(2, 5)) for node in rng.sample(free, min(len(free), 2))]
    _fail_elsewhere(rng, day, taken)


def _deployed(rng: Random, target: str, at: datetime) -> Deployed:
    return Deployed(f"{rng.getrandbits(28):07x}", target, at)


def _disturb(rng: Random, day: Day, urn: str) -> None:
    """A warning, a new column, an edit that its gates do not read, or a somewhat unusual number of rows."""
    plan = day.of(urn)
    kind = rng.randrange(4)
    if kind == 0:
        plan.warnings = (f"NULL_RATE_DRIFT:{rng.choice(COLUMNS)}",)
    elif kind == 1:
        plan.added = "note"
    elif kind == 2:
        plan.policy = "policy 2"
    else:
        plan.rows, plan.warnings = round(USUAL_ROWS * rng.uniform(0.7, 1.5)), ("VOLUME_ANOMALY",)


def _fail_elsewhere(rng: Random, day: Day, taken: set[str]) -> None:
    """Another dataset fails by itself: neither up- nor downstream of the fault."""
    estate = day.estate
    related = taken.union(*(estate.above(urn) | estate.below(urn) for urn in taken)) if taken else set()
    free = [node for node in estate.nodes if node.urn not in related and day.plans.get(node.urn) is None]
    if not free:
        return
    day.elsewhere = rng.choice(free).urn
    plan = day.of(day.elsewhere)
    plan.does = rng.choice(["crash", "nothing", *(["hold"] if estate.by_urn[day.elsewhere].kind != "external" else [])])
    plan.error, plan.signatures = "out of memory", ("FORMAT:c1",) if plan.does == "hold" else ()
