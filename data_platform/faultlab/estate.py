"""Random estates: landed and external datasets, and layers of datasets that are derived from them column by column."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random

from data_platform.model.partition_key import PartitionKey
from data_platform.policies import Dataset, Policies, load_policies

COLUMNS = ("id", "c0", "c1", "c2", "c3")
HISTORY_DAYS = 6
"""Good days before the one that is examined; five runs are the least from which a slow one is recognized."""
LAYERS = 5
ZONES_AND_DAYS = (
    ("UTC", "2026-02-10"),
    ("America/New_York", "2026-03-07"),  # the clock goes forward in the night of its deadlines
    ("Europe/London", "2025-10-25"),  # the clock goes back in that night
    ("Asia/Tokyo", "2026-02-28"),
    ("Asia/Kolkata", "2025-12-31"),
    ("Australia/Lord_Howe", "2026-04-04"),  # the clock goes back by half an hour
)
_FIRST_RUN = timedelta(minutes=30)
_LAYER = timedelta(hours=1)


@dataclass(frozen=True)
class Node:
    """A dataset. ``sources`` maps each column to the input and its column from which it is computed.

    ``kind`` is landed, external or derived; ``process`` is the key of the job that makes it.
    """

    urn: str
    kind: str
    layer: int
    process: str
    inputs: tuple[str, ...] = ()
    sources: tuple[tuple[str, str, str], ...] = ()

    @property
    def name(self) -> str:
        return self.urn.rpartition("/")[2]

    @property
    def names_its_code(self) -> bool:
        """Half of the jobs of others report which code they run."""
        return self.kind == "external" and sum(map(ord, self.process)) % 2 == 0


@dataclass(frozen=True)
class Estate:
    number: int
    zone: str
    day: PartitionKey
    nodes: tuple[Node, ...]

    @cached_property
    def by_urn(self) -> dict[str, Node]:
        return {node.urn: node for node in self.nodes}

    @cached_property
    def days(self) -> tuple[PartitionKey, ...]:
        """The good days before, oldest first."""
        return tuple(self.day.shifted(-back) for back in range(HISTORY_DAYS, 0, -1))

    def began(self, node: Node, day: PartitionKey) -> datetime:
        """When the run of the day begins, if nothing goes wrong."""
        minutes = timedelta(minutes=sum(map(ord, f"{node.urn}{day}")) % 7)
        return day.ends_at(self.zone) + _FIRST_RUN + node.layer * _LAYER + minutes

    def late_at(self, layer: int) -> datetime:
        """When the grace of the layer is over, to the minute at most too late: clocks may change in that night."""
        return self.day.ends_at(self.zone) + timedelta(hours=3, minutes=25) + layer * _LAYER

    def above(self, urn: str) -> frozenset[str]:
        """Everything upstream."""
        found: set[str] = set()
        waiting = list(self.by_urn[urn].inputs)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.by_urn[name].inputs
        return frozenset(found)

    def below(self, urn: str) -> frozenset[str]:
        """Everything downstream."""
        return frozenset(node.urn for node in self.nodes if urn in self.above(node.urn))

    def derived_columns(self, urn: str, column: str) -> dict[str, str]:
        """Maps each dataset downstream that computes a column from this one, over others too, to such a column."""
        reached = {(urn, column)}
        for node in self.nodes:  # in the order of layers
            reached |= {(node.urn, own) for own, source, theirs in node.sources if (source, theirs) in reached}
        return {name: own for name, own in sorted(reached) if name != urn}


def draw_estate(number: int, size: int) -> Estate:
    """The estate with this number: the same at each call."""
    rng = Random(f"estate {number}")  # noqa: S311 - a lab has to be repeatable
    zone, day = ZONES_AND_DAYS[number % len(ZONES_AND_DAYS)]
    nodes: list[Node] = []
    for place in range(size):
        layer = 0 if place < max(3, size // 4) else min(LAYERS - 1, 1 + rng.randrange(LAYERS - 1))
        nodes.append(Node(f"ds://lab/d{place:03d}", "", layer, ""))
    nodes.sort(key=lambda node: (node.layer, node.urn))
    drawn: list[Node] = []
    for node in nodes:
        drawn.append(_derived(rng, node, drawn) if node.layer else _source(rng, node))
    return Estate(number, zone, PartitionKey(day), tuple(drawn))


def _source(rng: Random, node: Node) -> Node:
    if rng.random() < 0.3:
        return replace(node, kind="external", process=f"AUTOSYS/NIGHT_{rng.randrange(9)}/LOAD_{node.name.upper()}")
    return replace(node, kind="landed", process=f"DATA_PLATFORM/lab/{node.name}/bronze")


def _derived(rng: Random, node: Node, before: list[Node]) -> Node:
    """Of one to three inputs, one of them of the layer just above if there is one."""
    lower = [one for one in before if one.layer < node.layer]
    near = [one for one in lower if one.layer == node.layer - 1] or lower
    inputs = {rng.choice(near).urn, *(rng.choice(lower).urn for _ in range(rng.randrange(3)))}
    listed = sorted(inputs)
    sources = tuple((column, rng.choice(listed), rng.choice(COLUMNS)) for column in COLUMNS)
    return replace(
        node, kind="derived", process=f"DATA_PLATFORM/make_{node.name}", inputs=tuple(listed), sources=sources
    )


def policies_of(estate: Estate, folder: Path) -> Policies:
    """Policies of the estate: one file of each kind is read, and copied for each dataset."""
    partition = f"partition: {{key: day, start: {estate.days[0]}, time_zone: {estate.zone}}}"
    columns = "schema: {constraints: [{field: day, type: DATE}, {field: id, type: INT}]}\n"
    files = {
        "datasets/lab/landed/dataset.yaml": _dataset(
            "ds://lab/landed", partition, "source: {format: csv, path: 'in/{partition}', producer: lab}"
        ),
        "datasets/lab/derived/dataset.yaml": _dataset("ds://lab/derived", partition, "process: make_derived"),
        "datasets/lab/external/dataset.yaml": _dataset("ds://lab/external", partition),
        "processes/make_derived.yaml": "name: make_derived\nowner_team: lab\noutput: ds://lab/derived\n"
        "inputs: [{dataset: 'ds://lab/landed'}]\nsteps: [{name: one, sql: 'SELECT day, id FROM landed'}]\n",
    }
    for kind in ("landed", "derived"):
        files[f"datasets/lab/{kind}/policy_bundle.yaml"] = columns
    for layer in range(LAYERS):
        slo = f"slo: {{freshness: {{expected_update_by: '{2 + layer:02d}:00 {estate.zone} daily', grace_period: 20m}}}}"
        files[f"datasets/lab/layer{layer}/dataset.yaml"] = _dataset(f"ds://lab/layer{layer}", partition, slo)
    loaded = load_policies(_written(folder / "policies", files), check_rules=False)
    kinds = {one.urn.rpartition("/")[2]: one for one in loaded.datasets}
    return replace(loaded, datasets=tuple(_declared(kinds, node) for node in estate.nodes))


def _dataset(urn: str, *lines: str) -> str:
    return "\n".join([f"urn: {urn}", "owner_team: lab", "tier: TIER_2", *lines]) + "\n"


def _written(root: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def _declared(kinds: dict[str, Dataset], node: Node) -> Dataset:
    one, slo = kinds[node.kind], kinds[f"layer{node.layer}"].policy.slo
    policy = one.policy.model_copy(update={"urn": node.urn, "slo": slo})
    for name in ("id", "table"):  # a copy would keep what was computed of the other URN
        policy.__dict__.pop(name, None)
    process = one.process and one.process.model_copy(
        update={
            "name": f"make_{node.name}",
            "output": node.urn,
            "inputs": tuple(one.process.inputs[0].model_copy(update={"dataset": urn}) for urn in node.inputs),
        }
    )
    return replace(one, policy=policy, process=process)
