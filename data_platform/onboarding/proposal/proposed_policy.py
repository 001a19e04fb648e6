"""The proposed policy of a dataset: who owns it, where it comes from, and the rules for its rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from data_platform.model.number_text import number_of
from data_platform.onboarding.proposal.batch_rule import batch_rules
from data_platform.onboarding.proposal.bundle_text import bundle_text, dataset_text
from data_platform.onboarding.proposal.key_rule import candidate_keys
from data_platform.onboarding.proposal.personal_rule import personal_rules
from data_platform.onboarding.proposal.rule import ProposedRule, RuleKind
from data_platform.onboarding.proposal.value_rule import too_many_outside, value_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.model.dataset import DatasetId
    from data_platform.onboarding.place import Place
    from data_platform.onboarding.profile.sketch import Sketch
    from data_platform.onboarding.profile.table_profile import TableProfile

ADDED_KEYS = ("delivery_day", "partition_day", "day_of_delivery")
"""Names for the column of the partition if no delivered column can be it."""
_MISFITS = 0.02


@dataclass(frozen=True, kw_only=True)
class Owner:
    """What people say about a dataset, and no profile can know."""

    dataset: DatasetId
    team: str
    tier: str = "TIER_3"
    email: str = ""
    description: str = ""
    time_zone: str = "UTC"
    producer: str = ""


@dataclass(frozen=True, kw_only=True)
class ProposedPolicy:
    """``values`` are the keys of ``dataset.yaml``; ``considered`` are rules that were not proposed, with the reason."""

    values: dict[str, Any]
    columns: tuple[str, ...]
    rules: tuple[ProposedRule, ...]
    considered: tuple[str, ...] = field(default=())

    @property
    def dataset_text(self) -> str:
        reasons = {
            "tier": "TIER_1 alerts people at night",
            "source": "its producer is the sender that manifests name; without manifests the team is written here",
            "partition": "the day of a delivery; add slo.freshness, by when it must be there",
        }
        return dataset_text(self.values, reasons)

    @property
    def bundle_text(self) -> str:
        return bundle_text(self.columns, self.rules, self.considered)

    @property
    def nullable(self) -> dict[str, bool]:
        required = {rule.fields[0] for rule in self.rules if rule.kind is RuleKind.REQUIRED}
        return {name: name not in required for name in self.columns}

    @property
    def types(self) -> dict[str, str]:
        return {rule.fields[0]: str(rule.value).lower() for rule in self.rules if rule.kind is RuleKind.TYPE}


def propose(
    owner: Owner,
    place: Place,
    profile: TableProfile,
    sketch: Sketch,
    delivery_of: Mapping[str, str],
    producer: str | None,
) -> ProposedPolicy:
    """A first proposal; its rules are to be counted and then ``settled``."""
    rules: list[ProposedRule] = []
    for column in profile.columns:
        rules += value_rules(column)
    for names in candidate_keys(profile, sketch, delivery_of):
        reason = "no two rows of a delivery have the same " + (
            names[0] if len(names) == 1 else "values in these columns"
        )
        rules.append(ProposedRule(kind=RuleKind.KEY, fields=names, value=list(names), reason=reason))
    rules += [*personal_rules(profile), *batch_rules(profile)]
    columns = tuple(one.name for one in profile.columns)
    return ProposedPolicy(values=_values(owner, place, profile, producer), columns=columns, rules=tuple(rules))


def settled(policy: ProposedPolicy, rules: Sequence[ProposedRule], profile: TableProfile) -> ProposedPolicy:
    """``rules`` are those of ``policy`` with their counts: those that reject more than errors explain are left out."""
    present = {one.name: one.present for one in profile.columns}
    kept: list[ProposedRule] = []
    considered: list[str] = []
    texts = {rule.fields[0] for rule in rules if _is_mistyped(rule, present)}
    keys = [rule for rule in rules if rule.kind is RuleKind.KEY and not rule.would_reject]
    for rule in rules:
        rejects = number_of(rule.would_reject or 0, "row")
        if _is_mistyped(rule, present):
            considered.append(f"{rule.is_about} as {rule.value}: {rejects} of another type; it stays text")
            kept.append(replace(rule, value="STRING", reason="values of several types", would_reject=0))
        elif rule.kind is RuleKind.RANGE and rule.fields[0] in texts:
            continue
        elif rule.kind is RuleKind.KEY and rule is not (keys[0] if keys else None):
            why = f"{rejects} repeat it" if rule.would_reject else "another key has fewer columns or clearer names"
            considered.append(f"{rule.is_about} as a key: {why}")
        elif rule.fields and too_many_outside(rule, present.get(rule.fields[0], profile.row_count)):
            considered.append(f"{rule.kind} of {rule.is_about}: it would reject {rejects}")
        else:
            kept.append(rule)
    return replace(policy, rules=tuple(kept), considered=tuple(considered))


def _is_mistyped(rule: ProposedRule, present: Mapping[str, int]) -> bool:
    if rule.kind is not RuleKind.TYPE:
        return False
    return (rule.would_reject or 0) > _MISFITS * present[rule.fields[0]]


def _values(owner: Owner, place: Place, profile: TableProfile, producer: str | None) -> dict[str, Any]:
    values: dict[str, Any] = {"urn": owner.dataset.urn}
    if owner.description:
        values["description"] = owner.description
    values["owner_team"] = owner.team
    if owner.email:
        values["owner_email"] = owner.email
    values["tier"] = owner.tier
    if place.days:
        values["partition"] = _partition(owner, place, profile)
    elif owner.time_zone != "UTC":
        values["time_zone"] = owner.time_zone
    values["source"] = {**place.source, "producer": owner.producer or producer or owner.team}
    return values


def _partition(owner: Owner, place: Place, profile: TableProfile) -> dict[str, Any]:
    """The key is a delivered date, or computed from a delivered time, or the day of the delivery."""
    types = {one.name: one.type for one in profile.columns}
    added = next(name for name in ADDED_KEYS if name not in {one.lower() for one in types})
    day = profile.day_columns[0] if profile.day_columns else ""
    partition: dict[str, Any] = {"key": day}
    if not day:
        partition = {"key": added, "of_delivery": True}
    elif types[day] != "date" or not day.isidentifier() or not day.isascii():
        partition = {"key": added, "computed_from": day}
    return {**partition, "start": place.days[0].value, "time_zone": owner.time_zone}
