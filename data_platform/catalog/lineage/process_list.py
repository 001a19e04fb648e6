"""Lists the processes of the catalog with the state of their newest runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, func, not_, or_, select

from data_platform.catalog.lineage.last_run import newest
from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import PROCESS
from data_platform.model.internal import JOBS
from data_platform.model.lineage import RunState
from data_platform.model.process_page import ListedProcess

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

_PROCESS = PROCESS.c
_SHOWN = ("process_id", "process_key", "description", "technology", "team", "trigger_mode", "retired_at")
_TEXTS = (_PROCESS.process_key, _PROCESS.description, _PROCESS.technology, _PROCESS.team)
_IS_INTERNAL = and_(_PROCESS.namespace == JOBS, or_(_PROCESS.name.contains("/"), _PROCESS.name == "run"))
"""The names of stages, steps and whole runs (``model.internal``); a declared process has no slash in its name."""


def find_processes(connection: Connection, words: Iterable[str], *, internal: bool) -> tuple[ListedProcess, ...]:
    """In the order of keys; each has all of the ``words``."""
    query = select(*(_PROCESS[name] for name in _SHOWN), newest(PROCESS_RUN.c.status).label("status"))
    if not internal:
        query = query.where(not_(_IS_INTERNAL))
    for word in words:
        query = query.where(or_(*(func.lower(text).contains(word.lower(), autoescape=True) for text in _TEXTS)))
    states = {str(state): state for state in RunState}
    return tuple(
        ListedProcess(*row[:6], status=states.get(row.status), is_retired=row.retired_at is not None)
        for row in connection.execute(query.order_by(_PROCESS.process_key))
    )
