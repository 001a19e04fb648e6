"""Reads Open Data Contracts (ODCS 3.0 and 3.1) into a policy bundle. Source: the Open Data Contract Standard.

The two versions name library checks differently (``rule`` in 3.0, ``metric`` in 3.1) and mean the same. A part of a
contract that no gate can check is listed under ``not_executable`` with its place: it is reported, and it never counts
as passed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.errors import PolicyError
from data_platform.model.contract import FullContract, Invariant, Unique
from data_platform.model.policy_bundle import Dq, FieldConstraint, PolicyBundle, SchemaPolicy
from data_platform.model.schema import is_known_type
from data_platform.policies.document import parse_document

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = {
    "varchar": "STRING", "char": "STRING", "text": "STRING", "nvarchar": "STRING", "uuid": "STRING",
    "number": "DECIMAL", "integer": "BIGINT", "int64": "BIGINT", "int32": "INT", "float64": "DOUBLE",
    "float32": "FLOAT", "bool": "BOOLEAN",
    "timestamp_tz": "TIMESTAMP", "timestamptz": "TIMESTAMP", "datetime": "TIMESTAMP", "numeric": "DECIMAL",
}  # fmt: skip
"""Types of contracts that Spark names differently. A length, as in VARCHAR(20), is not checked."""

_COUNT_OF_WHERE = re.compile(
    r"\s*select\s+count\s*\(\s*(?:\*|1)\s*\)\s+from\s+(?P<table>\S+)\s+where\s+(?P<where>.+?)\s*;?\s*", re.I | re.S
)
_PLACE = re.compile(r"\$?\{(object|table|schema|property|column|field)\}", re.I)
_DUPLICATES = ("duplicatecount", "duplicatevalues")
_NULLS = ("nullcheck", "nullvalues", "missingvalues")


@dataclass
class ImportedContract:
    """``not_executable`` are sentences, each with its place in the contract."""

    name: str
    constraints: list[dict[str, Any]] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    unique: list[str] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    min_rows: int = 1
    not_executable: list[str] = field(default_factory=list)

    @property
    def bundle(self) -> PolicyBundle:
        constraints = tuple(FieldConstraint.model_validate(constraint) for constraint in self.constraints)
        unique = tuple(Unique(fields=(name,)) for name in dict.fromkeys(self.unique))
        required = tuple(dict.fromkeys(self.required))
        contract = FullContract(required_fields=required, unique=unique, invariants=tuple(self.invariants))
        return PolicyBundle(
            schema=SchemaPolicy(constraints=constraints), contract=contract, dq=Dq(min_rows=self.min_rows)
        )

    def leave_out(self, place: str, why: str) -> None:
        self.not_executable.append(f"{place}: {why}")


def read_odcs(text: str, file: str, *, table: str | None = None) -> ImportedContract:
    """Returns the contract of one table; ``table`` names it if the file has several.

    Raises:
        PolicyError: The file is not an ODCS 3 contract, or has no such table.
    """
    problems: list[Any] = []
    document = parse_document(text, file, problems)
    if document is None or not isinstance(document.data, dict):
        raise PolicyError(
            [str(problem) for problem in problems] or f"{file}: expected an ODCS contract, a YAML mapping"
        )
    content = document.data
    version = str(content.get("apiVersion", ""))
    if content.get("kind") != "DataContract" or not re.fullmatch(r"v?3\.\d+(\.\d+)?", version):
        raise PolicyError(f"{file}: apiVersion {version or 'missing'}: expected kind DataContract of ODCS v3.0 or v3.1")
    contract_table = _table(content, file, table)
    imported = ImportedContract(str(contract_table.get("name", "")))
    for place, prop in _listed(contract_table.get("properties"), "properties", imported):
        _read_property(imported, place, prop)
    for place, check in _listed(contract_table.get("quality"), "quality", imported):
        _read_check(imported, place, check, None)
    for place, prop in _listed(content.get("slaProperties"), "slaProperties", imported):
        imported.leave_out(
            place, f"{prop.get('property')}: declare slo.freshness in dataset.yaml, with a time and zone"
        )
    return imported


def _table(content: dict[str, Any], file: str, wanted: str | None) -> dict[str, Any]:
    tables = [item for item in content.get("schema") or [] if isinstance(item, dict)]
    names = [str(item.get("name")) for item in tables]
    if wanted is None and len(tables) == 1:
        return tables[0]
    if wanted in names:
        return tables[names.index(wanted)]
    problem = f"no table {wanted!r}" if wanted else f"{len(tables)} tables"
    raise PolicyError(
        f"{file}: schema: {problem}; expected one of {', '.join(names) or 'none, the contract has no schema'}"
    )


def _listed(items: Any, place: str, imported: ImportedContract) -> Iterator[tuple[str, dict[str, Any]]]:
    if items is not None and not isinstance(items, list):
        imported.leave_out(place, "not a list")
        return
    for number, item in enumerate(items or []):
        if isinstance(item, dict):
            yield f"{place}[{number}]", item
        else:
            imported.leave_out(f"{place}[{number}]", "not a mapping")


def _read_property(imported: ImportedContract, place: str, prop: dict[str, Any]) -> None:
    name = prop.get("name")
    if not isinstance(name, str) or not name:
        imported.leave_out(place, "a property without a name")
        return
    required = prop.get("required") is True or prop.get("primaryKey") is True
    constraint: dict[str, Any] = {"field": name, "type": _type(imported, place, prop), "nullable": not required}
    if isinstance(prop.get("description"), str):
        constraint["description"] = prop["description"]
    imported.constraints.append(constraint)
    if required:
        imported.required.append(name)
    if prop.get("unique") is True or prop.get("primaryKey") is True:
        imported.unique.append(name)
    _read_options(imported, f"{place}.logicalTypeOptions", prop.get("logicalTypeOptions") or {}, constraint)
    for inner, check in _listed(prop.get("quality"), f"{place}.quality", imported):
        _read_check(imported, inner, check, constraint)


def _type(imported: ImportedContract, place: str, prop: dict[str, Any]) -> str:
    """The physical type takes precedence; without any type a column is text, which accepts everything."""
    for key in ("physicalType", "logicalType"):
        type_name = str(prop.get(key) or "").strip()
        mapped = _TYPES.get(re.sub(r"\(.*\)$", "", type_name).lower(), type_name.upper())
        if mapped and is_known_type(mapped):
            return mapped
        if type_name:
            imported.leave_out(f"{place}.{key}", f"{type_name} is not a type here; the column is read as text")
    return "STRING"


def _read_options(imported: ImportedContract, place: str, options: dict[str, Any], constraint: dict[str, Any]) -> None:
    column = f"`{constraint['field']}`"
    for key, value in options.items():
        if key == "pattern" and isinstance(value, str):
            constraint["pattern"] = value
        elif key in ("minimum", "maximum") and isinstance(value, int | float):
            sign = ">=" if key == "minimum" else "<="
            imported.invariants.append(
                _invariant(f"{column} IS NULL OR {column} {sign} {value}", f"{constraint['field']}_{key}")
            )
        else:
            imported.leave_out(f"{place}.{key}", "not checked by any gate")


def _read_check(
    imported: ImportedContract, place: str, check: dict[str, Any], constraint: dict[str, Any] | None
) -> None:
    kind = str(check.get("type") or "library")
    if kind == "sql":
        _read_sql(imported, place, check, constraint)
    elif kind == "library":
        _read_library(imported, place, check, constraint)
    else:
        reasons = {"text": "text is for people", "custom": f"engine {check.get('engine')} is not run here"}
        imported.leave_out(place, reasons.get(kind, f"checks of type {kind} are not known"))


def _read_library(
    imported: ImportedContract, place: str, check: dict[str, Any], constraint: dict[str, Any] | None
) -> None:
    metric = str(check.get("metric") or check.get("rule") or "")
    bound = {key: value for key, value in check.items() if key.startswith("mustBe")}
    least = _least(bound)
    if metric.lower() == "rowcount" and least is not None:
        imported.min_rows = max(imported.min_rows, least)
    elif constraint is not None and bound == {"mustBe": 0} and metric.lower() in _DUPLICATES:
        imported.unique.append(constraint["field"])
    elif constraint is not None and bound == {"mustBe": 0} and metric.lower() in _NULLS and not check.get("arguments"):
        constraint["nullable"] = False
        imported.required.append(constraint["field"])
    elif constraint is not None and bound == {"mustBe": 0} and metric.lower() == "invalidvalues" and _values(check):
        constraint["enum"] = _values(check)
    else:
        imported.leave_out(
            place, f"{metric or 'a check without a metric'} with {_bound_text(bound)} is not checked by any gate"
        )


def _least(bound: dict[str, Any]) -> int | None:
    """The fewest rows that a bound allows, if it has no other limit."""
    steps = {"mustBeGreaterThan": 1, "mustBeGreaterOrEqualTo": 0}
    if len(bound) != 1:
        return None
    ((key, value),) = bound.items()
    return value + steps[key] if key in steps and isinstance(value, int) and not isinstance(value, bool) else None


def _values(check: dict[str, Any]) -> tuple[str, ...]:
    arguments = check.get("arguments")
    values = (arguments or check).get("validValues") if isinstance(arguments or check, dict) else None
    return tuple(values) if isinstance(values, list) and all(isinstance(value, str) for value in values) else ()


def _read_sql(imported: ImportedContract, place: str, check: dict[str, Any], constraint: dict[str, Any] | None) -> None:
    """Reads ``SELECT COUNT(*) FROM the table WHERE …`` that must be 0 as a rule: … is not true of any row."""
    query = str(check.get("query") or "")
    match = _COUNT_OF_WHERE.fullmatch(query)
    whole = match is not None and match["table"].lower() in (
        "{object}",
        "{table}",
        "{schema}",
        "${table}",
        imported.name.lower(),
    )
    if match is None or not whole or check.get("mustBe") != 0:
        imported.leave_out(place, "only SELECT COUNT(*) FROM {object} WHERE … with mustBe: 0 can be checked row by row")
        return
    column = f"`{constraint['field']}`" if constraint else None
    if column is None and re.search(r"\{(property|column|field)\}", match["where"], re.I):
        imported.leave_out(place, "names {property}, but belongs to no property")
        return
    from data_platform.sql.check import expression_problems

    where = _PLACE.sub(lambda placeholder: column or placeholder.group(), match["where"])
    name = str(check.get("name") or f"{constraint['field'] if constraint else imported.name}_sql")
    rule = f"NOT coalesce({where}, false)"
    if problems := expression_problems(rule):
        imported.leave_out(place, problems[0].text)
        return
    imported.invariants.append(_invariant(rule, name))


def _invariant(rule: str, name: str) -> Invariant:
    return Invariant(rule=rule, id=re.sub(r"[^A-Za-z0-9_]", "_", name)[:60])


def _bound_text(bound: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in bound.items()) or "no bound"
