"""What the catalog keeps of a dataset's declaration; all of it is in the policy files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, kw_only=True)
class Registration:
    """``updated_at`` is when it last became something else, not when it was last said."""

    urn: str
    table: str
    owner_team: str
    tier: str
    description: str
    policy_fingerprint: str
    created_at: datetime
    updated_at: datetime
