"""Reads a property of a contract as a declared column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.schema import is_known_type
from data_platform.policies.odcs.bound import is_number, ranges
from data_platform.policies.odcs.check_reader import add_rule, declared
from data_platform.policies.odcs.column_writer import anchored
from data_platform.policies.odcs.custom_property import (
    ADDED,
    LEARNED_ENUM,
    PATTERN,
    REQUIRED_IN,
    UNKNOWN_CODES,
    own_value,
)

if TYPE_CHECKING:
    from data_platform.policies.odcs.imported import ImportedContract

_TYPES = {
    "varchar": "STRING", "char": "STRING", "text": "STRING", "nvarchar": "STRING", "uuid": "STRING",
    "number": "DECIMAL", "integer": "BIGINT", "int64": "BIGINT", "int32": "INT", "float64": "DOUBLE",
    "float32": "FLOAT", "bool": "BOOLEAN",
    "int2": "SMALLINT", "int4": "INT", "float4": "FLOAT", "float8": "DOUBLE", "double precision": "DOUBLE",
    "varchar2": "STRING", "nvarchar2": "STRING", "character varying": "STRING", "datetime2": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMP", "timestamp without time zone": "TIMESTAMP_NTZ",
    "timestamp_tz": "TIMESTAMP", "timestamptz": "TIMESTAMP", "datetime": "TIMESTAMP", "numeric": "DECIMAL",
}  # fmt: skip
"""Types of contracts that Spark names differently. A length, as in VARCHAR(20), is not checked."""

_LIMITS = {
    "minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<",
    "minLength": ">=", "maxLength": "<=",
}  # fmt: skip


def read_property(imported: ImportedContract, place: str, prop: dict[str, Any]) -> dict[str, Any] | None:
    """Adds the column of ``prop`` and returns it; None if it has no name, or if the platform adds it to the rows."""
    name = prop.get("name")
    if not isinstance(name, str) or not name:
        imported.leave_out(place, "a property without a name, or with one that is not text")
        return None
    is_key = _is_true(imported, place, prop, "primaryKey")
    required = _is_true(imported, place, prop, "required") or is_key
    if is_key:
        imported.primary_key.append((_position(prop, imported), name))
    if _is_true(imported, place, prop, "unique"):
        imported.unique_columns.append(name)
    _read_required(imported, prop, name, required=required)
    if imported.is_own and own_value(prop, ADDED) is True:
        return {"field": name}
    constraint: dict[str, Any] = {"field": name, "type": _type(imported, place, prop), "nullable": not required}
    _read_content(imported, place, prop, constraint)
    imported.constraints.append(constraint)
    return constraint


def _is_true(imported: ImportedContract, place: str, prop: dict[str, Any], key: str) -> bool:
    """Tools also write ``yes`` and ``"true"``, which YAML 1.2 reads as text."""
    value = prop.get(key)
    word = value.strip().lower() if isinstance(value, str) else value
    if word in (True, "true", "yes"):
        return True
    if word not in (None, False, "false", "no"):
        imported.leave_out(f"{place}.{key}", "neither true nor false")
    return False


def _read_content(imported: ImportedContract, place: str, prop: dict[str, Any], constraint: dict[str, Any]) -> None:
    if isinstance(prop.get("description"), str):
        constraint["description"] = prop["description"]
    if own_value(prop, UNKNOWN_CODES) is True:
        constraint["unknown_codes"] = True
    if isinstance(own_value(prop, PATTERN), str):
        imported.patterns[constraint["field"]] = own_value(prop, PATTERN)
    if not _is_learned(prop):
        _read_enum(imported, f"{place}.enum", prop.get("enum"), constraint)


def _position(prop: dict[str, Any], imported: ImportedContract) -> int:
    position = prop.get("primaryKeyPosition")
    return position if isinstance(position, int) and position > 0 else 1_000 + len(imported.primary_key)


def _read_required(imported: ImportedContract, prop: dict[str, Any], name: str, *, required: bool) -> None:
    if not imported.is_own:
        if required:
            imported.required["contract"].append(name)
        return
    listed = own_value(prop, REQUIRED_IN)
    for part in listed if isinstance(listed, list) else ():
        if str(part) in imported.required:
            imported.required[part].append(name)


def _is_learned(prop: dict[str, Any]) -> bool:
    """Whether the enum is what our baseline has, so that the policy declares none, and nobody edited it."""
    learned = own_value(prop, LEARNED_ENUM)
    return isinstance(learned, list) and prop.get("enum") == [{"value": value} for value in learned]


def _read_enum(imported: ImportedContract, place: str, enum: Any, constraint: dict[str, Any]) -> None:
    if enum is None:
        return
    values = [item.get("value") for item in enum if isinstance(item, dict)] if isinstance(enum, list) else []
    if not values or not all(isinstance(v, str | int) and not isinstance(v, bool) for v in values):
        imported.leave_out(place, "not a list of texts or whole numbers")
        return
    constraint["enum"] = tuple(str(value) for value in values)


def _type(imported: ImportedContract, place: str, prop: dict[str, Any]) -> str:
    """The physical type takes precedence; without any type a column is text, which accepts everything."""
    others: dict[str, str] = {}
    found = "STRING"
    for key in ("physicalType", "logicalType"):
        type_name = str(prop.get(key) or "").strip()
        mapped = _mapped(type_name)
        if mapped and is_known_type(mapped):
            found = mapped
            break
        if type_name:
            others[key] = type_name
    for key, type_name in others.items():
        read_as = "text" if found == "STRING" else found
        imported.leave_out(f"{place}.{key}", f"{type_name} is not a type here; the column is read as {read_as}")
    return found


def _mapped(type_name: str) -> str:
    name, _, digits = type_name.partition("(")
    mapped = _TYPES.get(name.strip().lower())
    if mapped is None:
        return type_name.upper()
    return f"{mapped}({digits}" if mapped == "DECIMAL" and digits else mapped


def read_options(imported: ImportedContract, place: str, options: Any, constraint: dict[str, Any]) -> None:
    """Reads the pattern and the limits of a column as rules, except limits that follow from a rule of our own."""
    if not isinstance(options, dict):
        if options:
            imported.leave_out(place, "not a mapping")
        return
    column, stated = f"`{constraint['field']}`", _stated(imported, constraint["field"])
    pattern = imported.patterns.get(constraint["field"])
    for key, value in options.items():
        if key == "pattern" and isinstance(value, str):
            constraint["pattern"] = pattern if pattern is not None and anchored(pattern) == value else value
        elif key in stated and stated[key] == value:
            continue
        elif key in _LIMITS and is_number(value):
            measured = f"length({column})" if key.endswith("Length") else column
            rule = f"{column} IS NULL OR {measured} {_LIMITS[key]} {value}"
            add_rule(imported, rule, f"{constraint['field']}_{key}")
        else:
            imported.leave_out(f"{place}.{key}", "not checked by any gate")


def _stated(imported: ImportedContract, name: str) -> dict[str, Any]:
    if not imported.is_own:
        return {}
    rules = (*imported.invariants["contract_lite"], *imported.invariants["contract"])
    return ranges(rules, declared(imported)).get(name, {})
