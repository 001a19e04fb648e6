"""What ``status`` knows of all datasets: a few questions to the catalog, however many datasets there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from data_platform.cli.certified_waiver import certified_waivers
from data_platform.model.internal import JOBS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.installation import Platform
    from data_platform.model.certification import Certification
    from data_platform.model.process_page import ProcessRun
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.run import RunRow

RECENT = timedelta(days=30)
"""``status`` does not show older errors of stages; the catalog keeps them."""


@dataclass(frozen=True)
class StatusFacts:
    """By URN; ``broken`` maps a process key to the newest run of that stage if it ended with an error recently."""

    last_runs: Mapping[str, RunRow]
    pointers: Mapping[str, Certification]
    held: Mapping[str, list[RunRow]]
    entries: Mapping[str, list[QuarantineEntry]]
    waivers: Mapping[str, list[dict[str, Any]]]
    broken: Mapping[str, ProcessRun]


def read_status(platform: Platform) -> StatusFacts:
    catalog = platform.catalog
    pointers = {one.dataset_urn: one for one in catalog.certifications.all()}
    waived = {one.dataset_urn for one in catalog.waivers.find(now=platform.now())}
    failed = catalog.lineage.failed_last(JOBS, since=platform.now() - RECENT)
    return StatusFacts(
        last_runs=catalog.runs.newest(),
        pointers=pointers,
        held=_by_dataset(catalog.runs.held()),
        entries=_by_dataset(catalog.quarantine.entries()),
        waivers={urn: certified_waivers(platform, pointers.get(urn)) for urn in waived},
        broken={run.process_key: run for run in failed},
    )


def _by_dataset(rows: Iterable[Any]) -> dict[str, list[Any]]:
    """Each dataset's rows in their order."""
    ordered = sorted(rows, key=lambda row: row.dataset_urn)
    return {urn: list(own) for urn, own in groupby(ordered, key=lambda row: row.dataset_urn)}
