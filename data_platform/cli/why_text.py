"""Prints an explanation as a tree; in a pipe as indented lines, each of them whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.cli.status import time
from data_platform.gates.released import RELEASED, sentence
from data_platform.model.explanation import ExplanationState
from data_platform.model.number_text import number_of
from data_platform.model.publication import PUBLICATION
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    from data_platform.model.explanation import ExplainedDelivery, ExplainedStage, Explanation
    from data_platform.model.verdict import Verdict

FILES_SHOWN = 20
RULES_SHOWN = 8
COLOURS = {
    Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.ERRORED: "red", Outcome.SKIPPED: "dim",
    Outcome.WAIVED: "yellow",
}  # fmt: skip


def print_explanation(explanation: Explanation) -> None:
    from rich.tree import Tree

    tree = Tree(_text(_headline(explanation)))
    for line in _version_lines(explanation):
        tree.add(_text(line))
    if explanation.delivery is not None:
        _branch(tree, f"delivery {explanation.delivery.id or 'without files'}", _delivery_lines(explanation.delivery))
    for item in explanation.inputs:
        when = f", certified {time(item.certified_at)} (UTC) by {item.run_id}" if item.certified_at else ""
        _branch(tree, f"input {item.dataset_urn} v{item.version}{when}", [item.command])
    for stage in explanation.stages:
        _branch(tree, _stage_line(stage), _stage_lines(stage), COLOURS.get(stage.outcome, ""))
    if explanation.next_steps:
        _branch(tree, "what to do", explanation.next_steps)
    console = screen.out()
    if console.is_terminal:
        console.print(tree)
    else:
        _print_lines(console, tree)


def _print_lines(console: Console, tree: Tree, depth: int = 0) -> None:
    console.print("  " * depth + str(tree.label), markup=False, soft_wrap=True)
    for branch in tree.children:
        _print_lines(console, branch, depth + 1)


def _branch(tree: Tree, title: str, lines: Iterable[str], colour: str = "") -> None:
    branch = tree.add(_text(title, colour))
    for line in lines:
        branch.add(_text(line))


def _text(line: str, colour: str = "") -> Text:
    """Text without markup and control characters: names come from deliveries."""
    return screen.styled(screen.visible(line), colour)


def _version_lines(explanation: Explanation) -> Iterator[str]:
    if explanation.judged_version != explanation.version:
        yield f"the same rows as v{explanation.judged_version}, which the gates judged"
    if other := explanation.other_partitions:
        yield f"the version also has {number_of(other, 'other partition')}: --partition DAY explains one"


def _headline(explanation: Explanation) -> str:
    name = " ".join(part for part in (explanation.dataset_urn, explanation.partition) if part)
    if explanation.state is ExplanationState.CERTIFIED:
        return f"{name} is in v{explanation.version}, certified {time(explanation.certified_at)} (UTC)"
    last = explanation.stages[-1]
    ended = f"{last.stage} {time(last.finished_at)} (UTC) in {last.run_id}"
    if explanation.state is ExplanationState.HELD:
        return f"{name} was held at {ended}"
    return f"{name} passed {ended}, and is not certified yet"


def _delivery_lines(delivery: ExplainedDelivery) -> Iterator[str]:
    if delivery.producer:
        yield f"producer {delivery.producer}"
    for file in delivery.files[:FILES_SHOWN]:
        yield f"file {file}"
    if (more := len(delivery.files) - FILES_SHOWN) > 0:
        yield f"and {more} more files"
    yield from delivery.details
    for file, reason in delivery.passed_over.items():
        yield f"not read: {file}: {reason}"


def _stage_line(stage: ExplainedStage) -> str:
    version = f" v{stage.version}" if stage.version is not None else ""
    counts = stage.rows
    rows = f"{number_of(counts.read, 'row')} read, {counts.accepted} accepted"
    rows += f", {counts.quarantined} quarantined" if counts.quarantined else ""
    rows += f", {counts.dropped} dropped" if counts.dropped else ""
    return f"{stage.stage}{version} {stage.outcome}: {rows}"


def _stage_lines(stage: ExplainedStage) -> Iterator[str]:
    yield f"{stage.run_id}, {time(stage.started_at)} to {time(stage.finished_at)} (UTC)"
    if stage.policy_fingerprint:
        yield f"policy {stage.policy_fingerprint}"
    for verdict in stage.verdicts:
        yield _verdict_line(verdict)
        yield from (f"  {line}" for line in _rule_lines(verdict))
    if released := sentence(stage.metadata.get(RELEASED, {})):
        yield released
    if publication := stage.metadata.get(PUBLICATION):
        yield f"published with group {publication['group']}, publication {publication['id']}"
    if stage.quarantine_table:
        yield f"quarantined in {stage.quarantine_table}"


def _verdict_line(verdict: Verdict) -> str:
    count = len(verdict.results)
    rules = f" ({number_of(count, 'rule')})" if count else ""
    kept = f", {verdict.compliance:.2%} kept" if verdict.compliance is not None else ""
    return f"{verdict.gate} {verdict.outcome}{rules}{kept}"


def _rule_lines(verdict: Verdict) -> Iterator[str]:
    """The rules that did not pass, each with its rows, and the first ones that passed; ``--json`` has all."""
    broken = [result for result in verdict.results if result.outcome is not Outcome.PASSED]
    for result in broken:
        yield f"{result.severity} {result.line}"
    if verdict.reason and not verdict.passed and not broken:
        yield verdict.reason
    kept = [result.signature for result in verdict.results if result.outcome is Outcome.PASSED]
    if kept:
        more = f" and {len(kept) - RULES_SHOWN} more" if len(kept) > RULES_SHOWN else ""
        yield f"kept: {', '.join(kept[:RULES_SHOWN])}{more}"
