"""Deployments as they were reported: one row for each reference and target, in the audit log too."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from data_platform.catalog.audit import add_audit
from data_platform.catalog.cursor import page_size
from data_platform.catalog.deployment_table import DEPLOYMENT
from data_platform.errors import InputError
from data_platform.model.deployment import Deployment
from data_platform.model.personal import redacted
from data_platform.model.secret import redact

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from sqlalchemy.engine import Connection

    from data_platform.model.registration import Actor

LONGEST = {"deploy_ref": 200, "target": 1000, "by": 200, "url": 2000}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_URL = re.compile(r"https?://[^\s]+")
_CLOCK_DIFFERENCE = timedelta(minutes=5)
"""The clock of a build server may be ahead of ours by so much."""


def add_deployment(
    connection: Connection, deployment: Deployment, *, by: Actor, now: datetime
) -> tuple[Deployment, bool]:
    """Records a deployment, and says whether it is new; one that is recorded already is returned as it is.

    Raises:
        InputError: A field is invalid.
    """
    row = _row(deployment, now)
    same = DEPLOYMENT.c.deploy_ref == row["deploy_ref"], DEPLOYMENT.c.target == row["target"]
    recorded = connection.execute(select(DEPLOYMENT).where(*same)).one_or_none()
    if recorded is not None:
        return _deployment(recorded), False
    connection.execute(insert(DEPLOYMENT).values(**row, recorded_at=now))
    detail = {"deploy_ref": row["deploy_ref"], "at": row["deployed_at"].isoformat(), "by": row["deployed_by"]}
    add_audit(
        connection, actor=by.name, role=by.role, action="deployment.add", subject=row["target"], detail=detail, now=now
    )
    return _deployment(connection.execute(select(DEPLOYMENT).where(*same)).one()), True


def find_deployments(connection: Connection, target: str | None, limit: int) -> tuple[Deployment, ...]:
    """The newest ``limit`` deployments, newest first.

    Raises:
        InputError: ``limit`` is out of range.
    """
    query = select(DEPLOYMENT).order_by(DEPLOYMENT.c.deployed_at.desc(), DEPLOYMENT.c.number.desc())
    if target is not None:
        query = query.where(DEPLOYMENT.c.target == target)
    return tuple(_deployment(row) for row in connection.execute(query.limit(page_size(limit))))


def find_deployed_between(connection: Connection, since: datetime, until: datetime) -> tuple[Deployment, ...]:
    """Oldest first."""
    query = select(DEPLOYMENT).where(DEPLOYMENT.c.deployed_at >= since, DEPLOYMENT.c.deployed_at <= until)
    rows = connection.execute(query.order_by(DEPLOYMENT.c.deployed_at, DEPLOYMENT.c.number))
    return tuple(_deployment(row) for row in rows)


def _row(deployment: Deployment, now: datetime) -> dict[str, Any]:
    if deployment.at.tzinfo is None:
        raise InputError("at", "a time without an offset: expected one such as 2026-02-15T07:15:00+01:00")
    if deployment.at > now + _CLOCK_DIFFERENCE:
        raise InputError("at", "it is in the future: report a deployment when it has happened")
    url = deployment.url
    if url is not None and not _URL.fullmatch(url.strip()):
        raise InputError("url", "not an address: expected one such as https://ci.example.com/job/17")
    return {
        "deploy_ref": _text("deploy_ref", deployment.deploy_ref),
        "target": _text("target", deployment.target).rstrip("/"),
        "deployed_at": deployment.at,
        "deployed_by": redacted(_text("by", deployment.by)),
        "url": None if url is None else redact(_text("url", url)),
    }


def _text(field: str, value: str) -> str:
    text = value.strip()
    if not text or len(text) > LONGEST[field] or _UNPRINTABLE.search(text):
        raise InputError(field, f"empty, over {LONGEST[field]} characters, or with control characters")
    return text


def _deployment(row: Any) -> Deployment:
    return Deployment(deploy_ref=row.deploy_ref, target=row.target, at=row.deployed_at, by=row.deployed_by, url=row.url)
