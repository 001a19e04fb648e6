"""Registrations of datasets that wait for a steward, with what each changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.api.service import service_of
from data_platform.catalog.four_eyes import is_author
from data_platform.catalog.registration_field import POLICY
from data_platform.model.registration import RegistrationStatus
from data_platform.portal.approval import Approval, ApprovalSection, ApprovalState, Change
from data_platform.portal.link import onboarding_link
from data_platform.portal.team import may_act
from data_platform.portal.text_filter import duration

if TYPE_CHECKING:
    from starlette.requests import Request

    from data_platform.model.dataset_page import DatasetCard
    from data_platform.model.registration import RegistrationEntry

ROWS = 50
_WINDOW = "sla_window_seconds"
_ROUTE = "POST /approvals/registrations/{number}/approve"


def read_registrations(request: Request, state: ApprovalState, cursor: str | None) -> ApprovalSection:
    """Those that wait, oldest first; decided ones newest first. Raises: InputError, for an invalid cursor."""
    catalog = service_of(request).catalog
    is_pending = state is ApprovalState.PENDING
    page = catalog.registry.registrations(
        RegistrationStatus(state), cursor=cursor, limit=ROWS, newest_first=not is_pending
    )
    rows = tuple(
        _row(request, entry, catalog.lineage.dataset(entry.reference) if is_pending else None) for entry in page.entries
    )
    return ApprovalSection(title="Registrations", rows=rows, cursor=page.cursor)


def changes_of(requested: dict[str, Any], present: DatasetCard | None) -> tuple[Change, ...]:
    """What a request changes of ``present``. None if it is not to be compared, since the request is decided."""
    return tuple(
        Change(
            field=name.removesuffix("_seconds").replace("_", " "),
            before=_text(name, getattr(present, name, None)) or None,
            after=_text(name, value),
        )
        for name, value in requested.items()
    )


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == _WINDOW:
        return duration(value)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _row(request: Request, entry: RegistrationEntry, present: DatasetCard | None) -> Approval:
    caller, state = request.state.caller, ApprovalState(entry.status)
    is_own = is_author(entry.submitted_by, caller.name)
    may_decide = state is ApprovalState.PENDING and may_act(
        request, _ROUTE, entry.reference, entry.requested.get("owner_team")
    )
    path, is_policy = f"/approvals/registrations/{entry.id}", POLICY in entry.requested
    return Approval(
        label=f"registration {entry.id}",
        dataset=entry.reference,
        state=state,
        asked_by=entry.submitted_by,
        asked_at=entry.submitted_at,
        reason="",
        changes=changes_of(entry.requested, present),
        detail=onboarding_link(entry.reference) if is_policy else "",
        is_own=is_own,
        approve=f"{path}/approve" if may_decide and not is_own else "",
        reject=f"{path}/reject" if may_decide else "",
        decided_by=entry.reviewer,
        decided_at=entry.reviewed_at,
        comment=entry.comment or "",
        effect="The proposed policy counts, once its files are merged."
        if is_policy
        else "The dataset is ACTIVE with these values.",
    )
