"""Reads a dataset of an OpenLineage event, with the schema, version, size, checks and columns from its facets."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.errors import InputError
from data_platform.model.lineage import (
    NO_DELIVERY,
    Assertion,
    ColumnLink,
    DatasetMention,
    DatasetRole,
    SchemaField,
)
from data_platform.openlineage.canonical_json import canonical, digest
from data_platform.openlineage.text import Facets, read_name, read_text, whole_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.lineage import Name

Schema: TypeAlias = tuple[tuple[SchemaField, ...] | None, str | None]
"""Columns, and the hash of their names, types and nullability: a changed description is not another schema."""
Links: TypeAlias = tuple[tuple[ColumnLink, ...], str | None]

WHOLE_DATASET = ""
"""As a target column: every column of the dataset."""

_COLUMN_BYTES = 500
_CACHED_CHARACTERS = 32_768
_DEEPEST = 20
_LARGEST = 2**63 - 1


def read_dataset(given: Any, field: str, role: DatasetRole, warnings: list[str]) -> DatasetMention:
    """Raises: InputError, if the dataset has no valid name."""
    if not isinstance(given, dict):
        raise InputError(field, "expected a dataset, a JSON object with namespace and name")
    name = read_name(given, field, warnings)
    facets = Facets.of(given.get("facets"), f"{field}.facets", warnings)
    own = Facets.of(given.get(f"{role.lower()}Facets"), f"{field}.{role.lower()}Facets", warnings)
    team, email = facets.owner()
    size = own.mapping("outputStatistics") or facets.mapping("outputStatistics")
    short = _short_form(facets)
    schema, schema_hash = _schema(facets)
    links, links_digest = _column_links(facets)
    change = _state_change(facets)
    tag = short.get("version") or read_text(facets.mapping("version").get("datasetVersion"))[:500] or None
    return DatasetMention(
        name=name,
        role=role,
        schema=schema,
        schema_hash=schema_hash,
        # a DROP names the version that was deleted, not a version that was written
        version_tag=None if change in NO_DELIVERY and role is DatasetRole.OUTPUT else tag,
        row_count=_count(short.get("rows", size.get("rowCount"))),
        byte_count=_count(size.get("size")),
        path=short.get("path") or read_text(facets.mapping("dataSource").get("uri"))[:2000] or None,
        column_links=links,
        links_digest=links_digest,
        assertions=tuple(_assertions(own) or _assertions(facets)),
        description=read_text(facets.mapping("documentation").get("description")),
        owner_team=team,
        owner_email=email,
        format=read_text(facets.mapping("storage").get("fileFormat")).upper()[:50] or None,
        certified_at=_certified(facets),
        symlinks=read_symlinks(facets),
        renamed_from=read_renamed_from(facets),
        state_change=change,
        facets={**facets.kept, **own.kept, **whole_name(given, name)},
    )


def completed(mention: DatasetMention, other: DatasetMention) -> DatasetMention:
    """``mention`` with what it does not report itself from another one of the same dataset in the same event."""
    own = {name: value for name, value in vars(mention).items() if value not in (None, (), "")}
    return replace(other, **{**own, "facets": {**other.facets, **mention.facets}})


def read_symlinks(facets: Facets) -> tuple[Name, ...] | None:
    """Returns the dataset's other names; invalid names are skipped."""
    if "symlinks" not in facets.kept:
        return None
    listed = facets.entries("symlinks", "identifiers")
    names = (_optional_name(item, facets, "symlinks.identifiers") for item in listed)
    return tuple(sorted({name for name in names if name is not None}))


def _state_change(facets: Facets) -> str | None:
    return read_text(facets.mapping("lifecycleStateChange").get("lifecycleStateChange")).upper()[:20] or None


def read_renamed_from(facets: Facets) -> Name | None:
    """Returns the name that the dataset had before a RENAME."""
    previous = facets.mapping("lifecycleStateChange").get("previousIdentifier")
    if _state_change(facets) != "RENAME" or not isinstance(previous, dict):
        return None
    return _optional_name(previous, facets, "lifecycleStateChange.previousIdentifier")


def _optional_name(given: dict[str, Any], facets: Facets, place: str) -> Name | None:
    try:
        return read_name(given, f"{facets.field}.{place}", facets.warnings)
    except InputError as error:
        facets.warnings.append(f"{error}; skipped")
        return None


def _certified(facets: Facets) -> datetime | None:
    """Reads the platform's own facet with the time when this version passed every gate."""
    text = facets.mapping("dataPlatform_certification").get("certifiedAt")
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _short_form(facets: Facets) -> dict[str, Any]:
    """Reads the short form of some producers: ``version``, ``path`` and ``rows`` as plain values instead of facets."""
    plain = (key for key in ("version", "path", "rows") if not isinstance(facets.kept.get(key, {}), dict))
    short = {key: facets.kept.pop(key) for key in list(plain)}
    return {key: value if key == "rows" else read_text(value)[:500] for key, value in short.items()}


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else None


