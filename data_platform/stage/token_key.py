"""The secret key of tokens: the first run that needs it creates it, and it is never replaced silently.

Tokens of two keys never match: with another key the same person would be two people in every join. So the id of the
key (``model.key_file``) is recorded with each stage that tokenizes, and a run whose key has another id ends before it
writes a row.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem, PolicyError
from data_platform.gates.expression.token import MIN_KEY_BYTES
from data_platform.model.certification import CertificationStatus
from data_platform.model.evidence import Evidence
from data_platform.model.key_file import id_of, make_key
from data_platform.model.pii_policy import PiiAction
from data_platform.model.private_path import private_file

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.installation import Platform
    from data_platform.policies import Dataset

LOG = logging.getLogger(__name__)

KEY_ID = "token_key"
"""The metadata key of a stage's report for the id of the key of its tokens."""
ACCEPTED = "TOKEN_KEY"
"""The gate of the evidence that somebody accepted another key."""
_RECENT_RUNS = 100


def secret(platform: Platform, dataset: Dataset) -> bytes:
    """The key, created if there has never been one.

    Raises:
        PolicyError: The key is too short, lost, or not the key of the existing tokens of ``dataset``.
        EnvironmentProblem: The key file cannot be read or created.
    """
    key = platform.settings.pii_key()
    if key is None:
        key = _first(platform)
    private_file(platform.settings.pii_key_file)
    if len(key) < MIN_KEY_BYTES:
        raise PolicyError(
            f"{platform.settings.pii_key_file} has {len(key)} bytes, expected a key of {MIN_KEY_BYTES} or more: put "
            "the right key there, or remove the file and the next run makes one"
        )
    if tokenizes(dataset):
        _require_same(platform, dataset, id_of(key))
    return key


def noted(platform: Platform, dataset: Dataset) -> dict[str, str]:
    """The id of the key for the report of a stage; empty for a dataset without tokens."""
    return {KEY_ID: id_of(secret(platform, dataset))} if tokenizes(dataset) else {}


def accept(platform: Platform, dataset: Dataset, run_id: str) -> str:
    """Accepts the current key for ``dataset``, and returns its id. Existing tokens stay as they are."""
    key = platform.settings.pii_key() or _made(platform.settings.pii_key_file)
    evidence = Evidence(
        dataset_urn=dataset.urn,
        run_id=run_id,
        gate=ACCEPTED,
        result="PASS",
        failure_signature=f"{ACCEPTED}:{id_of(key)}",
        certified_view_status=CertificationStatus.UNCERTIFIED.value,
        timestamp=platform.now(),
    )
    platform.catalog.evidence.add([evidence])
    return id_of(key)


def tokenizes(dataset: Dataset) -> bool:
    return any(rule.action is PiiAction.TOKENIZE for rule in dataset.bundle.pii.detection)


def _require_same(platform: Platform, dataset: Dataset, key_id: str) -> None:
    before = _recorded(platform, dataset)
    if before is not None and before != key_id:
        raise PolicyError(
            f"{dataset.urn}: its tokens were made with key {before}, and {platform.settings.pii_key_file} holds key "
            f"{key_id}: tokens of two keys never match. Put the old key back; or, if it is lost, run `data-platform "
            "rekey` for this dataset and then all its days again. Nothing was written"
        )


def _recorded(platform: Platform, dataset: Dataset) -> str | None:
    """The id of the key of the newest tokens of ``dataset``, or of the key that was accepted since."""
    catalog = platform.catalog
    runs = catalog.runs.recent(dataset.urn, limit=_RECENT_RUNS)
    newest = next(((run.finished_at, str(run.metadata[KEY_ID])) for run in runs if KEY_ID in run.metadata), None)
    accepted = next(iter(catalog.evidence.find(dataset.urn, gate=ACCEPTED, limit=1)), None)
    if accepted is not None and (newest is None or accepted.timestamp >= newest[0]):
        return (accepted.failure_signature or "").removeprefix(f"{ACCEPTED}:")
    return newest[1] if newest else None


def _first(platform: Platform) -> bytes:
    file = platform.settings.pii_key_file
    for dataset in platform.policies.datasets:
        if tokenizes(dataset) and (before := _recorded(platform, dataset)) is not None:
            raise PolicyError(
                f"there is no key in {file}, and the tokens of {dataset.urn} were made with key {before}: put that key "
                "back from where it is kept, or name its file in DATA_PLATFORM_PII_KEY_FILE. Nothing was written"
            )
    return _made(file)


def _made(file: Path) -> bytes:
    """A new key in ``file``, or that of another process that was first."""
    try:
        key, is_new = make_key(file)
    except OSError as error:
        raise EnvironmentProblem(
            f"no key for tokens can be made in {file} ({error.strerror}): put {MIN_KEY_BYTES} random bytes in a file "
            "that only you can read, and name it in DATA_PLATFORM_PII_KEY_FILE"
        ) from None
    if is_new:
        LOG.warning(
            "made a key for tokens, %s: back it up. Another key makes other tokens, and a lost one stops runs", file
        )
    return key
