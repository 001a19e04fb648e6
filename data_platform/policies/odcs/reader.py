"""Reads one table of an Open Data Contract (ODCS 3.0 to 3.2). Source: the Open Data Contract Standard.

The versions name library checks differently (``rule`` in 3.0, ``metric`` since 3.1) and mean the same. A part of a
contract that no gate can check is listed under ``not_executable`` with its place: it is reported, and it never counts
as passed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data_platform.errors import PolicyError
from data_platform.policies.document import parse_document
from data_platform.policies.odcs.check_reader import read_check
from data_platform.policies.odcs.column_reader import read_options, read_property
from data_platform.policies.odcs.custom_property import BUNDLE, REFERENCE, own_mapping
from data_platform.policies.odcs.imported import ImportedContract

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        raise PolicyError(f"{file}: apiVersion {version or 'missing'}: expected kind DataContract of ODCS v3")
    contract_table = _table(content, file, table)
    imported = ImportedContract(str(contract_table.get("name", "")), own_mapping(contract_table, BUNDLE))
    _read_table(imported, contract_table)
    for place, prop in _listed(content.get("slaProperties"), "slaProperties", imported):
        imported.leave_out(
            place, f"{prop.get('property')}: declare slo.freshness in dataset.yaml, with a time and zone"
        )
    return imported


def _read_table(imported: ImportedContract, table: dict[str, Any]) -> None:
    properties = [*_listed(table.get("properties"), "properties", imported)]
    constraints = [(place, prop, read_property(imported, place, prop)) for place, prop in properties]
    for place, prop, constraint in constraints:
        for inner, check in _listed(prop.get("quality"), f"{place}.quality", imported):
            read_check(imported, inner, check, constraint)
        _read_relationships(imported, f"{place}.relationships", prop.get("relationships"))
    for place, check in _listed(table.get("quality"), "quality", imported):
        read_check(imported, place, check, None)
    for place, prop, constraint in constraints:  # after the rules of the table, which have their ranges as options too
        if constraint is not None:
            read_options(imported, f"{place}.logicalTypeOptions", prop.get("logicalTypeOptions"), constraint)
    _read_relationships(imported, "relationships", table.get("relationships"))


def _read_relationships(imported: ImportedContract, place: str, items: Any) -> None:
    for inner, relationship in _listed(items, place, imported):
        reference = own_mapping(relationship, REFERENCE)
        if reference is None:
            imported.leave_out(inner, "declare contract.references, with the URN of the other dataset")
        else:
            imported.references.append(reference)


def _table(content: dict[str, Any], file: str, wanted: str | None) -> dict[str, Any]:
    listed = content.get("schema")
    tables = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
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
