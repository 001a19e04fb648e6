"""Processes that publish a group, and processes that read it, while some of them are killed.

Members have no days, so the group advances in rounds: each member passes once before any is shown. A publisher lets a
member pass, or holds it, under the member's lease; then it publishes the group if it is complete. It uses the stage's
own code over gold tables that nobody rolls back.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.publication_table import PUBLICATION_MEMBER
from data_platform.errors import DataPlatformError
from data_platform.model.dataset import Stage
from data_platform.model.publication import PUBLICATION, Candidate
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Outcome
from data_platform.settings import read_settings
from data_platform.stage import lease
from data_platform.stage.group import rule_of
from data_platform.stage.group_publication import publish_group
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.proofs.linearizability import NEVER, Kind, Operation
from data_platform_tests.proofs.publisher import Log, count_reads, run_processes
from data_platform_tests.stage.group_shop import SCHEMA, Shop, WithoutSpark
from data_platform_tests.stage.killed_publisher import Untouched
from data_platform_tests.verdicts import all_gates

if TYPE_CHECKING:
    from data_platform.policies import Dataset

NAMES = ("items", "lines", "orders")
URNS = tuple(f"ds://shop/{name}" for name in NAMES)
HELD_SHARE = 0.15
LEAST_KILLS, LEAST_PUBLICATIONS = 3, 2
PAUSE_SECONDS = 0.005
"""Between two reads, so that readers leave the processor to publishers."""


def publish(url: str, file: str, numbers: Any, until: Any) -> None:
    """Lets members pass or holds them until ``until`` is set; ``numbers`` has the number of the last attempt."""
    log, chance = Log(Path(file)), random.Random(os.getpid())  # noqa: S311
    lease.POLL_SECONDS = 0.02
    platform = _opened(url, Path(file).parent)
    while not until.is_set():
        with numbers.get_lock():
            numbers.value += 1
            run_id = f"run_20250201_{numbers.value:012x}"
        dataset = platform.policies.dataset(chance.choice(NAMES))
        if chance.random() < HELD_SHARE:
            _hold(platform, dataset, run_id)
            continue
        log.begin()
        published: list[str] = []
        with suppress(DataPlatformError):  # another publisher was faster
            _pass(platform, dataset, run_id)
            reports = publish_group(platform, dataset, run_id)
            published = sorted({report.metadata[PUBLICATION]["id"] for report in reports})
        log.end(Kind.WRITTEN, published=published)
    platform.close()


def _opened(url: str, home: Path) -> WithoutSpark:
    place = {"DATA_PLATFORM_HOME": str(home), "DATA_PLATFORM_POLICIES": str(home / "policies")}
    keyed = {"DATA_PLATFORM_CATALOG_URL": url, "DATA_PLATFORM_EVIDENCE_KEY_FILE": str(KEYS.file)}
    platform = WithoutSpark(read_settings(place | keyed))
    platform.tables = Untouched()
    return platform


def _pass(platform: WithoutSpark, dataset: Dataset, run_id: str) -> None:
    """A version of gold passes; it is a candidate of the group."""
    now, rule, publications = datetime.now(UTC), rule_of(platform, dataset), platform.catalog.publications
    assert rule is not None
    with lease.leased(platform, dataset, run_id) as held:
        pointer = platform.catalog.certifications.get(dataset.urn)
        base = pointer.version if pointer else None
        waiting = [one.version for one in publications.open_candidates(dataset.urn)]
        candidate = Candidate(
            dataset_urn=dataset.urn, group=rule.name, partition=None, run_id=run_id,
            path=platform.path(dataset, Stage.GOLD), version=max([*waiting, base or 0]) + 1, base=base, slices=(None,),
            rows=1, schema_fingerprint=SCHEMA.fingerprint, policy_fingerprint=dataset.fingerprint,
            judged_under=dataset.judged_under, delivery_id="", started_at=now, ready_at=now,
        )  # fmt: skip
        held.confirm()
        publications.add(candidate, rule, SCHEMA, ())


def _hold(platform: WithoutSpark, dataset: Dataset, run_id: str) -> None:
    now = datetime.now(UTC)
    report = StageReport(
        dataset=dataset.id, stage=Stage.GOLD, partition=None, run_id=run_id, path=platform.path(dataset, Stage.GOLD),
        version=None, rows=RowCounts(read=1, quarantined=1), verdicts=all_gates(Stage.GOLD, Outcome.FAILED),
        started_at=now, finished_at=now,
    )  # fmt: skip
    platform.catalog.runs.record(report, (), held_reason="a gate did not pass")


def read(url: str, file: str, until: Any) -> None:
    """Reads the versions of all members, as a consumer of the group does, until ``until`` is set."""
    log = Log(Path(file))
    with open_catalog(url, KEYS) as catalog:
        while not until.is_set():
            log.begin()
            seen = {one.dataset_urn: one.version for one in catalog.publications.versions(URNS)}
            log.end(Kind.READ, versions=[seen[urn] for urn in URNS])
            time.sleep(PAUSE_SECONDS)


@dataclass(frozen=True)
class GroupOutcomes:
    """``operations`` are on one register, whose value is the number of publications so far.

    ``mixed`` are the versions of reads that are no state between two publications; ``unproven`` are members of a
    publication without evidence.
    """

    operations: list[Operation]
    publications: int
    mixed: list[Any]
    unproven: set[tuple[str, str]]
    kills: int

    @property
    def reads(self) -> int:
        return sum(one.kind is Kind.READ for one in self.operations) + len(self.mixed)


def run_group(url: str, folder: Path, *, reads: int, most_kills: int = NEVER) -> GroupOutcomes:
    """Publishes and reads a group on the empty catalog ``url``, until there are ``reads``, kills and publications.

    ``folder`` gets policies and logs.
    """
    Shop(folder, NAMES, partitioned=False, catalog_url=url).platform.close()

    def is_enough(killed: int) -> bool:
        done = sum(file.read_bytes().count(b'"published": ["') for file in folder.glob("publisher_*.jsonl"))
        return count_reads(folder) >= reads and killed >= LEAST_KILLS and done >= LEAST_PUBLICATIONS

    killed = run_processes(
        (publish, read), url, folder, is_enough, publishers=2, readers=2, pause_seconds=1, most_kills=most_kills
    )
    with open_catalog(url, KEYS) as catalog:
        return outcomes_of(catalog, folder, killed)


def outcomes_of(catalog: Catalog, folder: Path, kills: int) -> GroupOutcomes:
    """What the logs in ``folder`` and the catalog say, after all processes have ended."""
    members = _publications(catalog)
    numbers = {identity: number for number, identity in enumerate(members, start=1)}
    states = {tuple(members[identity].get(urn) for urn in URNS): number for identity, number in numbers.items()}
    states[(None,) * len(URNS)] = 0
    operations, mixed, claimed = list[Operation](), list[Any](), set[int]()
    for file in sorted(folder.glob("*.jsonl")):
        ended = [line for line in map(json.loads, file.read_text().splitlines()) if "returned" in line]
        for line in ended:
            at = {"client": file.stem, "invoked": line["invoked"], "returned": line["returned"]}
            if line["kind"] == Kind.READ:
                state = states.get(tuple(line["versions"]))
                if state is None:
                    mixed.append(line["versions"])
                else:
                    operations.append(Operation(kind=Kind.READ, version=state, **at))
            for number in (numbers[identity] for identity in line.get("published", ())):
                claimed.add(number)
                operations.append(Operation(kind=Kind.WRITTEN, version=number, expected=number - 1, **at))
    for number in set(numbers.values()) - claimed:  # its publisher was killed before it knew
        operations.append(Operation(client="killed", kind=Kind.UNKNOWN, invoked=0, version=number, expected=number - 1))
    return GroupOutcomes(operations, len(members), mixed, _unproven(catalog, members), kills)


def _publications(catalog: Catalog) -> dict[str, dict[str, int]]:
    """The versions of the members of each publication, in the order in which the pointers moved."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    with catalog._database.reading() as connection:
        for row in connection.execute(select(PUBLICATION_MEMBER).order_by(PUBLICATION_MEMBER.c.history)):
            found[row.publication_id][row.dataset_urn] = row.version
    return found


def _unproven(catalog: Catalog, members: dict[str, dict[str, int]]) -> set[tuple[str, str]]:
    records = (one for urn in URNS for one in catalog.evidence.find(urn, limit=1_000_000))
    proven = {(one.publication_id, one.dataset_urn) for one in records if one.result == "CERTIFIED"}
    return {(identity, urn) for identity in members for urn in URNS} - proven
