"""A fingerprint of all that drift can change: names as they are spelled, order, types, nullability, learned domains.

``Schema.fingerprint`` identifies equal columns for readers, who bind by name; this one also differs if only the order,
the case of a name or a known code has changed.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from data_platform.model.schema import Schema


def full_fingerprint(schema: Schema, domains: Mapping[str, Collection[str]] | None = None) -> str:
    """16 hexadecimal digits. ``domains`` are the known values of columns; only those of columns of ``schema`` count."""
    known = {name.lower(): sorted(values) for name, values in (domains or {}).items() if schema.get(name) is not None}
    content = [[[column.name, column.type, column.nullable] for column in schema.columns], known]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
