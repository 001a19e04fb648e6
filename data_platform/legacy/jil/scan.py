"""Scans JIL files into one value: what the scheduler holds, what its jobs wait for, and the findings.

All files of one scheduler are scanned in one call and in order, since one file may change or name a job of another.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from data_platform.legacy.jil.calendar import calendar_problems
from data_platform.legacy.jil.coverage import coverage_of
from data_platform.legacy.jil.dataset import infer_datasets
from data_platform.legacy.jil.edge import blocking_cycles, box_problems, edges_of
from data_platform.legacy.jil.estate import build_estate
from data_platform.legacy.jil.process import read_job
from data_platform.legacy.jil.stanza import read_stanzas
from data_platform.legacy.jil.value import plain_text
from data_platform.legacy.merged_mapping import Declarations
from data_platform.model.legacy import LegacyObject, LegacyScan
from data_platform.model.secret import redact_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from data_platform.legacy.jil.estate import Thing
    from data_platform.legacy.jil.text import Source
    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.legacy_coverage import Finding


def scan(
    sources: Sequence[Source], mappings: Mapping[str, LegacyMapping] | None = None, *, today: date | None = None
) -> LegacyScan:
    """Never raises, whatever the files contain. ``mappings`` maps a mapping file's name to its content.

    Calendars that ended before ``today`` are reported; without a day none are reported.
    """
    findings: list[Finding] = []
    stanzas = [read_stanzas(source, findings) for source in sources]
    estate = build_estate((statement for part in stanzas for statement in part.statements), findings)
    jobs = {name: read_job(job, findings) for name, job in estate.jobs.items()}
    processes = tuple(job.process for job in jobs.values())
    findings.extend(box_problems(jobs))
    findings.extend(calendar_problems(estate.jobs.values(), estate.things, today or date.min))
    edges = edges_of(jobs, estate.renamed, findings)
    cycles = blocking_cycles(edges, jobs, findings)
    inferred = infer_datasets(processes, edges, mappings or {}, findings)
    declared = Declarations(mappings or {})
    return LegacyScan(
        processes=tuple(declared.described(process) for process in processes),
        edges=edges,
        datasets=tuple(inferred.datasets[urn] for urn in sorted(inferred.datasets)),
        links=tuple(inferred.links),
        objects=tuple(_object(thing) for thing in estate.things.values()),
        renamed=tuple(estate.renamed.items()),
        deleted=tuple(estate.deleted),
        blocking_cycles=cycles,
        coverage=coverage_of([source.name for source in sources], stanzas, findings),
    )


def _object(thing: Thing) -> LegacyObject:
    return LegacyObject(
        kind=thing.kind, name=thing.name, attributes=tuple(_pairs(thing)), file=thing.file, line=thing.line
    )


def _pairs(thing: Thing) -> Iterable[tuple[str, str]]:
    """Yields the attributes; the name of a global variable decides whether its value is a secret."""
    for attribute in thing.attributes:
        name = thing.name if thing.kind == "global" else attribute.key
        yield attribute.key, redact_named(name, plain_text(attribute.value))
