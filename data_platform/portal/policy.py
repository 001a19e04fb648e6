"""The page with the policy files of a dataset, as they are in the folder of this service."""

from dataclasses import dataclass
from pathlib import Path

from fastapi import Request
from starlette.responses import Response

from data_platform.errors import NotFoundError
from data_platform.policies.layout import DATASET_NAMES
from data_platform.portal.access import page_router
from data_platform.portal.dataset import Reference
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()
MOST_CHARACTERS = 200_000


@dataclass(frozen=True, kw_only=True)
class PolicyFile:
    """``name`` is relative to the parent of the policies folder; a longer ``text`` is cut."""

    name: str
    text: str
    is_cut: bool


@dataclass(frozen=True, kw_only=True)
class PolicyView:
    dataset: str
    policy_files: tuple[PolicyFile, ...]


@router.get("/policy/{reference:path}")
def policy(request: Request, reference: Reference) -> Response:
    """The files in which the dataset is declared."""
    source = portal_of(request).policies
    declared = source.current().find(reference)
    if declared is None or source.folder is None:
        raise NotFoundError("no policy file declares this dataset")
    folder = source.folder / "datasets" / declared.id.zone / declared.id.name
    found = tuple(_file(folder / name, source.folder) for name in DATASET_NAMES if (folder / name).is_file())
    return show(request, "policy.html", PolicyView(dataset=declared.urn, policy_files=found))


def _file(path: Path, root: Path) -> PolicyFile:
    text = path.read_text(encoding="utf-8", errors="replace")
    return PolicyFile(
        name=path.relative_to(root.parent).as_posix(),
        text=text[:MOST_CHARACTERS],
        is_cut=len(text) > MOST_CHARACTERS,
    )
