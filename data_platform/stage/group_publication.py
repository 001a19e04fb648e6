"""Publishes a group: moves the pointers of all members in one transaction, under the leases of all of them.

The steps; each is reported to ``platform.on_step`` when it is done, and the process may die at each:

    ready → leases → prepared → publish → views

``ready`` is the candidate of a member in the catalog (``group_candidate``). Whoever comes next publishes what is
complete: the next run of any member, or ``data-platform reconcile``. Leases are acquired in the order of the URNs, and
no run has its own then, so two members that finish at once wait for each other in turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.errors import ConflictError, UnreadableVersionError
from data_platform.lake.presence import find_damage
from data_platform.model.dataset import Stage
from data_platform.model.evidence import new_evidence_id
from data_platform.model.publication import MemberPublication, Publication
from data_platform.model.waiver import WAIVERS
from data_platform.stage import event_emitter
from data_platform.stage.certified_pointer import evidence_of_move, pointer_of
from data_platform.stage.finished_run import report_of
from data_platform.stage.gold_history import discarded
from data_platform.stage.group import rule_of
from data_platform.stage.group_report import published_report, waiting_report
from data_platform.stage.lease import leased_together
from data_platform.stage.maintenance import show_pointer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.installation import Platform
    from data_platform.model.publication import Candidate, GroupRule, GroupState
    from data_platform.model.run import StageReport
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset


def publish_group(platform: Platform, dataset: Dataset, run_id: str) -> tuple[StageReport, ...]:
    """Publishes what the group of ``dataset`` may show now; returns a report for each partition of each member.

    Raises:
        ConflictError: A member or the group's policy changed at the same time. No member was published.
        LeaseHeldError: A run of another member did not end in time. The versions that passed still wait.
        UnreadableVersionError: Files of a member's version were deleted. No member was published.
    """
    rule = rule_of(platform, platform.current(dataset))
    if rule is None or not platform.catalog.publications.state(rule, now=platform.now()).chosen:
        return ()
    with leased_together(platform, [_of(platform, one.urn) for one in rule.members], run_id) as leases:
        state = _state(platform, dataset, rule)
        if not state.chosen:
            return ()
        publication = _publication(platform, state, run_id)
        leases.confirm()
        platform.on_step("prepared", {"dataset": dataset.urn, "publication": publication.id})
        platform.catalog.publications.publish(publication, state, outbox=platform.settings.openlineage_url is not None)
    reports = tuple(report for member in publication.members for report in member.reports)
    _show(platform, publication, reports)
    return reports


def publish_or_wait(platform: Platform, dataset: Dataset, report: StageReport) -> StageReport:
    """The report of a version that has just passed, as ``report`` says: it was published, or it waits for others."""
    urn, run_id = dataset.urn, report.run_id
    published = publish_group(platform, dataset, run_id)
    own = next((one for one in published if one.dataset == dataset.id and one.run_id == run_id), None)
    if own is not None:
        return own
    rule = rule_of(platform, platform.current(dataset))
    waiting = platform.catalog.publications.state(rule, now=platform.now()).waiting if rule else ()
    mine = next((one for one in waiting if one.dataset_urn == urn and one.run_id == run_id), None)
    if mine is None:  # the run of another member, or of the same day, has just published it
        row = platform.catalog.runs.latest(urn, Stage.CERTIFIED, report.partition)
        assert row is not None, "a closed candidate has the record of its partition"  # noqa: S101
        return report_of(platform, dataset, row)
    waits = waiting_report(report, mine)
    platform.on_step("wait", {"dataset": urn, "stage": Stage.CERTIFIED.value, "report": waits})
    return waits


def publish_waiting(platform: Platform, run_id: str) -> list[str]:
    """Publishes each group that is complete, and that nobody published; returns a message for each publication."""
    messages = []
    for urn in platform.catalog.publications.waiting_urns():
        dataset = platform.policies.find(urn)
        reports = publish_group(platform, dataset, run_id) if dataset is not None and dataset.stages else ()
        messages += [
            f"{r.dataset.urn} {r.partition or ''}".rstrip() + f" was published as v{r.version}" for r in reports
        ]
    return messages


def _of(platform: Platform, urn: str) -> Dataset:
    return platform.policies.dataset(urn)


def _state(platform: Platform, dataset: Dataset, rule: GroupRule) -> GroupState:
    """What may be shown by the policies as they are on disk now, and by gold as it is."""
    current = rule_of(platform, platform.current(dataset))
    if current is None or [one.urn for one in current.members] != [one.urn for one in rule.members]:
        raise ConflictError(f"publish group {rule.name} was edited while it was being published: run again")
    while True:
        state = platform.catalog.publications.state(current, now=platform.now())
        gone = [c.number for candidates in state.chosen.values() for c in _rolled_back(platform, candidates)]
        if not gone:
            break
        platform.catalog.publications.discard(gone, now=platform.now())
    for urn in state.chosen:
        _refuse_damaged(urn, state)
    return state


def _rolled_back(platform: Platform, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates whose version another program has restored gold away from since."""
    adding = [one for one in candidates if one.adds_rows]
    if not adding:
        return []
    table = platform.table(_of(platform, adding[0].dataset_urn), Stage.GOLD)
    gone = discarded(table.history_since(min(one.version for one in adding) - 1))
    return [one for one in adding if one.version in gone]


