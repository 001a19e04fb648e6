"""A dataset as an OpenLineage event names it, with what its facets say of schema, version, size, checks and columns."""

from __future__ import annotations

import json
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.catalog.lineage.event_json import canonical, digest
from data_platform.catalog.lineage.event_text import Facets, read_name, read_text
from data_platform.errors import InputError
from data_platform.model.lineage import Assertion, ColumnLink, DatasetMention, DatasetRole, SchemaField

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema: TypeAlias = tuple[tuple[SchemaField, ...] | None, str | None]
"""Columns, and the hash of their names, types and nullability: a description is no other schema."""
Links: TypeAlias = tuple[tuple[ColumnLink, ...], str | None]

_COLUMN_BYTES = 500
_CACHED_CHARACTERS = 32_768
_DEEPEST = 20
_LARGEST = 2**63 - 1


def read_dataset(given: Any, field: str, role: DatasetRole, warnings: list[str]) -> DatasetMention:
    """Raises: InputError, if it has no name that can be kept."""
    if not isinstance(given, dict):
        raise InputError(field, "expected a dataset, a JSON object with namespace and name")
    name = read_name(given, field)
    facets = Facets.of(given.get("facets"), f"{field}.facets", warnings)
    own = Facets.of(given.get(f"{role.lower()}Facets"), f"{field}.{role.lower()}Facets", warnings)
    team, email = facets.owner()
    size = own.mapping("outputStatistics") or facets.mapping("outputStatistics")
    short = _short_form(facets)
    schema, schema_hash = _schema(facets)
    links, links_digest = _column_links(facets)
    return DatasetMention(
        name=name,
        role=role,
        schema=schema,
        schema_hash=schema_hash,
        version_tag=short.get("version") or read_text(facets.mapping("version").get("datasetVersion"))[:500] or None,
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
        facets={**facets.kept, **own.kept},
    )


def _certified(facets: Facets) -> datetime | None:
    """The platform's own facet: that this version passed every gate, and when."""
    said = facets.mapping("dataPlatform_certification").get("certifiedAt")
    try:
        moment = datetime.fromisoformat(said) if isinstance(said, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _short_form(facets: Facets) -> dict[str, Any]:
    """Seed 003's adapters say ``version``, ``path`` and ``rows`` as plain values; they are no facets then."""
    plain = (key for key in ("version", "path", "rows") if not isinstance(facets.kept.get(key, {}), dict))
    short = {key: facets.kept.pop(key) for key in list(plain)}
    return {key: value if key == "rows" else read_text(value)[:500] for key, value in short.items()}


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else None


def _schema(facets: Facets) -> Schema:
    """None where the facet is missing or lists nothing: an empty list is a producer that does not know."""
    listed = facets.entries("schema", "fields") if "schema" in facets.kept else []
    return _cached(_schema_of, canonical(listed)) if listed else (None, None)


def _cached(read: Any, text: str, *more: str) -> Any:
    """A large one is read again each time: what is cached must not grow with the size of what is sent."""
    return read(text, *more) if len(text) <= _CACHED_CHARACTERS else read.__wrapped__(text, *more)


@lru_cache(maxsize=1024)
def _schema_of(text: str) -> Schema:
    """Cached, since a job tells the same schemas at every run; this is most of what reading an event costs."""
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
        said = {key: item[key] for key in ("description", "ordinal_position") if item.get(key) is not None}
        full = _cut(path + name)
        yield SchemaField(
            name=full, type=read_text(item.get("type")), nullable=item.get("nullable") is not False, metadata=said
        )
        if isinstance(item.get("fields"), list):
            yield from _fields(item["fields"], f"{full}.", depth + 1)


def _cut(name: str) -> str:
    return name.encode()[:_COLUMN_BYTES].decode(errors="ignore")


def _column_links(facets: Facets) -> Links:
    lineage = facets.mapping("columnLineage").get("fields")
    if not isinstance(lineage, dict) or not lineage:
        return (), None
    field = f"{facets.field}.columnLineage.fields"
    links, digest_of_links, warnings = _cached(_links_of, canonical(lineage), field)
    facets.warnings.extend(warnings)
    return links, digest_of_links


@lru_cache(maxsize=1024)
def _links_of(text: str, field: str) -> tuple[tuple[ColumnLink, ...], str, tuple[str, ...]]:
    found, warnings = set(), []
    for target, said in json.loads(text).items():
        sources = said.get("inputFields") if isinstance(said, dict) else None
        for source in sources if isinstance(sources, list) else []:
            column = read_text(source.get("field")) if isinstance(source, dict) else ""
            if not column or not target:
                continue
            try:
                name = read_name(source, f"{field}.{target[:60]}.inputFields")
            except InputError as error:
                warnings.append(f"{error}; the column's source is passed over")
                continue
            found.add(ColumnLink(name, _cut(column), _cut(read_text(target)), _transformation(said, source)))
    return tuple(sorted(found)), digest(text), tuple(warnings)


def _transformation(said: dict[str, Any], source: dict[str, Any]) -> str:
    listed = source.get("transformations")
    kinds = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    words = [f"{read_text(item.get('type'))}:{read_text(item.get('subtype'))}".strip(":") for item in kinds]
    return (", ".join(word for word in words if word) or read_text(said.get("transformationType")))[:1000]


def _assertions(facets: Facets) -> list[Assertion]:
    found: dict[str, Assertion] = {}
    for item in facets.entries("dataQualityAssertions", "assertions"):
        kind, column = read_text(item.get("assertion")), read_text(item.get("column"))
        name = _cut(read_text(item.get("name")) or (f"{kind}:{column}" if column else kind))
        if not name or not isinstance(item.get("success"), bool):
            facets.warnings.append(f"{facets.field}.dataQualityAssertions: one without name or success, passed over")
            continue
        rest = {key: value for key, value in item.items() if key not in ("success", "name") and value is not None}
        severity = read_text(item.get("severity")) or "error"
        kept = Assertion(name=name, success=item["success"], severity=severity, detail=rest)
        # the same check twice on one dataset: a failure is not hidden by the other one's pass
        if name not in found or found[name].success:
            found[name] = kept
    return list(found.values())
