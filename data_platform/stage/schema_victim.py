"""Adds to a verdict of G3_SCHEMA what its changes break downstream, and whom: for the people who decide about them.

The lookup happens only if something has changed. It never fails a stage: without an answer in time the verdict says so.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from threading import Thread
from typing import TYPE_CHECKING, Any

from data_platform.model.personal import redacted_json
from data_platform.model.schema_change import ChangeKind, Effect, SchemaChange
from data_platform.model.verdict import Gate
from data_platform.transform.lineage import reads_all_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.installation import Platform
    from data_platform.model.schema_impact import SchemaImpact
    from data_platform.model.verdict import Verdict
    from data_platform.policies import Dataset

LIMIT_SECONDS = 10.0
"""A lookup in a catalog of 100,000 columns takes well under a second; a slower one is not worth a late batch."""

VICTIMS = "victims"
"""The key of the metadata of a verdict."""


def with_victims(platform: Platform, dataset: Dataset, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    return tuple(_with_victims(platform, dataset, verdict) for verdict in verdicts)


def _with_victims(platform: Platform, dataset: Dataset, verdict: Verdict) -> Verdict:
    recorded = verdict.metadata.get("schema_changes", []) if verdict.gate is Gate.G3_SCHEMA else []
    changes = [SchemaChange.from_json(item) for item in recorded]
    broken = breaking_columns(changes)
    added = any(change.kind is ChangeKind.ADDED for change in changes)
    if not broken and not added:
        return verdict
    victims: dict[str, Any] = {"columns": list(broken)}
    if broken:
        impact = _looked_up(platform, dataset.urn, broken)
        victims |= {"unknown": impact} if isinstance(impact, str) else asdict(impact)
    if added:
        victims["select_all"] = _select_all(platform, dataset.urn)
    return replace(verdict, metadata={**verdict.metadata, VICTIMS: redacted_json(victims)})


def breaking_columns(changes: Iterable[SchemaChange]) -> tuple[str, ...]:
    """The columns whose readers a change breaks, at whatever depth within the column it is."""
    names = (change.column for change in changes if change.effect is Effect.BREAKING and change.path)
    return tuple(dict.fromkeys(names))


def _select_all(platform: Platform, urn: str) -> list[dict[str, str]]:
    """The declared datasets that get an added column without being changed: they read ``SELECT *``."""
    return [
        {"dataset": dataset.urn, "owner_team": dataset.policy.owner_team, "tier": str(dataset.policy.tier)}
        for dataset in platform.policies.datasets
        if dataset.process is not None and reads_all_columns(dataset.process, urn)
    ]


def _looked_up(platform: Platform, urn: str, columns: Sequence[str]) -> SchemaImpact | str:
    """The impact, or why it is not known."""
    answers: list[SchemaImpact | str] = []

    def look_up() -> None:
        try:
            answers.append(platform.catalog.lineage.victims(urn, columns))
        except Exception as error:  # whatever it is, the verdict stands without it
            answers.append(f"the lineage could not be read: {type(error).__name__}")

    thread = Thread(target=look_up, name="schema-victims", daemon=True)
    thread.start()
    thread.join(LIMIT_SECONDS)
    return answers[0] if answers else f"the lineage gave no answer in {LIMIT_SECONDS:g} s"
