"""Compares answers with the truth. Standard library only, so that the answers of any other tool can be scored.

An answer has ``case``, ``late`` (the kind of lateness by dataset) and ``incidents``: for each its ``datasets``, its
``severity``, ``has_cause``, the ``candidates`` from the best on, each with ``cause`` and ``dataset``, and
``considered``, the number of datasets among which the cause was looked for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

KINDS = 15
"""Kinds of causes; with the datasets upstream they are what a guess chooses from."""


@dataclass
class Share:
    right: int = 0
    of: int = 0

    def add(self, is_right: bool) -> None:  # noqa: FBT001 - it is what is counted
        self.right += is_right
        self.of += 1

    @property
    def value(self) -> float:
        return self.right / self.of if self.of else 1.0


@dataclass
class Score:
    """``wrong`` names what was wrong, for people who mend a rule."""

    breach: Share = field(default_factory=Share)
    top1: Share = field(default_factory=Share)
    top3: Share = field(default_factory=Share)
    abstention: Share = field(default_factory=Share)
    one_incident: Share = field(default_factory=Share)
    silence: Share = field(default_factory=Share)
    chance: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    by_fault: dict[str, Share] = field(default_factory=dict)


def score(truths: Mapping[str, Mapping[str, Any]], answers: Iterable[Mapping[str, Any]]) -> Score:
    found = Score()
    for answer in answers:
        truth = truths[answer["case"]]
        _score_breaches(found, truth, answer)
        _score_incidents(found, truth, answer)
    return found


def _score_breaches(found: Score, truth: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    for dataset in sorted({*truth["breaches"], *answer["late"]}):
        expected, said = truth["breaches"].get(dataset), answer["late"].get(dataset)
        found.breach.add(expected == said)
        if expected != said:
            found.wrong.append(f"{answer['case']}: {dataset} is late by {expected}, answered {said}")


def _score_incidents(found: Score, truth: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    case, affected, unrelated = answer["case"], set(truth["affected"]), set(truth["unrelated"])
    about = [one for one in answer["incidents"] if affected & set(one["datasets"])]
    other = [one for one in answer["incidents"] if one not in about and not unrelated & set(one["datasets"])]
    _score_others(found, case, other)
    if not affected:
        return
    found.one_incident.add(len(about) == 1)
    if len(about) != 1:
        found.wrong.append(f"{case}: {len(about)} incidents of one cause")
    best = max(about, key=lambda one: len(affected & set(one["datasets"])), default=None)
    if truth["cause"] is None:
        found.abstention.add(best is not None and not best["has_cause"])
        if best is None or best["has_cause"]:
            found.wrong.append(f"{case}: there is no cause, answered {best and best['candidates'][:1]}")
        return
    _score_cause(found, truth, case, best)


def _score_others(found: Score, case: str, other: list[Mapping[str, Any]]) -> None:
    """Incidents of what is no fault: a warning may open one, which has no cause; nothing else may."""
    loud = [one for one in other if one["severity"] != "WARNING"]
    found.silence.add(not loud)
    if loud:
        found.wrong.append(f"{case}: {len(loud)} incidents of nothing, such as of {loud[0]['datasets'][:3]}")
    for one in other:
        if one not in loud:
            found.abstention.add(not one["has_cause"])
            if one["has_cause"]:
                found.wrong.append(
                    f"{case}: a warning of {one['datasets']} has no cause, answered {one['candidates'][:1]}"
                )


def _score_cause(found: Score, truth: Mapping[str, Any], case: str, best: Mapping[str, Any] | None) -> None:
    said = best["candidates"][:3] if best else []
    is_right = [_is_right(truth, one) for one in said]
    first = bool(is_right and is_right[0] and best and best["has_cause"])
    found.top1.add(first)
    found.top3.add(any(is_right))
    found.by_fault.setdefault(truth["fault"], Share()).add(first)
    found.chance.append(1 / (KINDS * max(1, best["considered"] if best else 1)))
    if not first:
        found.wrong.append(f"{case}: the cause is {truth['cause']} at {truth['dataset']}, answered {said[:2]}")


def _is_right(truth: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    same = said["cause"] == truth["cause"] and said["dataset"] in (truth["dataset"], *truth.get("also", ()))
    return same and truth["deploy_ref"] in (None, said.get("deploy_ref"))


def figures(found: Score) -> dict[str, Any]:
    """The published figures, as shares of 1."""
    shares = {
        "breach_type": found.breach, "root_cause_top1": found.top1, "root_cause_top3": found.top3,
        "abstention": found.abstention, "one_incident_per_cause": found.one_incident,
        "no_incident_of_nothing": found.silence,
    }  # fmt: skip
    document: dict[str, Any] = {
        name: {"share": round(one.value, 4), "right": one.right, "of": one.of} for name, one in shares.items()
    }
    document["chance_top1"] = round(sum(found.chance) / len(found.chance), 4) if found.chance else None
    document["top1_by_fault"] = {name: f"{one.right}/{one.of}" for name, one in sorted(found.by_fault.items())}
    return document
