"""Stores the last applied scan as JSON, and reads it back."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select

from data_platform.catalog.legacy_table import LEGACY_SCAN
from data_platform.catalog.upsert import replace
from data_platform.errors import EnvironmentProblem
from data_platform.model.legacy import TECHNOLOGY, LegacyScan

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

_THIS_SCHEDULER = LEGACY_SCAN.c.scheduler == TECHNOLOGY
_KEY_CHANGES = select(LEGACY_SCAN.c.key_changes).where(_THIS_SCHEDULER)


def read_scan(connection: Connection) -> LegacyScan | None:
    """Returns the last applied scan, or None.

    Raises:
        EnvironmentProblem: Another version of the code stored it, and it cannot be read.
    """
    text = connection.execute(select(LEGACY_SCAN.c.document).where(_THIS_SCHEDULER)).scalar_one_or_none()
    if text is None:
        return None
    try:
        scan: LegacyScan = _shape().validate_python(json.loads(text))
    except ValidationError as error:
        raise EnvironmentProblem(
            f"the last applied scan cannot be read: {error.error_count()} of its values are not as this code keeps "
            "them; use the version that applied it"
        ) from None
    return scan


def read_digest(connection: Connection) -> str | None:
    return connection.execute(select(LEGACY_SCAN.c.digest).where(_THIS_SCHEDULER)).scalar_one_or_none()


def read_key_changes(connection: Connection) -> int:
    """How often processes got other keys."""
    return connection.execute(_KEY_CHANGES).scalar_one_or_none() or 0


def write_scan(connection: Connection, scan: LegacyScan, *, key_changes: int, by: str, now: datetime) -> None:
    document = document_of(scan)
    row = {
        "scheduler": TECHNOLOGY,
        "document": document,
        "digest": digest_of(document),
        "key_changes": key_changes,
        "applied_by": by,
        "applied_at": now,
    }
    replace(connection, LEGACY_SCAN, [row], keys=("scheduler",))


def document_of(scan: LegacyScan) -> str:
    return json.dumps(_shape().dump_python(scan, mode="json"))


def digest_of(document: str) -> str:
    return hashlib.sha256(document.encode()).hexdigest()


@cache
def _shape() -> TypeAdapter[Any]:
    return TypeAdapter(LegacyScan)