def _refuse_damaged(urn: str, state: GroupState) -> None:
    path, version = state.chosen[urn][-1].path, state.version_of(urn)
    damage = find_damage(path, version)
    if damage is not None:
        days = ", ".join(sorted({str(candidate.partition or "all") for candidate in state.chosen[urn]}))
        raise UnreadableVersionError(
            f"v{version} of {path} (gold of {urn}) passed, and cannot be read any more: {damage}. No member of publish "
            f"group {state.rule.name} was published, and consumers keep what they see; run {urn} again for {days}"
        )


def _publication(platform: Platform, state: GroupState, run_id: str) -> Publication:
    now = platform.now()
    identity = new_evidence_id(now)
    empty = Publication(id=identity, group=state.rule.name, run_id=run_id, at=now, members=())
    fingerprints = {one.schema_fingerprint for candidates in state.chosen.values() for one in candidates}
    schemas = platform.catalog.runs.schemas(fingerprints)
    return replace(empty, members=tuple(_member(platform, state, urn, empty, schemas) for urn in sorted(state.chosen)))


def _member(
    platform: Platform, state: GroupState, urn: str, publication: Publication, schemas: Mapping[str, Schema]
) -> MemberPublication:
    dataset, candidates, version = _of(platform, urn), state.chosen[urn], state.version_of(urn)
    of_publication, run_id = {"group": publication.group, "id": publication.id}, publication.run_id
    last = {candidate.partition: candidate for candidate in candidates}  # a later candidate of a day replaces it
    ordered = sorted(last.values(), key=lambda one: one.number)
    reports = tuple(
        published_report(schemas, dataset, one, version, state.pointers[urn], of_publication, publication.at)
        for one in ordered
    )
    events = [event for report in reports for event in _events(platform, dataset, report, own=report.run_id == run_id)]
    return MemberPublication(
        certification=pointer_of(reports[-1]),
        expected=state.pointers[urn],
        reports=reports,
        evidence=tuple(evidence_of_move(report, state.pointers[urn]) for report in reports),
        events=tuple(events),
        waivers=tuple({use["number"] for one in candidates for use in one.metadata.get(WAIVERS, ())}),
    )


def _events(platform: Platform, dataset: Dataset, report: StageReport, *, own: bool) -> Any:
    return (event_emitter.events_of if own else event_emitter.later_events_of)(platform, dataset, report)


def _show(platform: Platform, publication: Publication, reports: Sequence[StageReport]) -> None:
    """Reports each member that consumers see now, and updates the views of this session."""
    event_emitter.pass_on_in_passing(platform)
    for report in reports:
        details = {"dataset": report.dataset.urn, "stage": Stage.CERTIFIED.value, "partition": report.partition}
        platform.on_step("publish", {**details, "report": report})
    for member in publication.members:
        show_pointer(platform, _of(platform, member.certification.dataset_urn))
    platform.on_step("views", {"dataset": "", "publication": publication.id})
