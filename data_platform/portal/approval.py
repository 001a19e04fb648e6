"""A request that somebody else has to approve, as the page *Approvals* shows it, whatever is requested.

Each kind of request has a module of its own, ``approval_<kind>``, which reads its requests and turns them into rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class ApprovalState(StrEnum):
    """A withdrawn or revoked request counts as REJECTED."""

    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"


@dataclass(frozen=True, kw_only=True)
class Change:
    """``before`` is None if the field has no value yet, or the present one is not compared."""

    field: str
    before: str | None
    after: str


@dataclass(frozen=True, kw_only=True)
class Approval:
    """``approve`` and ``reject`` are the paths of the forms, empty for those who may not.

    ``label`` identifies it for people, such as ``registration 3``; ``detail`` is the page that has more about it.
    ``is_own``: the caller requested it, so somebody else has to approve it.
    """

    label: str
    dataset: str
    state: ApprovalState
    asked_by: str
    asked_at: datetime
    reason: str
    changes: tuple[Change, ...]
    detail: str = ""
    is_own: bool = False
    approve: str = ""
    reject: str = ""
    decided_by: str | None = None
    decided_at: datetime | None = None
    comment: str = ""
    effect: str = ""
    """What the approval starts or allows."""


@dataclass(frozen=True, kw_only=True)
class ApprovalSection:
    """Requests of one kind. ``comments`` is whether a decision has a comment. ``cursor`` is of the next page."""

    title: str
    rows: tuple[Approval, ...]
    comments: bool = True
    cursor: str | None = None
