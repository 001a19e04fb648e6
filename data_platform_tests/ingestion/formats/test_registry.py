"""A format is known to its own module, to the registry and to the model, and to no other module."""

import ast

import pytest

from data_platform.ingestion.formats.registry import format_of
from data_platform.model.source import Source
from data_platform.model.source_format import SourceFormat
from data_platform_tests.source_tree import syntax_trees

REQUIRED = {"layout": {"fields": {"id": {"start": 1, "length": 4}}}, "row_element": "order"}
NAMES = {kind.value for kind in SourceFormat}


def members_in(tree: ast.Module) -> set[str]:
    """The members of ``SourceFormat`` that a module names, as ``SourceFormat.CSV`` or ``SourceFormat("csv")``."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "SourceFormat":
            found |= {node.attr} & set(SourceFormat.__members__)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("SourceFormat", "SourceFormat.named"):
            found |= {str(one.value).upper() for one in node.args if isinstance(one, ast.Constant)}
    return found


def compared_names(tree: ast.Module) -> set[str]:
    """Names of formats with which a module compares something called ``format`` or its ``value``."""
    found = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        if any(isinstance(side, ast.Attribute) and ".format" in f".{ast.unparse(side)}" for side in sides):
            found |= {part.value for side in sides for part in ast.walk(side) if isinstance(part, ast.Constant)} & NAMES
    return found


def test_only_the_registry_and_a_format_itself_name_a_format() -> None:
    naming = {name: members for name, tree in syntax_trees("SourceFormat").items() if (members := members_in(tree))}

    assert naming == {
        "ingestion/formats/avro/avro_format.py": {"AVRO"},
        "ingestion/formats/csv/csv_format.py": {"CSV"},
        "ingestion/formats/fixed/fixed_format.py": {"FIXED_WIDTH"},
        "ingestion/formats/jsonl/array_format.py": {"JSON"},
        "ingestion/formats/jsonl/jsonl_format.py": {"JSONL"},
        "ingestion/formats/parquet/parquet_format.py": {"PARQUET"},
        "ingestion/formats/xlsx/xlsx_format.py": {"XLSX"},
        "ingestion/formats/xml/xml_format.py": {"XML"},
        "ingestion/formats/registry.py": set(SourceFormat.__members__),
    }
    assert [name for name, tree in syntax_trees("format").items() if compared_names(tree)] == []


@pytest.mark.parametrize(
    ("text", "members", "names"),
    [
        ("if source.format is SourceFormat.CSV: ...", {"CSV"}, set()),
        ("kind = SourceFormat('parquet')", {"PARQUET"}, set()),
        ("kind = SourceFormat.named('jsonl')", {"JSONL"}, set()),
        ("if source.format == 'csv': ...", set(), {"csv"}),
        ("if source.format.value in ('csv', 'jsonl'): ...", set(), {"csv", "jsonl"}),
        ("if source.format.traits.is_typed: ...", set(), set()),
    ],
)
def test_a_branch_on_a_format_is_found(text: str, members: set[str], names: set[str]) -> None:
    tree = ast.parse(text)

    assert (members_in(tree), compared_names(tree)) == (members, names)


@pytest.mark.parametrize("kind", list(SourceFormat))
def test_every_format_is_registered_under_its_own_name(kind: SourceFormat) -> None:
    needed = {key: REQUIRED[key] for key in kind.traits.required_keys}

    assert format_of(Source.model_validate({"format": kind, "path": "in", **needed})).kind is kind
