"""Names inside one of the platform's datasets: stages, landing, quarantine and steps. Consumers see only the dataset.

``ds://ops/flights`` is what consumers see; ``ds://ops/flights/silver`` and the job ``DATA_PLATFORM/ops/flights/silver``
are inside it.
"""

from __future__ import annotations

import re

from data_platform.model.dataset import Stage
from data_platform.model.lineage import Name

JOBS = "DATA_PLATFORM"
"""Namespace of the platform's own jobs in OpenLineage events."""

LANDING, QUARANTINE, STEP = "landing", "quarantine", "step"

_PARTS = frozenset({*Stage, LANDING, QUARANTINE})
_STAGE_JOB = re.compile(rf"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*/({'|'.join(Stage)})")
_STEP_JOB = re.compile(r"[^/]+/[^/]+")


def whole_of(name: Name) -> Name | None:
    """The dataset that ``name`` is a part of; None if it is not a part."""
    dataset, slash, part = name.name.partition("/")
    if not (slash and name.namespace.startswith("ds://")):
        return None
    is_part = part in _PARTS or part.startswith(f"{STEP}/")
    return Name(name.namespace, dataset) if is_part else None


def shown_reference(reference: str) -> str:
    """The dataset that a stage, a step or a landing folder is shown as; any other name as it is."""
    name = Name.of_reference(reference)
    whole = whole_of(name) if name else None
    return whole.reference if whole else reference


def is_internal_job(name: Name) -> bool:
    """Whether it is the job of one stage or step, or of the run that they are parts of; a declared process is not."""
    if name.namespace != JOBS:
        return False
    return name.name == "run" or any(p.fullmatch(name.name) for p in (_STAGE_JOB, _STEP_JOB))
