"""Which code a run used: a tag ``deploy_ref`` of the run or the job, or the version of the job's source code."""

from __future__ import annotations

from typing import Any

from data_platform.openlineage.text import Facets, read_text

TAG = "deploy_ref"
_CHARACTERS = 200


def read_deploy_ref(run: Facets, document: dict[str, Any]) -> str | None:
    """The run's own tag counts before that of its job, and a tag before the version of the source code."""
    job = document.get("job")
    facets = Facets.of(job.get("facets") if isinstance(job, dict) else None, "job.facets", [])
    found = (*_tags(run), *_tags(facets), read_text(facets.mapping("sourceCodeLocation").get("version")))
    return next((text.strip()[:_CHARACTERS] for text in found if text.strip()), None)


def _tags(facets: Facets) -> list[str]:
    return [read_text(tag.get("value")) for tag in facets.entries("tags", "tags") if tag.get("key") == TAG]
