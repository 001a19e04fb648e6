"""Whether the policy that a job reads is an approved one, also while the catalog cannot be reached.

The catalog's last answer is kept in a file beside the job's spool. If there is none, nobody knows.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, SourceUnavailableError
from data_platform.model.onboarding import PolicyApproval

if TYPE_CHECKING:
    from data_platform.policies import Dataset
    from data_platform.settings import Settings

_SQLITE = "sqlite:///"


class UnknownApprovalError(Exception):
    """The catalog did not answer, and has never answered before."""


def approval_of(settings: Settings, dataset: Dataset, folder: Path) -> PolicyApproval | None:
    """The approvals of an onboarded dataset; None for any other, whose policy needs none.

    Raises:
        UnknownApprovalError: The catalog cannot be reached, and ``folder`` has no answer of it.
    """
    kept = folder / "approved" / f"{dataset.id.identifier}.json"
    try:
        answer = _asked(settings, dataset.urn)
    except (EnvironmentProblem, SourceUnavailableError):
        return _kept(kept)
    _keep(kept, answer)
    return answer


def _asked(settings: Settings, urn: str) -> PolicyApproval | None:
    from data_platform.catalog import open_catalog

    if settings.catalog_url.startswith(_SQLITE) and not Path(settings.catalog_url.removeprefix(_SQLITE)).exists():
        raise EnvironmentProblem("there is no catalog on this machine")  # a job must not make an empty one
    with open_catalog(settings.catalog_url) as catalog:
        return catalog.onboardings.approval(urn)


def _keep(path: Path, answer: PolicyApproval | None) -> None:
    """An answer that cannot be kept is asked for again by the next job."""
    document = None if answer is None else {"approved": sorted(answer.approved), "pending": answer.pending}
    new = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(document))
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)


def _kept(path: Path) -> PolicyApproval | None:
    try:
        document = json.loads(path.read_text())
        return document and PolicyApproval(approved=frozenset(document["approved"]), pending=document["pending"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UnknownApprovalError from None