def _schema(facets: Facets) -> Schema:
    """Returns None if the facet is missing or its list is empty: a producer without a schema sends an empty list."""
    listed = facets.entries("schema", "fields") if "schema" in facets.kept else []
    return _cached(_schema_of, canonical(listed)) if listed else (None, None)


def _cached(read: Any, text: str, *more: str) -> Any:
    """Reads a large text again each time: the cache must not grow with the size of the events."""
    return read(text, *more) if len(text) <= _CACHED_CHARACTERS else read.__wrapped__(text, *more)


@lru_cache(maxsize=1024)
def _schema_of(text: str) -> Schema:
    """Cached, since a job reports the same schemas in every run; this is most of the cost of reading an event."""
    fields = tuple(_fields(json.loads(text), "", 0))
    if not fields:
        return None, None
    shape = json.dumps([[column.name, column.type.lower(), column.nullable] for column in fields])
    return fields, digest(shape)[:32]


def _fields(given: list[Any], path: str, depth: int) -> Iterator[SchemaField]:
    for item in given:
        name = read_text(item.get("name")) if isinstance(item, dict) else ""
        if not name or depth > _DEEPEST:
            continue
        metadata = {key: item[key] for key in ("description", "ordinal_position") if item.get(key) is not None}
        full = _cut(path + name)
        yield SchemaField(
            name=full, type=read_text(item.get("type")), nullable=item.get("nullable") is not False, metadata=metadata
        )
        if isinstance(item.get("fields"), list):
            yield from _fields(item["fields"], f"{full}.", depth + 1)


def _cut(name: str) -> str:
    return name.encode()[:_COLUMN_BYTES].decode(errors="ignore")


def _column_links(facets: Facets) -> Links:
    """Reads links of columns (``fields``) and of the whole dataset (``dataset``, spec 1-2-0), as for a join key."""
    lineage = facets.mapping("columnLineage")
    fields, whole = lineage.get("fields"), lineage.get("dataset")
    content: dict[str, Any] = {}
    if isinstance(fields, dict) and fields:
        content["fields"] = fields
    if isinstance(whole, list) and whole:
        content["dataset"] = whole
    if not content:
        return (), None
    links, digest_of_links, warnings = _cached(_links_of, canonical(content), f"{facets.field}.columnLineage")
    facets.warnings.extend(warnings)
    return links, digest_of_links


@lru_cache(maxsize=1024)
def _links_of(text: str, field: str) -> tuple[tuple[ColumnLink, ...], str, tuple[str, ...]]:
    links: set[ColumnLink] = set()
    warnings: list[str] = []
    for target, place, details, source in _sources(json.loads(text)):
        column = read_text(source.get("field")) if isinstance(source, dict) else ""
        if not column:
            continue
        try:
            name = read_name(source, f"{field}.{place}", warnings)
        except InputError as error:
            warnings.append(f"{error}; the column's source is skipped")
            continue
        links.add(ColumnLink(name, _cut(column), _cut(read_text(target)), _transformation(details, source)))
    return tuple(sorted(links)), digest(text), tuple(warnings)


def _sources(lineage: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    """Yields the target column (empty: the whole dataset), the place in the facet, the target's details, one source."""
    for target, details in lineage.get("fields", {}).items():
        sources = details.get("inputFields") if isinstance(details, dict) else None
        for source in sources if isinstance(sources, list) and target else []:
            yield target, f"fields.{target[:60]}.inputFields", details, source
    for source in lineage.get("dataset", ()):
        yield WHOLE_DATASET, "dataset", {}, source


def _transformation(details: dict[str, Any], source: dict[str, Any]) -> str:
    listed = source.get("transformations")
    kinds = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    words = [f"{read_text(item.get('type'))}:{read_text(item.get('subtype'))}".strip(":") for item in kinds]
    return (", ".join(word for word in words if word) or read_text(details.get("transformationType")))[:1000]


def _assertions(facets: Facets) -> list[Assertion]:
    assertions: dict[str, Assertion] = {}
    for item in facets.entries("dataQualityAssertions", "assertions"):
        kind, column = read_text(item.get("assertion")), read_text(item.get("column"))
        name = _cut(read_text(item.get("name")) or (f"{kind}:{column}" if column else kind))
        if not name or not isinstance(item.get("success"), bool):
            facets.warnings.append(f"{facets.field}.dataQualityAssertions: one without name or success, skipped")
            continue
        rest = {key: value for key, value in item.items() if key not in ("success", "name") and value is not None}
        severity = read_text(item.get("severity")) or "error"
        assertion = Assertion(name=name, success=item["success"], severity=severity, detail=rest)
        # if the same check appears twice on one dataset, a pass must not hide the other one's failure
        if name not in assertions or assertions[name].success:
            assertions[name] = assertion
    return list(assertions.values())
