"""A new version of the key of tokens, and the partitions that still have tokens of an older one.

Runs write with the new version from the moment on that it exists. Tokens of two versions never match, so joins between
a partition that was run again and one that was not find nothing. Nothing translates tokens: a partition gets new ones
by being run again, from bronze. Until no partition has tokens of an older version, that version must not be retired,
because with its file the last way to open these tokens is gone.

Each step is one change of a file followed by its entry in the audit log. After a crash between the two, the same
command adds the entry and changes nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import ConflictError, UsageError
from data_platform.model.number_text import number_of
from data_platform.model.token_use import ranges_of
from data_platform.stage.selection import upstream_first

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.installation import Platform
    from data_platform.model.key_ring import KeyVersion
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.registration import Actor

ROTATE, RETIRE = "pii.rotate", "pii.retire"
_MOST_NAMED = 3
_MOST_DAYS = 366  # of one command


@dataclass(frozen=True, kw_only=True)
class Outdated:
    """Partitions of a dataset with tokens of a version that is not the current one. ``commands`` run them again.

    There are none if no policy declares the dataset: its tables keep their tokens.
    """

    dataset: str
    version: int
    key_id: str
    partitions: tuple[PartitionKey | None, ...]
    commands: tuple[str, ...]


def outdated(platform: Platform) -> tuple[Outdated, ...]:
    """The datasets to run again, in the order in which that has to be done: what others read comes first."""
    keys = platform.settings.pii_keys.versions()
    current = keys[-1].id if keys else None
    partitions: dict[tuple[str, int, str], set[PartitionKey | None]] = defaultdict(set)
    for use in platform.catalog.runs.token_uses():
        if use.key_id != current:
            partitions[use.dataset_urn, use.version, use.key_id].add(use.partition)
    order = {urn: place for place, urn in enumerate(upstream_first(platform.policies))}
    found = [
        Outdated(
            dataset=urn,
            version=version,
            key_id=key_id,
            partitions=tuple(sorted(days, key=lambda day: day or "")),
            commands=_commands(urn, days) if urn in order else (),
        )
        for (urn, version, key_id), days in partitions.items()
    ]
    return tuple(sorted(found, key=lambda item: (order.get(item.dataset, len(order)), item.dataset, item.version)))


def _commands(urn: str, days: set[PartitionKey | None]) -> tuple[str, ...]:
    commands = []
    for first, last in ranges_of(days, _MOST_DAYS):
        span = "" if first is None else f" -p {first}" if first == last else f" -p {first}..{last}"
        commands.append(f"data-platform run -s {urn}{span}")
    return tuple(commands)


def rotate(platform: Platform, reason: str, by: Actor) -> KeyVersion:
    """Makes the next version of the key, or finishes a rotation that was interrupted.

    Raises:
        UsageError: There is no key, or no token was made with the current version so far.
        PolicyError, EnvironmentProblem: A key file is wrong, or none can be made.
    """
    ring = platform.settings.pii_keys
    keys = ring.versions()
    if not keys:
        raise UsageError("there is no key to rotate: the first run that tokenizes makes one")
    newest, is_first = keys[-1], len(keys) == 1 and not ring.retired()
    if is_first or _is_audited(platform, ROTATE, newest.number):
        if newest.id not in {use.key_id for use in platform.catalog.runs.token_uses()}:
            raise UsageError(
                f"no partition has tokens of v{newest.number}, the current version: run the datasets of "
                "`data-platform pii rotate --plan` before another rotation"
            )
        newest = ring.make_next()
    detail = {"key_id": newest.id, "reason": reason}
    platform.catalog.access.record(ROTATE, _subject(newest.number), detail, by=by, now=platform.now())
    return newest


def retire(platform: Platform, number: int, reason: str, by: Actor) -> Path:
    """Sets a version aside that no partition has tokens of, and returns the place of its file.

    Raises:
        UsageError: There is no such version, it is the current one, or it is retired already.
        ConflictError: Partitions still have its tokens, or a run of a dataset with tokens is writing.
    """
    ring = platform.settings.pii_keys
    keys = {key.number: key for key in ring.versions()}
    is_left_half_done = number in ring.retired() and not _is_audited(platform, RETIRE, number)
    if number not in keys and not is_left_half_done:
        raise UsageError(f"v{number} is not a version of the key: see `data-platform pii keys`")
    if number == max(keys):
        raise UsageError(f"v{number} is the current version: rotate first")
    _refuse_used(platform, number)
    _refuse_writers(platform)
    to = ring.retire(number)
    platform.catalog.access.record(RETIRE, _subject(number), {"reason": reason}, by=by, now=platform.now())
    return to


def _refuse_used(platform: Platform, number: int) -> None:
    uses = [item for item in outdated(platform) if item.version == number]
    if uses:
        days = number_of(sum(len(item.partitions) for item in uses), "partition")
        names = ", ".join(item.dataset for item in uses[:_MOST_NAMED])
        more = f" and {len(uses) - _MOST_NAMED} more" if len(uses) > _MOST_NAMED else ""
        raise ConflictError(
            f"{days} of {names}{more} still have tokens of v{number}: run them again first, as `data-platform pii "
            "rotate --plan` lists them"
        )


def _refuse_writers(platform: Platform) -> None:
    """A run that began before the rotation writes tokens of the old version, and has recorded nothing so far."""
    tokenizing = {dataset.urn for dataset in platform.policies.datasets if dataset.bundle.pii.tokenizes}
    leases = [lease for lease in platform.catalog.leases.all() if lease.expires_at > platform.now()]
    if writing := sorted(lease.subject for lease in leases if lease.subject in tokenizing):
        raise ConflictError(f"a run is writing {', '.join(writing)}: wait until it has ended, then retire again")


def _is_audited(platform: Platform, action: str, number: int) -> bool:
    entries = platform.catalog.access.audit(subject=_subject(number)).items
    return any(entry.action == action for entry in entries)


def _subject(number: int) -> str:
    return f"pii key v{number}"
