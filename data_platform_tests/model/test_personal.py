"""Texts beside the rows: what is a personal value in them, which names may be shown, and who may read a file."""

import logging
import os
import stat
from pathlib import Path

import pytest

from data_platform.model.personal import redacted, redacted_json, shown_names, shown_schema, shown_type
from data_platform.model.private_path import private_file, private_folder
from data_platform.model.schema import Column, Schema


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("mail ann@example.com now", "mail [REDACTED:EMAIL] now", id="address"),
        pytest.param("report_ann@example.co.uk.csv", "[REDACTED:EMAIL]", id="name of a file"),
        pytest.param("ann%40example.com", "[REDACTED:EMAIL]", id="encoded"),
        pytest.param("ann%2540example.com", "[REDACTED:EMAIL]", id="encoded twice"),
        pytest.param(
            r'{"a":"{\\"b\\":\\"ann\\\\u0040example.com\\"}"}',
            r'{"a":"{\\"b\\":\\"[REDACTED:EMAIL]\\"}"}',
            id="JSON in JSON",
        ),
        pytest.param("219-09-9999", "[REDACTED:SSN]", id="SSN"),
        pytest.param("ssn=219099999", "[REDACTED:SSN]", id="SSN behind a label"),
        pytest.param("call (212) 555-0147", "call [REDACTED:PHONE]", id="phone"),
        pytest.param("+44 20 7946 0958", "[REDACTED:PHONE]", id="abroad"),
        pytest.param("phone: 3035550117", "[REDACTED:PHONE]", id="phone behind a label"),
        pytest.param("pay_4111-1111-1111-1111.csv", "pay_[REDACTED:CREDIT_CARD].csv", id="card"),
        pytest.param("to DE89 3704 0044 0532 0130 00!", "to [REDACTED:IBAN]!", id="IBAN"),
        pytest.param("DOB: 1980-02-28", "[REDACTED:DATE_OF_BIRTH]", id="date of birth"),
        pytest.param("from 203.0.113.7:8080", "from [REDACTED:IP_ADDRESS]:8080", id="address of a machine outside"),
    ],
)
def test_a_personal_value_is_redacted_within_its_text(text: str, shown: str) -> None:
    assert redacted(text) == shown
    assert redacted(shown) == shown


HARMLESS = [
    "run_20250107_1a2b3c4d5e6f", "2025-01-07T03:00:00.123456Z", "019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e5f",
    "v42 of 3035550117", "UNKNOWN_ENUM:status:5c1f0a2b3c4d", "tok_v1_email_0123456789abcdef0123456789abcdef",
    "10.0.0.1:5432", "/lake/gold/a_b", "***-***-0147", "***@example.com", "1357034400", "hotel 3035550117",
    "3.1415926535", "order 12345-6789", "4111111111111112", "DE88370400440532013000", "127.0.0.1:5432", "172.20.0.3",
    "v1.2.3.4", "2026112917421234", "born in 1980",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redacted(text) == text


def test_texts_in_lists_and_mappings_are_redacted_keys_too() -> None:
    assert redacted_json({"ann@x.com": ["bob@x.com", 3, None], "n": {"ok": ("c@x.com",)}}) == {
        "[REDACTED:EMAIL]": ["[REDACTED:EMAIL]", 3, None],
        "n": {"ok": ("[REDACTED:EMAIL]",)},
    }


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        pytest.param(["id", "extra", "naïve"], ["id", "extra", "naïve"], id="identifiers"),
        pytest.param(["id", "ann@x.com", "bob"], ["id", "column#2", "column#3"], id="one that is a value hides all"),
        pytest.param(["7", "Ann", "OPEN"], ["column#1", "column#2", "column#3"], id="no header"),
        pytest.param(["Ann", "Case"], ["column#1", "column#2"], id="no declared name among them"),
        pytest.param(["ID", "x12345"], ["ID", "column#2"], id="long number"),
        pytest.param(["id", "Ann Case"], ["id", "column#2"], id="space"),
    ],
)
def test_an_undeclared_name_is_shown_only_if_it_can_be_no_value(names: list[str], shown: list[str]) -> None:
    assert list(shown_names(names, ["id", "status"]).values()) == shown


def test_a_name_is_judged_as_it_is_in_the_file() -> None:
    assert shown_names(["id", "Ann_Case"], ["id"], {"Ann_Case": "Ann Case"})["Ann_Case"] == "column#2"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("statement_219-09-9991.csv", id="SSN after an underscore"),
        pytest.param("219-09-9991_statement.csv", id="SSN before an underscore"),
        pytest.param("call_212-555-0147_x.csv", id="phone number between underscores"),
        pytest.param("dt=2025-01-06/ann.lee@example.com.csv", id="e-mail address in a folder"),
    ],
)
def test_a_personal_value_in_the_name_of_a_file_is_redacted(name: str) -> None:
    shown = redacted(name)

    assert "[REDACTED:" in shown
    assert not any(value in shown for value in ("9991", "0147", "ann.lee"))


@pytest.mark.parametrize("name", ["orders_2025-01-06.csv", "run_20250107_0123-45-67.csv", "part-00001_2025_01_06.csv"])
def test_a_day_in_the_name_of_a_file_stays(name: str) -> None:
    assert redacted(name) == name


def test_fields_of_a_type_are_shown_as_columns_are() -> None:
    assert shown_type("struct<a:string,b:array<int>>") == "struct<a:string,b:array<int>>"
    assert shown_type("struct<ann@x.com:string>") == "struct<...>"
    assert shown_type("array<struct<12345:int>>") == "array<...>"
    declared = Schema.of([Column(name="c", type="struct<12345:int>")])
    found = Schema.of([*declared.columns, Column(name="ann@x.com"), Column(name="_file")])
    assert shown_schema(found, declared, ["_file"]).names == ("c", "column#2", "_file")
    assert shown_schema(found, declared).columns[0].type == "struct<12345:int>"


def test_files_and_folders_are_private_with_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private_folder(tmp_path / "new" / "folder")
        private_file(tmp_path / "new.db")
        (tmp_path / "old").mkdir(mode=0o777)
        (tmp_path / "drop").mkdir(mode=0o775)
        private_folder(tmp_path / "old")
        private_folder(tmp_path / "drop", group=True)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new/folder", "new.db", "old", "drop")]

    assert modes == [0o700, 0o600, 0o700, 0o770]


def test_a_folder_of_another_owner_is_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)

    with caplog.at_level(logging.WARNING):
        private_folder(tmp_path)
        private_folder(tmp_path)

    assert caplog.text.count("others may read") == 1
