"""A path below the landing folder says where deliveries are, of which day each is, and how their files are written."""

from pathlib import Path

import pytest

from data_platform.errors import UsageError
from data_platform.onboarding.place import find_place


def write(root: Path, name: str, content: bytes = b"id,amount\n1,2\n") -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("files", "named", "source", "days"),
    [
        pytest.param(
            ("orders/2025-01-02/a.csv", "orders/2025-01-01/a.csv"),
            "orders",
            {"format": "csv", "path": "orders/{partition}"},
            ("2025-01-01", "2025-01-02"),
            id="a folder for each day",
        ),
        pytest.param(
            ("orders/2025-01-01/a.csv", "orders/2025-01-02/a.csv"),
            "orders/2025-01-02",
            {"format": "csv", "path": "orders/{partition}"},
            ("2025-01-01", "2025-01-02"),
            id="the folder of one day means all of them",
        ),
        pytest.param(
            ("orders/dt=20250101/a.parquet", "orders/dt=20250102/a.parquet"),
            "orders",
            {"format": "parquet", "path": "orders/dt={partition:%Y%m%d}"},
            ("2025-01-01", "2025-01-02"),
            id="folders with a day in another form",
        ),
        pytest.param(
            ("in/orders_20250101.jsonl", "in/orders_20250102.jsonl"),
            "in/orders_20250102.jsonl",
            {"format": "jsonl", "path": "in", "files": "orders_{partition:%Y%m%d}.jsonl"},
            ("2025-01-01", "2025-01-02"),
            id="a day in the name of each file",
        ),
        pytest.param(
            ("in/codes.csv",), "in/codes.csv", {"format": "csv", "path": "in", "files": "codes.csv"}, (), id="one file"
        ),
        pytest.param(("in/codes.csv.gz",), "in", {"format": "csv", "path": "in"}, (), id="a folder without days"),
        pytest.param(
            ("in/2025-01-01/a.csv", "in/2025-02-30/a.csv"),
            "in",
            {"format": "csv", "path": "in/{partition}"},
            ("2025-01-01",),
            id="no calendar has the day",
        ),
    ],
)
def test_the_source_follows_from_the_names(
    tmp_path: Path, files: tuple[str, ...], named: str, source: dict[str, str], days: tuple[str, ...]
) -> None:
    for name in files:
        write(tmp_path, name, b"" if name.endswith(".gz") else b"id,amount\n1,2\n")

    place = find_place(tmp_path, named)

    assert (place.source, place.days) == (source, days)


def test_a_manifest_and_a_marker_of_the_last_delivery_are_used(tmp_path: Path) -> None:
    for name in ("a.csv", "manifest.json", "_SUCCESS"):
        write(tmp_path, f"orders/2025-01-01/{name}")

    source = find_place(tmp_path, "orders").source

    assert (source["manifest"], source["marker"]) == ("manifest.json", "_SUCCESS")


def test_another_separator_and_encoding_are_found(tmp_path: Path) -> None:
    write(tmp_path, "in/a.csv", "id;name\n1;Müller\n".encode("cp1252"))

    place = find_place(tmp_path, "in")

    assert (place.source["delimiter"], place.source["encoding"]) == (";", "cp1252")
    assert "ask the sender" in place.notes[0]


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        pytest.param("ds://sales/orders", "give the path of its deliveries", id="the name of a dataset"),
        pytest.param("none", "does not exist", id="no such path"),
        pytest.param("/", "is not in a folder below the landing folder", id="outside the landing folder"),
        pytest.param("both", "csv and jsonl found", id="two formats"),
        pytest.param("empty", "no file found", id="no file"),
        pytest.param("lone.csv", "into a folder of its own", id="a file beside the folders"),
    ],
)
def test_a_path_that_cannot_become_a_dataset_is_refused_with_what_to_do(
    tmp_path: Path, named: str, reason: str
) -> None:
    write(tmp_path, "both/a.csv")
    write(tmp_path, "both/a.jsonl")
    write(tmp_path, "lone.csv")
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match=reason):
        find_place(tmp_path, named)


@pytest.mark.parametrize(
    ("content", "source"),
    [
        pytest.param(b'[{"id": 1}]', {"format": "json"}, id="a list"),
        pytest.param(b'{"n": 1, "d": {"x": [], "o": [{"id": 1', {"format": "json", "record_path": "d.o"}, id="inside"),
        pytest.param(b'{"id": 1}\n{"id": 2}\n', {"format": "jsonl", "files": "*.json"}, id="one object a line"),
        pytest.param(b'{"id": 1}', {"format": "jsonl", "files": "*.json"}, id="one line"),
    ],
)
def test_the_layout_of_json_is_found_in_it(tmp_path: Path, content: bytes, source: dict[str, str]) -> None:
    write(tmp_path, "orders/2025-01-01/a.json", content)

    assert find_place(tmp_path, "orders").source == {"path": "orders/{partition}", **source}


@pytest.mark.parametrize(
    ("content", "element"),
    [
        (b"<o><n>1</n><p:a xmlns:p='u'><i/><i/></p:a><p:a xmlns:p='u'/></o>", "a"),
        (b"<o><list><a><i>1</i></a><a><i", "a"),
    ],
)
def test_the_records_of_xml_are_the_outermost_elements_that_repeat(
    tmp_path: Path, content: bytes, element: str
) -> None:
    write(tmp_path, "orders/2025-01-01/a.xml", content)

    assert find_place(tmp_path, "orders").source["row_element"] == element


@pytest.mark.parametrize("content", [b"<o><a/></o>", b"<!DOCTYPE o><o><a/><a/></o>", b"no xml", b""])
def test_xml_without_such_elements_cannot_be_proposed(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, "orders/2025-01-01/a.xml", content)

    with pytest.raises(UsageError, match=r"a\.xml: "):
        find_place(tmp_path, "orders")


def test_json_without_a_list_and_fixed_width_cannot_be_proposed(tmp_path: Path) -> None:
    write(tmp_path, "json/a.json", b'{\n"id": 1}')
    write(tmp_path, "fixed/a.dat", b"1 a\n")

    with pytest.raises(UsageError, match="neither a list of objects"):
        find_place(tmp_path, "json")
    with pytest.raises(UsageError, match=r"needs source\.layout"):
        find_place(tmp_path, "fixed")
