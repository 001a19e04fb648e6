"""No file of a delivery's folder with any name is skipped silently, and nothing is read from elsewhere."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest

from data_platform.errors import SourceError
from data_platform.ingestion.delivery import Delivery, find_delivery
from data_platform.ingestion.landing.folder import open_inside
from data_platform.ingestion.landing.pattern import matches
from data_platform.ingestion.landing.selection import Neighbour
from data_platform.model.partition_key import PartitionKey
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source

ORDERS = Schema.of([Column(name="id"), Column(name="amount")])
ONE, TWO = "id,amount\n1,1.00\n", "id,amount\n2,2.00\n"


def put(landing: Path, **contents: str | bytes) -> Path:
    """Files below ``landing``, by their paths."""
    for name, content in contents.items():
        path = landing / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return landing


def found(landing: Path, *others: Neighbour, day: PartitionKey | None = None, **keys: object) -> Delivery:
    source = Source.model_validate({"format": "csv", "path": "in", **keys})
    return find_delivery(landing, source, day, ORDERS, others)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("b.csv.xz", "xz", id="another compression"),
        pytest.param("b.tar.gz", "packed with tar", id="an archive"),
        pytest.param("~b.csv", "an editor leaves", id="an editor's own copy"),
        pytest.param("~$b.csv", "an editor leaves", id="what Office keeps while a file is open"),
        pytest.param("#b.csv#", "an editor leaves", id="what Emacs saves by itself"),
        pytest.param("b.bak.csv", "a backup copy", id="a backup under the right ending"),
        pytest.param("b.tmp.csv.gz", "a backup copy", id="a packed one"),
        pytest.param("b (Bob's conflicted copy 2025-01-06).csv", "a synchronization program", id="a conflict"),
        pytest.param("b.sync-conflict-20250106-120000-ABCDEFG.csv", "a synchronization program", id="another conflict"),
        pytest.param("b.csv.swp", "unfinished", id="Vim's"),
        pytest.param(".b.csv.swp", "an unfinished upload", id="Vim's hidden one"),
        pytest.param("b.csv.filepart", "unfinished", id="WinSCP's upload"),
        pytest.param("b.csv._COPYING_", "unfinished", id="Hadoop's upload"),
        pytest.param("b.csv.tmp", "unfinished", id="a temporary file"),
        pytest.param("~$b.xlsx", "an editor leaves", id="Office's own, of another format"),
        pytest.param("b.xlsx", "a spreadsheet", id="a spreadsheet"),
        pytest.param("b.csv.001", "a part of a split file", id="a part of a split file"),
        pytest.param("b.csv.gz.part2", "a part of a split file", id="a part of a split packed file"),
        pytest.param("b.csv.aes", "encrypted", id="a ciphertext"),
        pytest.param("b.tgz", "tar and gzip", id="an archive in one ending"),
        pytest.param("b.csv.bak", "a backup copy", id="a backup"),
        pytest.param("b.csv~", "a backup copy", id="an editor's backup"),
        pytest.param("b.csv.part", "unfinished", id="an upload"),
        pytest.param(".b.csv.Xy12Ab", "an unfinished upload", id="rsync's upload"),
        pytest.param(".b.csv.partial", "an unfinished upload", id="a hidden upload"),
        pytest.param("manifest.json", "name it in source.manifest", id="a manifest that nobody declared"),
        pytest.param("b.jsonl", "name it in source.files", id="another format"),
        pytest.param("b.txt", "name it in source.files", id="another ending"),
        pytest.param("b", "name it in source.files", id="no ending"),
        pytest.param("Part2/b.csv", "is in a folder", id="a folder"),
        pytest.param("x/y/z/b.csv", "is in a folder", id="a deep folder"),
        pytest.param("b.done", "name it in source.files", id="a marker with content"),
        pytest.param("c.csv.md5", "name it in source.files", id="a checksum of a file that is not there"),
        pytest.param("b\x80.csv".encode("latin-1").decode("utf-8", "surrogateescape"), "not UTF-8", id="no text"),
    ],
)
def test_a_file_that_is_not_data_holds_the_day_until_the_policy_ignores_it(
    tmp_path: Path, name: str, words: str
) -> None:
    put(tmp_path, **{"in/a.csv": ONE, f"in/{name}": TWO})

    held, ignored = found(tmp_path), found(tmp_path, ignore=[name.split("/")[0].replace("\udc80", "?")])

    assert [problem.split(":")[0] for problem in held.problems] == ["UNEXPECTED_FILE"]
    assert words in held.details[0]
    held.problems[0].encode()  # it can be stored and sent
    assert (ignored.problems, [file.name for file in ignored.files]) == ((), ["a.csv"])


@pytest.mark.parametrize(
    ("names", "warned"),
    [
        pytest.param(
            ["_SUCCESS", ".a.csv.crc", ".a.csv.sha256", ".DS_Store", "._a.csv", "Thumbs.db"], [], id="what tools leave"
        ),
        pytest.param(["a.csv.md5", "a.csv.sha256", "a.csv.crc"], [], id="checksums beside their file"),
        pytest.param([".b.csv", "_b.csv"], ["HIDDEN_FILE:.b.csv", "HIDDEN_FILE:_b.csv"], id="hidden data"),
        pytest.param(["_archive/b.csv"], ["HIDDEN_FILE:_archive"], id="a hidden folder"),
    ],
)
def test_what_is_passed_over_is_on_record_and_hidden_data_is_warned_of(
    tmp_path: Path, names: list[str], warned: list[str]
) -> None:
    put(tmp_path, **{"in/a.csv": ONE}, **{f"in/{name}": "x" for name in names})

    delivery = found(tmp_path)

    assert delivery.problems == ()
    assert list(delivery.warnings) == warned
    assert len(delivery.skipped) + len(warned) == len(names)


def test_a_missing_delivery_is_reported_with_similar_files(tmp_path: Path) -> None:
    delivery = found(put(tmp_path, **{"in/orders.txt": ONE}))

    assert delivery.problems == ("NO_FILES:*.csv", "UNEXPECTED_FILE:orders.txt")


def test_many_strange_files_are_counted_and_not_all_named(tmp_path: Path) -> None:
    delivery = found(put(tmp_path, **{"in/a.csv": ONE}, **{f"in/{n:03}.txt": "" for n in range(100)}))

    assert len(delivery.problems) == 21
    assert delivery.problems[-1] == "UNEXPECTED_FILE:80 more"


@pytest.mark.parametrize("files", ["*.csv", "orders_*.csv"])
def test_with_a_pattern_what_nearly_fits_it_holds_the_day(tmp_path: Path, files: str) -> None:
    put(tmp_path, **{"in/orders_1.csv": ONE, "in/orders_2.CSV": TWO, "in/orders_3.csv.gz": b""})

    delivery = found(tmp_path, files=files)

    assert [problem.split(":")[1] for problem in delivery.problems] == ["orders_2.CSV", "orders_3.csv.gz"]
    assert "differs from" in delivery.details[0]
    assert "compression" in delivery.details[1]


def test_other_days_and_other_datasets_in_one_folder_hold_nothing(tmp_path: Path) -> None:
    names = ("o_20250101.csv", "o_20250102.csv", "o_20250102.csv.gz", "o_20250103.done", "customers.csv", "sub/x.csv")
    put(tmp_path, **{f"in/{name}": ONE for name in names})
    customers = Source.model_validate({"format": "csv", "path": "in", "files": "customers*.csv"})
    below = Source.model_validate({"format": "csv", "path": "in/sub"})

    delivery = found(
        tmp_path,
        Neighbour("ds://x/customers", customers),
        Neighbour("ds://x/below", below),
        day=PartitionKey("2025-01-01"),
        files="o_{partition:%Y%m%d}.csv",
        marker="o_{partition:%Y%m%d}.done",
    )

    assert (delivery.problems, [file.name for file in delivery.files]) == ((), ["o_20250101.csv"])
    assert delivery.skipped["customers.csv"] == "of ds://x/customers"


@pytest.mark.parametrize("beside", ["2025-01-01T06", "2025-01-01_2", "2025-01-01 (copy)"])
def test_a_folder_beside_the_day_s_own_may_hold_the_rest_of_it(tmp_path: Path, beside: str) -> None:
    put(tmp_path, **{"in/2025-01-01/a.csv": ONE, f"in/{beside}/b.csv": TWO, "in/2025-01-02/c.csv": TWO})

    delivery = found(tmp_path, day=PartitionKey("2025-01-01"), path="in/{partition}")

    assert delivery.problems == (f"UNEXPECTED_FOLDER:{beside}",)


def test_a_day_above_the_folder_may_have_one_beside_it_too(tmp_path: Path) -> None:
    put(tmp_path, **{"2025-01-01/in/a.csv": ONE, "2025-01-01_2/in/b.csv": TWO, "2025-01-01_3/other/b.csv": TWO})

    delivery = found(tmp_path, day=PartitionKey("2025-01-01"), path="{partition}/in")

    assert delivery.problems == ("UNEXPECTED_FOLDER:2025-01-01_2",)


@pytest.mark.parametrize(
    ("listed", "there"),
    [
        ("A.csv", "a.csv"),
        ("u\u0308.csv", "\u00fc.csv"),
        ("a.csv", "a.csv.gz"),
        ("a.csv", "sub/a.csv"),
        ("a.csv.gz", "a.csv"),
        ("my%20a.csv", "my a.csv"),
        ("a.csv ", "a.csv"),
        ("in/a.csv", "a.csv"),
    ],
)
def test_a_missing_promised_file_is_reported_with_a_similar_one(tmp_path: Path, listed: str, there: str) -> None:
    delivery = found(put(tmp_path, **{"in/m.json": f'{{"file": "{listed}"}}', f"in/{there}": ONE}), manifest="m.json")

    assert delivery.problems == (f"MANIFEST_MISSING:{listed}",)
    assert f"there is {there}" in delivery.details[0]


def test_a_promised_name_of_a_folder_is_reported_as_one(tmp_path: Path) -> None:
    delivery = found(put(tmp_path, **{"in/m.json": '{"file": "sub"}', "in/sub/a.csv": ONE}), manifest="m.json")

    assert delivery.details[0] == "sub: the manifest names this folder; expected the names of its files"


def test_a_marker_and_bronze_see_the_same_files(tmp_path: Path) -> None:
    from data_platform.arrival.digest import Digests
    from data_platform.arrival.marker import find_markers, look

    names = ("a.csv", "B.CSV", "s.csv/p.csv", "c.txt", ".d.csv", "e.csv.tmp", "logs/f.csv", "g.csv.md5")
    put(tmp_path, **{f"in/{name}": f"id,amount\n{n},1\n" for n, name in enumerate(names)}, **{"in/empty.csv": ""})
    put(tmp_path, **{"in/z.csv.gz": gzip.compress(b"id,amount\n9,1\n"), "in/_SUCCESS": ""})
    keys = {"format": "csv", "path": "in", "marker": "_SUCCESS", "ignore": ["logs"]}
    source = Source.model_validate(keys)

    (marker,) = find_markers(tmp_path, source)
    seen = look(tmp_path, source, marker, None, Digests())
    delivery = found(tmp_path, **keys)

    assert seen is not None
    assert seen.delivery_id == delivery.id
    assert seen.files == len(delivery.files) + 1  # the empty one


def test_a_folder_in_another_case_is_named(tmp_path: Path) -> None:
    put(tmp_path, **{"IN/a.csv": ONE})

    assert "there is IN" in found(tmp_path).details[0]
    assert found(put(tmp_path, **{"in/a.csv": TWO})).problems == ("UNEXPECTED_FOLDER:IN",)


def test_the_landing_that_is_not_there_is_named_by_its_setting(tmp_path: Path) -> None:
    assert "DATA_PLATFORM_LANDING" in found(tmp_path / "nowhere").details[0]
    assert "in is not a folder" in found(put(tmp_path, **{"in": "x"})).details[0]


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        pytest.param("_SUCCESS", "", id="whole"),
        pytest.param("_temporary/0/x", "UNEXPECTED_FILE:orders.csv/_temporary", id="still being written"),
        pytest.param("_delta_log/0.json", "UNEXPECTED_FILE:orders.csv/_delta_log", id="a Delta table"),
        pytest.param("day=1/p.csv", "UNEXPECTED_FILE:orders.csv/day=1/p.csv", id="in partitions"),
    ],
)
def test_a_folder_as_spark_writes_it_is_read_and_no_other(tmp_path: Path, inner: str, problem: str) -> None:
    delivery = found(put(tmp_path, **{"in/orders.csv/part-00000.csv": ONE, f"in/orders.csv/{inner}": TWO}))

    assert [file.name for file in delivery.files] == ["orders.csv/part-00000.csv"]
    assert delivery.problems == ((problem,) if problem else ())


def test_nothing_is_read_through_a_link_to_outside(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", **{"secret.csv": ONE, "day/a.csv": ONE})
    landing = put(tmp_path / "landing", **{"in/a.csv": TWO, "other/b.csv": "id,amount\n3,3.00\n"})
    (landing / "in" / "b.csv").symlink_to(outside / "secret.csv")
    (landing / "in" / "c.csv").symlink_to(outside / "day")
    (landing / "in" / "d.csv").symlink_to(tmp_path / "nowhere")
    (landing / "in" / "e.csv").symlink_to("../other/b.csv")
    (landing / "in" / "loop").symlink_to(".")
    os.mkfifo(landing / "in" / "pipe.csv")
    (landing / "day").symlink_to(outside / "day")

    delivery = found(landing)

    assert [file.name for file in delivery.files] == ["a.csv", "e.csv"]
    names = {problem.split(":")[1] for problem in delivery.problems}
    assert names == {"b.csv", "c.csv", "d.csv", "loop", "pipe.csv"}
    assert found(landing, path="day").files == ()
    assert "leads out" in found(landing, path="day").details[0]


def test_the_landing_root_may_be_a_link(tmp_path: Path) -> None:
    put(tmp_path / "real", **{"in/a.csv": ONE})
    (tmp_path / "link").symlink_to(tmp_path / "real")

    delivery = found(tmp_path / "link")

    assert (delivery.problems, len(delivery.files)) == ((), 1)


def test_a_link_that_is_changed_after_it_was_looked_at_opens_nothing(tmp_path: Path) -> None:
    put(tmp_path, **{"landing/in/a.csv": ONE, "secret.csv": TWO})
    delivery = found(tmp_path / "landing")
    (tmp_path / "landing" / "in" / "a.csv").unlink()
    (tmp_path / "landing" / "in" / "a.csv").symlink_to(tmp_path / "secret.csv")

    with pytest.raises(SourceError, match="leads out of the landing"):
        delivery.files[0].open()
    with pytest.raises(SourceError, match="not a regular file"):
        open_inside(str(tmp_path), "")


def test_a_manifest_names_nothing_outside_its_folder(tmp_path: Path) -> None:
    put(tmp_path, **{"landing/in/m.json": '{"file": "a.csv", "bytes": 1}', "secret.csv": ONE})
    (tmp_path / "landing" / "in" / "a.csv").symlink_to(tmp_path / "secret.csv")

    delivery = found(tmp_path / "landing", manifest="m.json")

    assert (delivery.problems, delivery.files) == (("UNEXPECTED_FILE:a.csv",), ())


def test_a_file_that_the_manifest_leaves_out_is_warned_of(tmp_path: Path) -> None:
    delivery = found(
        put(tmp_path, **{"in/m.json": '{"file": "a.csv"}', "in/a.csv": ONE, "in/b.csv": TWO}), manifest="m.json"
    )

    assert (delivery.problems, list(delivery.warnings)) == ((), ["UNLISTED_FILE:b.csv"])


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*.csv", "a.csv", True),
        ("*.csv", "x/a.csv", False),
        ("**/*.csv", "a.csv", True),
        ("**/*.csv", "x/y/a.csv", True),
        ("x/*.csv", "x/a.csv", True),
        ("[ab].csv", "c.csv", False),
        ("o_{partition:%Y%m%d}.csv", "o_20250101.csv", True),
        ("o_{partition:%Y%m%d}.csv", "o_2025.csv", False),
    ],
)
def test_patterns_are_a_shell_s(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern, name) is fits


@pytest.mark.parametrize("copy", ["orders (1).csv", "Copy of orders.csv", "orders - Copy.csv", "orders_copy.csv"])
def test_a_copy_beside_its_original_is_flagged_even_if_it_differs(tmp_path: Path, copy: str) -> None:
    put(tmp_path, **{"in/orders.csv": ONE, f"in/{copy}": TWO})

    assert [p.split(":")[0] for p in found(tmp_path).problems] == ["DUPLICATE_FILE"]
    warned = found(tmp_path, duplicate_files="warn")
    assert (warned.problems, len(warned.warnings), len(warned.files)) == ((), 1, 2)


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(ONE, id="the same bytes"),
        pytest.param(ONE.replace("\n", "\r\n"), id="other line ends"),
        pytest.param(ONE.rstrip("\n"), id="no line end at the end"),
        pytest.param("\ufeff" + ONE, id="a byte-order mark"),
        pytest.param(ONE + "\x1a", id="the sign that ends a text of DOS"),
    ],
)
def test_the_same_rows_in_another_dress_are_flagged_once(tmp_path: Path, again: str) -> None:
    put(tmp_path, **{"in/orders.csv": ONE, "in/orders (1).csv": again})

    assert found(tmp_path).problems == ("DUPLICATE_FILE:orders (1).csv = orders.csv",)


def test_files_that_differ_in_where_their_lines_end_are_two(tmp_path: Path) -> None:
    put(tmp_path, **{"in/a.csv": "id\n1\n12\n", "in/b.csv": "id\n11\n2\n"})

    assert found(tmp_path).problems == ()


def test_equal_files_without_a_row_are_no_duplicates(tmp_path: Path) -> None:
    put(tmp_path, **{"in/a.csv": ONE, "in/b.csv": "id,amount\n", "in/c.csv": "id,amount\n"})

    assert found(tmp_path).problems == ()


@pytest.mark.parametrize("files", ["*.bak.csv", "~*.csv"])
def test_a_pattern_may_ask_for_names_that_look_like_copies(tmp_path: Path, files: str) -> None:
    put(tmp_path, **{"in/" + files.replace("*", "b"): ONE})

    assert len(found(tmp_path, files=files).files) == 1


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        ("a copy 2.csv", "a.csv"),
        ("a_(1).csv", "a.csv"),
        ("Copy (2) of a.csv", "a.csv"),
        ("a - Kopie.csv", "a.csv"),
        ("a \u2013 copie (3).csv", "a.csv"),
        ("a (copia).csv", "a.csv"),
    ],
)
def test_a_copy_is_recognized_by_its_name_in_several_languages(tmp_path: Path, copy: str, original: str) -> None:  # C46
    put(tmp_path, **{f"in/{original}": ONE, f"in/{copy}": TWO})

    assert any(problem.startswith("DUPLICATE_FILE:") for problem in found(tmp_path).problems)


@pytest.mark.parametrize(
    ("name", "text", "held"),
    [
        ("a.csv.sha256", hashlib.sha256(ONE.encode()).hexdigest() + "  a.csv\n", False),
        ("a.csv.MD5", f"MD5 (a.csv) = {hashlib.md5(ONE.encode()).hexdigest().upper()}", False),  # noqa: S324
        ("a.csv.sha256", "0" * 64, True),
        ("a.csv.md5", "0" * 32 + " *a.csv", True),
        ("a.csv.md5", "", False),
    ],
    ids=["it says the same", "so in BSD's form", "it says another", "another MD5", "it says none"],
)
def test_a_checksum_file_beside_data_has_to_agree(tmp_path: Path, name: str, text: str, held: bool) -> None:
    put(tmp_path, **{"in/a.csv": ONE, f"in/{name}": text})

    assert found(tmp_path).problems == (("CHECKSUM_FILE:a.csv",) if held else ())


def test_links_that_lead_to_each_other_hold_the_day(tmp_path: Path) -> None:
    put(tmp_path, **{"in/a.csv": ONE})
    (tmp_path / "in" / "x.csv").symlink_to("y.csv")
    (tmp_path / "in" / "y.csv").symlink_to("x.csv")

    delivery = found(tmp_path)

    assert sorted(delivery.problems) == ["UNEXPECTED_FILE:x.csv", "UNEXPECTED_FILE:y.csv"]
    assert "a link that leads back to itself" in delivery.details[0]


@pytest.mark.parametrize(
    ("there", "words"), [("a.txt", "there are other files"), (".hidden", "may still be on its way")]
)
def test_a_delivery_is_awaited_only_if_nothing_of_it_is_there(tmp_path: Path, there: str, words: str) -> None:
    delivery = found(put(tmp_path, **{f"in/{there}": ONE}))

    assert delivery.problems[0] == "NO_FILES:*.csv"
    assert words in delivery.details[0]
