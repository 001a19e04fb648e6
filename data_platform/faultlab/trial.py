"""One trial: a fault on an estate, the looks of a day, and what the platform answers. The truth is kept apart."""

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from data_platform.catalog import Catalog, open_catalog
from data_platform.faultlab.distractor import add_distractors
from data_platform.faultlab.estate import LAYERS, Estate, draw_estate, policies_of
from data_platform.faultlab.fault import Fault, completed
from data_platform.faultlab.plan import Day, Truth
from data_platform.faultlab.recording import write_records
from data_platform.faultlab.story import Record, examined_day, history
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.model.incident import IncidentState
from data_platform.model.signal import SignalKind
from data_platform.signals.look import look
from data_platform.signals.root_cause.gather import explain_incident

_LAST_LOOK = timedelta(hours=1)


@dataclass(frozen=True)
class Case:
    """``looks`` are the times at which somebody looks: a sensor and a watcher at each deadline, or one at the end."""

    name: str
    estate: Estate
    records: tuple[Record, ...]
    looks: tuple[datetime, ...]
    truth: Truth


def draw_case(estate: Estate, fault: Fault, *, daemon: bool) -> Case:
    rng = Random(f"{estate.number} {fault.__name__} {daemon}")  # noqa: S311 - a lab has to be repeatable
    day = Day(estate)
    truth = fault(rng, day)
    add_distractors(rng, day, truth)
    last = estate.late_at(LAYERS - 1) + _LAST_LOOK
    each = [estate.late_at(layer) + timedelta(minutes=1) for layer in range(LAYERS)] if daemon else []
    looks = (*(at for at in each for _ in ("sensor", "watch")), last)
    name = f"{estate.number}-{fault.__name__}-{'up' if daemon else 'down'}"
    return Case(name, estate, tuple(examined_day(rng, day, last)), looks, completed(truth, day))


class Bench:
    """An estate with its good days in a catalog, of which each trial gets a copy."""

    def __init__(self, number: int, size: int, folder: Path) -> None:
        self.estate = draw_estate(number, size)
        self._folder = folder / f"estate{number}"
        self._folder.mkdir(parents=True)
        self.policies = policies_of(self.estate, self._folder)
        self._keys = EvidenceKeys(self._folder / "evidence.key")
        with self._opened(self._folder / "history.db") as catalog:
            write_records(catalog, history(self.estate))

    def answer(self, case: Case) -> dict[str, Any]:
        """What the platform says after the looks of the case. Only its records are written, never its truth."""
        file = self._folder / "trial.db"
        for suffix in ("", "-wal", "-shm"):
            file.with_name(f"trial.db{suffix}").unlink(missing_ok=True)
        shutil.copy(self._folder / "history.db", file)
        with self._opened(file) as catalog:
            written = 0
            for at in case.looks:
                until = sum(record["at"] <= at.isoformat(timespec="microseconds") for record in case.records)
                write_records(catalog, case.records[written:until])
                written = until
                look(self.policies, catalog, at)
            return _answer(catalog, case)

    def _opened(self, file: Path) -> Catalog:
        return open_catalog(f"sqlite:///{file}", self._keys)


def _answer(catalog: Catalog, case: Case) -> dict[str, Any]:
    late = {
        signal.finding.dataset: signal.finding.signature
        for signal in catalog.signals.active()
        if signal.finding.kind is SignalKind.FRESHNESS
    }
    incidents = []
    for incident in catalog.incidents.find(limit=1000).items:
        if incident.state is IncidentState.MERGED:
            continue
        result = explain_incident(catalog, incident.number, now=case.looks[-1])
        said = [*([result.cause] if result.cause else []), *result.others]
        incidents.append(
            {
                "datasets": sorted({one.finding.dataset for one in catalog.signals.of_incident(incident.number)}),
                "severity": incident.severity.value,
                "has_cause": result.cause is not None,
                "candidates": [{"cause": c.kind.value, "dataset": c.dataset, "deploy_ref": c.deploy_ref} for c in said],
                "considered": _considered(case.estate, incident.dataset),
            }
        )
    return {"case": case.name, "late": late, "incidents": incidents}


def _considered(estate: Estate, dataset: str) -> int:
    """The datasets of which one is the cause, for the level of chance."""
    return 1 + len(estate.above(dataset))
