"""The secret keys of tokens: the first run that needs one creates it, and none is ever replaced silently.

Tokens of two keys never match: with another key the same person would be two people in every join. So the id of the
key (``model.key_file``) is recorded with each stage that tokenizes, and a run without that key ends before it writes a
row. A run writes with the current version of the key (``model.key_ring``).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.evidence import Evidence
from data_platform.model.process import InputRows
from data_platform.model.token_use import KEY_ID, TOKEN_KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from data_platform.installation import Platform
    from data_platform.model.key_ring import KeyVersion
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset

LOG = logging.getLogger(__name__)

ACCEPTED = "TOKEN_KEY"
"""The gate of the evidence that somebody accepted another key."""
_RECENT_RUNS = 100


def current(platform: Platform, dataset: Dataset) -> KeyVersion:
    """The key of new tokens, created if there has never been one.

    Raises:
        PolicyError: A key is too short or lost, or that of the existing tokens of ``dataset`` is not there.
        EnvironmentProblem: A key file cannot be read or created.
    """
    keys = platform.settings.pii_keys.versions() or (_first(platform),)
    if dataset.bundle.pii.tokenizes:
        _require_existing(platform, dataset, keys)
    return keys[-1]


def noted(
    platform: Platform, dataset: Dataset, partition: PartitionKey | None, key: KeyVersion | None
) -> dict[str, Any]:
    """For the report of silver: the key of its own tokens, and those of the tokens that a process reads.

    Empty if neither the dataset nor an input of it has tokens.
    """
    carried = _of_inputs(platform, dataset, partition)
    if key is None or not dataset.bundle.pii.tokenizes:
        return {TOKEN_KEYS: carried} if carried else {}
    return {KEY_ID: key.id, TOKEN_KEYS: {**carried, key.id: key.number}}


def _of_inputs(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> dict[str, int]:
    carried: dict[str, int] = {}
    for item in dataset.process.inputs if dataset.process else ():
        upstream = platform.policies.dataset(item.dataset)
        is_partial = upstream.policy.partition and partition and item.rows is InputRows.SAME_PARTITION
        for use in platform.catalog.runs.token_uses(upstream.urn):
            if use.stage is Stage.GOLD and (not is_partial or use.partition == partition):
                carried[use.key_id] = use.version
    return carried


def accept(platform: Platform, dataset: Dataset, run_id: str) -> KeyVersion:
    """Accepts the current key for ``dataset``; if there is none, makes one. Existing tokens stay as they are."""
    ring = platform.settings.pii_keys
    keys = ring.versions()
    key = keys[-1] if keys else _made(platform, 1 + max([0, *ring.retired(), *_lost_versions(platform)]))
    evidence = Evidence(
        dataset_urn=dataset.urn,
        run_id=run_id,
        gate=ACCEPTED,
        result="PASS",
        failure_signature=f"{ACCEPTED}:{key.id}",
        certified_view_status=CertificationStatus.UNCERTIFIED.value,
        timestamp=platform.now(),
    )
    platform.catalog.evidence.add([evidence])
    return key


def _require_existing(platform: Platform, dataset: Dataset, keys: Sequence[KeyVersion]) -> None:
    before = _recorded(platform, dataset)
    if before is not None and before not in [key.id for key in keys]:
        held = ", ".join(f"{platform.settings.pii_keys.path(key.number)} holds key {key.id}" for key in keys)
        raise PolicyError(
            f"{dataset.urn}: its tokens were made with key {before}, and {held}: tokens of two keys never match. Put "
            "the old key back; or, if it is lost, run `data-platform rekey` for this dataset and then all its days "
            "again. Nothing was written"
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


def _lost_versions(platform: Platform) -> list[int]:
    """The versions of the keys of all tokens: a new key after a loss must not have the number of a lost one."""
    return [use.version for use in platform.catalog.runs.token_uses()]


def _first(platform: Platform) -> KeyVersion:
    file = platform.settings.pii_key_file
    for dataset in platform.policies.datasets:
        if dataset.bundle.pii.tokenizes and (before := _recorded(platform, dataset)) is not None:
            raise PolicyError(
                f"there is no key in {file}, and the tokens of {dataset.urn} were made with key {before}: put that key "
                "back from where it is kept, or name its file in DATA_PLATFORM_PII_KEY_FILE. Nothing was written"
            )
    return _made(platform, 1 + max([0, *platform.settings.pii_keys.retired()]))


def _made(platform: Platform, number: int) -> KeyVersion:
    """A new key, or that of another process that was first."""
    ring = platform.settings.pii_keys
    key, is_new = ring.make(number)
    if is_new:
        LOG.warning(
            "made a key for tokens, %s: back it up. Another key makes other tokens, and a lost one stops runs",
            ring.path(number),
        )
    return key
