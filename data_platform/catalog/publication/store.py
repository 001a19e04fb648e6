"""``catalog.publications``: publish groups, whose certified versions change together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.catalog.publication import candidate as candidates
from data_platform.catalog.publication import member, publish
from data_platform.catalog.publication.state import find_state
from data_platform.catalog.schema import save_schema
from data_platform.model.explanation import ExplanationState
from data_platform.model.publication import PublishedGroup

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.catalog.evidence.chain import EvidenceChain
    from data_platform.model.evidence import Evidence
    from data_platform.model.explanation import Explanation
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.publication import Candidate, GroupRule, GroupState, Publication, PublishedVersion
    from data_platform.model.schema import Schema


class Publications:
    def __init__(self, database: Database, chain: EvidenceChain) -> None:
        self._database, self._chain = database, chain

    def add(
        self,
        candidate: Candidate,
        rule: GroupRule,
        schema: Schema,
        evidence: Sequence[Evidence],
        *,
        discarded: Collection[int] = (),
    ) -> None:
        """Add a version that passed, with its columns and evidence. It is not shown until ``publish`` shows it.

        ``rule`` replaces what the catalog knows of the group. ``discarded`` are the numbers of older candidates whose
        versions were rolled back. A run may add the same version again; then nothing is written a second time.

        Raises:
            UsageError: The run has certified another version of the dataset.
        """
        with self._database.writing() as connection:
            member.declare(connection, rule, candidate.ready_at)
            candidates.close(connection, discarded, "DISCARDED", now=candidate.ready_at)
            if candidates.add_candidate(connection, candidate):
                save_schema(connection, schema, now=candidate.ready_at)
                self._chain.append(connection, evidence)

    def discard(self, numbers: Collection[int], *, now: datetime) -> None:
        """Close candidates whose versions were rolled back."""
        with self._database.writing() as connection:
            candidates.close(connection, numbers, "DISCARDED", now=now)

    def open_candidates(self, urn: str) -> tuple[Candidate, ...]:
        """Those that wait, oldest first."""
        with self._database.reading() as connection:
            return tuple(one for one, _ in candidates.find_open(connection, [urn])[urn])

    def waiting_urns(self) -> tuple[str, ...]:
        """The datasets that have a version which waits."""
        with self._database.reading() as connection:
            return candidates.find_urns(connection)

    def state(self, rule: GroupRule, *, now: datetime) -> GroupState:
        """What the group may show now, and for whom the other versions wait."""
        with self._database.reading() as connection:
            return find_state(connection, rule, now)

    def publish(self, publication: Publication, state: GroupState, *, outbox: bool = False) -> None:
        """Move the pointers of all its members in one transaction, with their reports, evidence and events.

        Raises:
            ConflictError: The group may not show exactly the choice of ``state`` any more. Nothing was written.
        """
        with self._database.writing() as connection:
            member.declare(connection, state.rule, publication.at)
            publish.publish(connection, self._chain, publication, state, outbox=outbox)

    def versions(self, urns: Sequence[str]) -> tuple[PublishedVersion, ...]:
        """What consumers see of each dataset, read in one statement: never a part of a publication."""
        with self._database.reading() as connection:
            return member.find_versions(connection, urns)

    def published(self, name: str, *, members: Sequence[str] = ()) -> PublishedGroup:
        """What consumers see of a group, read in one statement; without ``members`` of those of the last run.

        Raises:
            NotFoundError: There is no group of this name, or none of its members has run.
        """
        with self._database.reading() as connection:
            urns = members or [one.urn for one in member.find_rule(connection, name).members]
            last, at = member.find_last(connection, name)  # before the versions: they are never older than this
            versions = member.find_versions(connection, urns)
        return PublishedGroup(group=name, members=versions, publication=last, published_at=at)

    def waiting_in(self, name: str, *, now: datetime) -> tuple[Waiting, ...]:
        """The versions that wait, of all members of a group as the policies of the last run declared it.

        Raises:
            NotFoundError: As ``published``.
        """
        with self._database.reading() as connection:
            return find_state(connection, member.find_rule(connection, name), now).waiting

    def waiting(self, urn: str, *, now: datetime) -> tuple[Waiting, ...]:
        """The versions of a dataset that wait for its group, oldest first."""
        with self._database.reading() as connection:
            name = member.find_group_of(connection, urn)
            rule = member.find_rule(connection, name) if name else None
            found = find_state(connection, rule, now).waiting if rule else ()
        return tuple(one for one in found if one.dataset_urn == urn)

    def with_waiting(self, explanation: Explanation, *, now: datetime) -> Explanation:
        """``explanation`` with the versions that wait: of its day, or of all days if it is of a certified version."""
        every = explanation.state is ExplanationState.CERTIFIED
        found = self.waiting(explanation.dataset_urn, now=now)
        waiting = (one for one in found if every or one.partition == explanation.partition)
        return replace(explanation, waiting=tuple(waiting))

    def unreported(self, limit: int = 100) -> tuple[str, ...]:
        """Ids of publications whose materializations Dagster may not have, oldest first."""
        with self._database.reading() as connection:
            return publish.find_unreported(connection, limit)

    def runs(self, publication: str) -> tuple[tuple[str, str], ...]:
        """The URN and the run of each partition that a publication showed."""
        with self._database.reading() as connection:
            return publish.find_runs(connection, publication)

    def mark_reported(self, publication: str, *, now: datetime) -> None:
        with self._database.writing() as connection:
            publish.mark_reported(connection, publication, now)
