"""Do the files agree with each other: datasets with processes, references with their targets?"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.schema import is_number
from data_platform.policies.place import place_problems
from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.contract import Reference
    from data_platform.policies.document import Document, Location
    from data_platform.policies.entry import DatasetEntry, ProcessEntry


@dataclass(frozen=True)
class Tree:
    """All entries, by URN and by name of process. If two have the same name, the first is here."""

    datasets: dict[str, DatasetEntry]
    processes: dict[str, ProcessEntry]

    def unknown_dataset(self, document: Document, location: Location, urn: str) -> Iterator[Problem]:
        if urn not in self.datasets:
            text = f"there is no dataset {urn}{did_you_mean(urn, self.datasets)}"
            yield document.problem(location, text)


def relation_problems(tree: Tree) -> Iterator[Problem]:
    yield from _tables(tree)
    yield from place_problems(tree.datasets.values())
    outputs = _outputs(tree)
    for entry in tree.datasets.values():
        yield from _maker(tree, entry)
        yield from _references(tree, entry)
    for maker in tree.processes.values():
        yield from _inputs_and_output(tree, maker)
    for urn, names in outputs.items():
        for name in names[1:]:
            text = f"{urn} is also the output of process {names[0]}; a dataset has one process"
            yield tree.processes[name].document.problem(("output",), text)
    yield from _cycles(tree)


def _tables(tree: Tree) -> Iterator[Problem]:
    for _, entry in sorted(tree.datasets.items()):
        if entry.policy is None:
            continue
        table = entry.policy.table
        if not table.isidentifier() or not table.isascii():
            text = f"{table!r} cannot be the table's name; allowed: letters, digits and _"
            yield entry.document.problem(("storage", "gold"), text)


def _maker(tree: Tree, entry: DatasetEntry) -> Iterator[Problem]:
    if entry.policy is None or entry.policy.process is None:
        return
    name = entry.policy.process
    if name not in tree.processes:
        text = f"there is no process {name}{did_you_mean(name, tree.processes)}"
        yield entry.document.problem(("process",), text)
    elif (process := tree.processes[name].process) and process.output != entry.urn:
        text = f"the output of process {name} is {process.output}, not this dataset; correct one"
        yield entry.document.problem(("process",), text)


def _inputs_and_output(tree: Tree, entry: ProcessEntry) -> Iterator[Problem]:
    process = entry.process
    if process is None:
        return
    for position, item in enumerate(process.inputs):
        yield from tree.unknown_dataset(entry.document, ("inputs", position, "dataset"), item.dataset)
    yield from tree.unknown_dataset(entry.document, ("output",), process.output)
    output = tree.datasets.get(process.output)
    if output and output.policy and output.policy.process != process.name:
        text = f"{output.document.name} does not have process: {process.name}; add it there, or correct the output"
        yield entry.document.problem(("output",), text)


def _outputs(tree: Tree) -> dict[str, list[str]]:
    outputs: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in sorted(tree.processes.items()):
        if entry.process:
            outputs[entry.process.output].append(name)
    return outputs


def _references(tree: Tree, entry: DatasetEntry) -> Iterator[Problem]:
    for position, reference in enumerate(entry.bundle.contract.references if entry.bundle else ()):
        location: Location = ("contract", "references", position)
        yield from tree.unknown_dataset(entry.bundle_document, (*location, "dataset"), reference.dataset)
        for text in (*_key_problems(tree, reference), *_key_types(tree, entry, reference)):
            yield entry.bundle_document.problem((*location, "key" if reference.key else "fields"), text)


def _key_problems(tree: Tree, reference: Reference) -> Iterator[str]:
    if len(reference.fields) != len(reference.target):
        yield f"{len(reference.target)} key columns for {len(reference.fields)} fields; expected one for each"
    target = tree.datasets.get(reference.dataset)
    if target is None or target.bundle is None or not target.bundle.schema_.constraints:
        return
    names = known_names(target)
    for name in reference.target:
        if name.lower() not in {existing.lower() for existing in names}:
            yield f"{name} is not a declared column of {reference.dataset}{did_you_mean(name, names)}"


def _key_types(tree: Tree, entry: DatasetEntry, reference: Reference) -> Iterator[str]:
    """Fields whose values can never equal those of their key: a text and a date, a number and a text."""
    target = tree.datasets.get(reference.dataset)
    if target is None or target.bundle is None or entry.bundle is None:
        return
    for name, key in zip(reference.fields, reference.target, strict=False):
        mine, theirs = entry.bundle.schema_.declared.get(name), target.bundle.schema_.declared.get(key)
        if mine and theirs and _family(mine.type) != _family(theirs.type):
            yield f"{name} is {mine.type.upper()}, and {key} of {reference.dataset} is {theirs.type.upper()}"


def _family(kind: str) -> str:
    return "a number" if is_number(kind) else kind.split("(")[0].split("<")[0]


def known_names(entry: DatasetEntry) -> tuple[str, ...]:
    """The columns of a dataset's rows: the declared ones, and the partition's key, which the platform adds."""
    declared = entry.bundle.schema_.declared.names if entry.bundle else ()
    partition = entry.policy.partition if entry.policy and entry.policy.stages else None
    return (*declared, partition.key) if partition else declared


def _cycles(tree: Tree) -> Iterator[Problem]:
    """Reports each cycle once, at the dataset at which it was detected."""
    needs = _needs(tree)
    done: set[str] = set()
    for start in sorted(needs):
        for cycle in _cycles_from(start, needs, done):
            yield _cycle_problem(tree, cycle)


def _needs(tree: Tree) -> dict[str, list[str]]:
    """What must be certified before a dataset: the inputs of its process, and the datasets that its rows refer to."""
    makers = [entry.process for entry in tree.processes.values() if entry.process]
    needs = {process.output: [item.dataset for item in process.inputs] for process in makers}
    for urn, entry in tree.datasets.items():
        if entry.bundle and entry.policy and entry.policy.stages:
            others = [r.dataset for r in entry.bundle.contract.references if r.dataset != urn]
            needs[urn] = [*needs.get(urn, ()), *others]
    return needs


def _cycle_problem(tree: Tree, cycle: list[str]) -> Problem:
    way = " -> ".join(cycle)
    for maker in tree.processes.values():
        process = maker.process
        if process and process.output == cycle[0] and cycle[1] in {item.dataset for item in process.inputs}:
            text = f"its inputs depend on it: {way}; a dataset cannot be made from itself"
            return maker.document.problem(("inputs",), text)
    text = f"its references depend on it: {way}; each would wait for another to be certified, so remove one reference"
    return tree.datasets[cycle[0]].bundle_document.problem(("contract", "references"), text)


def _cycles_from(start: str, needs: dict[str, list[str]], done: set[str]) -> Iterator[list[str]]:
    path: list[str] = []
    waiting: list[Iterator[str]] = [iter([start])]
    while waiting:
        urn = next(waiting[-1], None)
        if urn is None:
            waiting.pop()
            if path:
                done.add(path.pop())
        elif urn in path:
            yield [*path[path.index(urn) :], urn]
        elif urn not in done:
            path.append(urn)
            waiting.append(iter(needs.get(urn, ())))
