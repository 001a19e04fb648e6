"""The members of each group, as the policies of the last run declared them, and what consumers see of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, or_, select

from data_platform.catalog.publication_table import GROUP_MEMBER, PUBLICATION
from data_platform.catalog.table import CERTIFICATION
from data_platform.errors import NotFoundError
from data_platform.model.publication import GroupMember, GroupRule, PublishedVersion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

_FIELDS = ("path", "judged_under", "first", "last")


def declare(connection: Connection, rule: GroupRule, now: datetime) -> None:
    """Stores the members of a group; a dataset that is published alone is a member of none."""
    is_group = len(rule.members) > 1
    declared = {one.urn: {"group_name": rule.name} | {n: getattr(one, n) for n in _FIELDS} for one in rule.members}
    wanted = declared if is_group else {}
    ours = GROUP_MEMBER.c.dataset_urn.in_(declared)
    mine = or_(GROUP_MEMBER.c.group_name == rule.name, ours) if is_group else ours
    columns = (GROUP_MEMBER.c[name] for name in ("dataset_urn", "group_name", *_FIELDS))
    rows = connection.execute(select(*columns).where(mine)).mappings()
    stored = {row["dataset_urn"]: {n: row[n] for n in ("group_name", *_FIELDS)} for row in rows}
    if stored == wanted:
        return
    connection.execute(delete(GROUP_MEMBER).where(mine))
    if wanted:
        connection.execute(
            insert(GROUP_MEMBER), [{"dataset_urn": u, "declared_at": now, **v} for u, v in wanted.items()]
        )


def find_rule(connection: Connection, name: str) -> GroupRule:
    """Raises: NotFoundError, if no member of such a group has run."""
    query = select(GROUP_MEMBER).where(GROUP_MEMBER.c.group_name == name).order_by(GROUP_MEMBER.c.dataset_urn)
    rows = connection.execute(query).all()
    if not rows:
        known = connection.execute(select(GROUP_MEMBER.c.group_name).distinct().order_by(GROUP_MEMBER.c.group_name))
        names = ", ".join(known.scalars()) or "none"
        raise NotFoundError(f"there is no publish group {name} whose members have run; there are {names}")
    members = (GroupMember(urn=row.dataset_urn, **{n: getattr(row, n) for n in _FIELDS}) for row in rows)
    return GroupRule(name=name, members=tuple(members))


def find_group_of(connection: Connection, urn: str) -> str | None:
    query = select(GROUP_MEMBER.c.group_name).where(GROUP_MEMBER.c.dataset_urn == urn)
    return connection.execute(query).scalar_one_or_none()


def find_versions(connection: Connection, urns: Sequence[str]) -> tuple[PublishedVersion, ...]:
    """What consumers see of each dataset, in one statement: a publication in between is in all of it or in none."""
    columns = ("dataset_urn", "version", "path", "certified_at")
    query = select(*(CERTIFICATION.c[name] for name in columns)).where(CERTIFICATION.c.dataset_urn.in_(urns))
    found = {row.dataset_urn: PublishedVersion(**row._mapping) for row in connection.execute(query)}
    none = {urn: PublishedVersion(dataset_urn=urn, version=None, path="", certified_at=None) for urn in urns}
    return tuple(found.get(urn, none[urn]) for urn in urns)


def find_last(connection: Connection, group: str) -> tuple[str, datetime | None]:
    """The id and time of the last publication of a group."""
    query = select(PUBLICATION.c.id, PUBLICATION.c.published_at).where(PUBLICATION.c.group_name == group)
    row = connection.execute(
        query.order_by(PUBLICATION.c.published_at.desc(), PUBLICATION.c.id.desc()).limit(1)
    ).first()
    return (row.id, row.published_at) if row else ("", None)
