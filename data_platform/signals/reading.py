"""Whether the run of a finding read the rows that another finding, upstream, is about: by the versions it recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from data_platform.model.cause_fact import StageFact
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.signal import Finding

_ORDER = {stage: place for place, stage in enumerate(Stage)}
Slice = tuple[str, str]


class Readings:
    """The recorded stages by dataset and partition. The same stages in another order, or twice, give the same answer.

    A version of a table has the rows of all earlier ones. So a run that read version 9 read of a partition what its
    last run up to version 9 wrote.
    """

    def __init__(self, stages: Iterable[StageFact]) -> None:
        self._slices: dict[Slice, list[StageFact]] = {}
        for fact in sorted(set(stages), key=lambda one: (one.finished_at, _ORDER[one.stage], one.run_id)):
            self._slices.setdefault((fact.dataset, str(fact.partition or "")), []).append(fact)

    def has_read(self, effect: Finding, cause: Finding) -> bool | None:
        """True or False if the records show it, over any datasets between the two; None if they do not."""
        seen: set[tuple[str, int]] = set()
        waiting = list(_inputs(self._of_run(effect)))
        answers = []
        while waiting:
            urn, version = waiting.pop()
            if (urn, version) in seen:
                continue
            seen.add((urn, version))
            if urn == cause.dataset:
                made = self._up_to(urn, (cause.partition,), version)
                answers.append(_shows(made, cause) if made else None)
            else:
                waiting += _inputs(self._up_to(urn, (effect.partition, cause.partition, None), version))
        if True in answers:
            return True
        return False if False in answers else None

    def _of_run(self, finding: Finding) -> Sequence[StageFact]:
        """What the run of a finding had of its slice: its own stages, and those before, if they were other runs."""
        facts = self._slices.get((finding.dataset, str(finding.partition or "")), [])
        own = [fact for fact in facts if fact.run_id == finding.run_id]
        return _as_of(facts, own[-1]) if own else ()

    def _up_to(self, urn: str, partitions: Iterable[PartitionKey | None], version: int) -> Sequence[StageFact]:
        """The stages that made what ``version`` has of the first of the ``partitions`` that is recorded."""
        recorded = (self._slices.get((urn, str(partition or "")), []) for partition in partitions)
        facts = next(filter(None, recorded), [])
        certified = [
            fact
            for fact in facts
            if fact.stage is Stage.CERTIFIED and fact.outcome.qualifies and (fact.version or 0) <= version
        ]
        return _as_of(facts, certified[-1]) if certified else ()


def _as_of(facts: Iterable[StageFact], last: StageFact) -> Sequence[StageFact]:
    """The newest result of each stage up to that of ``last``, as it was when that one had ended."""
    newest = {
        fact.stage: fact
        for fact in facts
        if _ORDER[fact.stage] <= _ORDER[last.stage] and fact.finished_at <= last.finished_at
    }
    return tuple(newest.values())


def _inputs(facts: Iterable[StageFact]) -> Iterator[tuple[str, int]]:
    return (pair for fact in facts for pair in fact.inputs)


def _shows(facts: Iterable[StageFact], finding: Finding) -> bool:
    """Whether the stages have the signature of a finding, which names no detail, and of a row count no number."""
    shown = {name for fact in facts for name in fact.signatures}
    if finding.kind is SignalKind.VOLUME:
        return any(name.partition(":")[0] == finding.signature for name in shown)
    return any(name == finding.signature or name.startswith(f"{finding.signature}:") for name in shown)
