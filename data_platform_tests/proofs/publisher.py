"""Processes that certify and hold versions of one dataset, and processes that read it, while some of them are killed.

Each writes what it begins and what became of it to a file of its own, in one call of the kernel, so that a kill loses
nothing. Times are of the kernel's monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import time
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import ConflictError, DataPlatformError
from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import NOW, ORDERS, evidence, report
from data_platform_tests.proofs.linearizability import NEVER, Kind, Operation

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import ForkServerContext
    from multiprocessing.process import BaseProcess

LEAST_WRITES = 2
JOIN_SECONDS = 120


def certification(version: int) -> Certification:
    """Each part names the version, so that parts of two versions cannot pass for one."""
    return Certification(
        dataset_urn=ORDERS, status=CertificationStatus.CERTIFIED, version=version, path=f"gold/{version}",
        certified_at=NOW, run_id=f"run_{version}", policy_fingerprint=f"policy_{version}",
    )  # fmt: skip


def is_one_version(seen: Certification) -> bool:
    """Whether a pointer that was read is that of one version, and not mixed of two."""
    wanted = certification(seen.version or 0)
    names = ("path", "run_id", "policy_fingerprint")
    return seen.judged_version == seen.version and all(getattr(seen, n) == getattr(wanted, n) for n in names)


@dataclass
class Log:
    """The lines of one process. Two lines of the same ``number`` are the beginning and the end of one operation."""

    file: Path
    number: int = 0
    begun: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def begin(self, **what: int) -> None:
        self.number += 1
        self.begun = {"number": self.number, "invoked": time.monotonic_ns(), **what}
        self._write({**self.begun, "kind": Kind.UNKNOWN})

    def end(self, kind: Kind, **what: Any) -> None:
        self._write({**self.begun, "kind": kind, "returned": time.monotonic_ns(), **what})

    def _write(self, line: dict[str, Any]) -> None:
        os.write(self._descriptor, (json.dumps(line) + "\n").encode())


def publish(url: str, file: str, numbers: Any, until: Any) -> None:
    """Certifies or holds one version after the other until ``until`` is set; ``numbers`` has the last given version."""
    log, chance = Log(Path(file)), random.Random(os.getpid())  # noqa: S311
    with open_catalog(url, KEYS) as catalog:
        while not until.is_set():
            seen = catalog.certifications.get(ORDERS)
            with numbers.get_lock():
                numbers.value += 1
                version = numbers.value
            if chance.random() < 0.2:
                hold(catalog, version)
            else:
                advance(catalog, log, version, seen.version if seen else None)


def advance(catalog: Catalog, log: Log, version: int, expected: int | None) -> None:
    done = report(f"run_{version}", stage=Stage.CERTIFIED, version=version, path=f"gold/{version}")
    told = evidence(f"run_{version}", gate="CERTIFICATION", result="CERTIFIED", certified_view_status="CERTIFIED")
    log.begin(version=version, expected=expected or 0)
    try:
        catalog.certifications.certify(certification(version), expected=expected, evidence=[told], report=done)
    except ConflictError:
        log.end(Kind.REFUSED)
    except DataPlatformError:
        log.end(Kind.UNKNOWN, returned=None)
    else:
        log.end(Kind.WRITTEN)


def hold(catalog: Catalog, version: int) -> None:
    """A gate failed: nobody may ever read this version."""
    failed = Verdict(gate=Gate.DQ, outcome=Outcome.FAILED, reason="too few rows")
    held = report(f"run_{version}", stage=Stage.GOLD, version=None, verdicts=(failed,))
    catalog.runs.record(held, [evidence(f"run_{version}", result="FAIL")], held_reason="too few rows")


def read(url: str, file: str, until: Any) -> None:
    """Reads the pointer, and with it whether its version has evidence, until ``until`` is set."""
    log = Log(Path(file))
    with open_catalog(url, KEYS) as catalog:
        while not until.is_set():
            log.begin()
            seen = catalog.certifications.get(ORDERS)
            if seen is None or seen.version is None:
                log.end(Kind.READ, version=0)
                continue
            log.end(Kind.READ, version=seen.version, is_mixed=not is_one_version(seen))


@dataclass(frozen=True)
class Outcomes:
    """``operations`` are those of all processes; ``mixed`` reads had parts of two versions."""

    operations: list[Operation]
    mixed: int
    kills: int

    @property
    def reads(self) -> list[Operation]:
        return [one for one in self.operations if one.kind is Kind.READ]


def run_publishers(
    url: str, folder: Path, *, reads: int, publishers: int = 3, readers: int = 3, pause_seconds: float = 0.3
) -> Outcomes:
    """Runs the processes, and kills and replaces one after each pause, until there are ``reads`` and two writes."""
    kills = run_processes(
        (publish, read),
        url,
        folder,
        lambda _: count_reads(folder) >= reads and count_writes(folder) >= LEAST_WRITES,
        publishers=publishers,
        readers=readers,
        pause_seconds=pause_seconds,
    )
    return replace(read_logs(folder), kills=kills)


def run_processes(
    targets: tuple[Callable[..., None], Callable[..., None]],
    url: str,
    folder: Path,
    is_enough: Callable[[int], bool],
    *,
    publishers: int = 3,
    readers: int = 3,
    pause_seconds: float = 0.3,
    most_kills: int = NEVER,
) -> int:
    """Runs publishers and readers, the two ``targets``, until ``is_enough``, which gets the number of kills so far.

    Returns the number of kills. With ``most_kills`` a slow machine comes to an end too.
    """
    context, chance = _server(), random.Random(20130101)  # noqa: S311
    numbers, until = context.Value("q", 0), context.Event()
    made, killed = 0, 0

    def start(is_reader: bool) -> BaseProcess:
        nonlocal made
        made += 1
        file = str(folder / f"{'reader' if is_reader else 'publisher'}_{made}.jsonl")
        arguments = (url, file, until) if is_reader else (url, file, numbers, until)
        process = context.Process(target=targets[is_reader], args=arguments)
        process.start()
        return process

    running = [start(number < readers) for number in range(readers + publishers)]
    while not is_enough(killed):
        time.sleep(pause_seconds)
        if killed == most_kills:
            continue
        number = chance.choice([0, *range(readers, len(running))])  # one reader dies too, the others read on
        running[number].kill()
        running[number].join(JOIN_SECONDS)
        killed += 1
        running[number] = start(number < readers)
    until.set()
    for process in running:
        process.join(JOIN_SECONDS)
    return killed


@cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "data_platform_tests.proofs.group_publisher"])
    return context


def count_reads(folder: Path) -> int:
    return sum(file.read_bytes().count(b'"kind": "read"') for file in folder.glob("reader_*.jsonl"))


def count_writes(folder: Path) -> int:
    return sum(file.read_bytes().count(b'"kind": "written"') for file in folder.glob("publisher_*.jsonl"))


def read_logs(folder: Path) -> Outcomes:
    operations, mixed = list[Operation](), 0
    names = asdict(Operation(client="", kind=Kind.READ, invoked=0))
    for file in sorted(folder.glob("*.jsonl")):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        last = {line["number"]: line for line in lines if line.get("returned", 0) is not None}
        mixed += sum(line.get("is_mixed", False) for line in last.values())
        for line in last.values():
            if line["kind"] == Kind.UNKNOWN and file.name.startswith("reader"):
                continue  # a killed read has no result
            known = {name: value for name, value in line.items() if name in names}
            operations.append(Operation(client=file.stem, **{**known, "kind": Kind(line["kind"])}))
    return Outcomes(operations, mixed, 0)


def uncertified(catalog: Catalog, outcomes: Outcomes) -> set[int]:
    """The versions that were read without evidence that they were certified."""
    stored = catalog.evidence.find(ORDERS, limit=1_000_000)
    certified = {item.run_id for item in stored if item.result == "CERTIFIED"}
    failed = {item.run_id for item in stored if item.result == "FAIL"}
    read = {one.version for one in outcomes.reads if one.version}
    return {version for version in read if f"run_{version}" in failed or f"run_{version}" not in certified}
