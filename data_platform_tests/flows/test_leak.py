"""Personal values planted in one run are nowhere outside bronze and the landing: not in rows, names, logs or records.

Planted are good and bad rows, malformed lines, a header and JSON keys, enum columns, nested columns, odd spellings and
the name of a file, also where no PII rule is. Cases C50 and C51 are part of the run.
"""

import logging
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from data_platform.cli.run import run_selected
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform_tests.case import case_file
from data_platform_tests.flows.estate import Estate

RULES = [
    {"pattern": "EMAIL", "action": "tokenize"},
    {"pattern": "SSN", "action": "redact"},
    {"pattern": "PHONE", "action": "mask"},
]
NUMBERS = [
    {"pattern": "CREDIT_CARD", "action": "mask"},
    {"pattern": "IBAN", "action": "tokenize"},
    {"pattern": "IP_ADDRESS", "action": "redact"},
]
PERSONS = [
    {"pattern": "DATE_OF_BIRTH", "action": "mask"},
    {"pattern": "PERSON_NAME", "action": "tokenize"},
    {"pattern": "STREET_ADDRESS", "action": "drop"},
]
KINDS = "id,status,card,iban,birth_date,client_ip,first_name,street\n" + "\n".join((
    "1,OPEN,4111111111111111,DE89370400440532013000,1980-02-28,203.0.113.77,Wilhelmina,17 Larkspur Mews",
    "x,OPEN,5555-5555-5555-4444,GB82 WEST 1234 5698 7654 32,28.02.1981,203.0.113.78,Xanthippe,18 Larkspur Mews",
    "3,OPEN,30569309025904,FR1420041010050500013M02606,1982-03-29,198.51.100.7,Yolanthe,19 Larkspur Mews,one too many",
    "",
))  # fmt: skip
COLUMNS = [{"field": "id", "type": "INT", "nullable": False}, {"field": "status", "type": "STRING", "enum": ["OPEN"]}]
FRAGMENTS = [
    *("ursula.l", "uma.l", "vera.l", "yuri.l", "zoe.l", "nora.l", "otto.l", "pia.l", "quinn.l", "rosa.l", ".leak@"),
    *("219-09-999", "212-555", "3035550", "ann.case", "bob.case", "eve.case", "fay.case", "gus.case", "hal.case"),
    *("4111111111", "5555-5555", "30569309025", "6011-1111", "DE893704", "WEST 1234", "FR142004", "MT84MALT"),
    *("1980-02-28", "28.02.1981", "1982-03-29", "203.0.113.7", "198.51.100", "Wilhelmina", "Xanthippe", "Yolanthe"),
    *("Larkspur", "ina.case", "jo\u200b", "kim.case", "leo.case", "mia.case", "nat.case", "\uff11\uff12\uff13"),
]
"""Each identifies a planted value, and stands in nothing else."""
NAMES = ["VERA_LEAK", "QUINN_LEAK"]
"""Names of people that no rule finds: in quarantined rows they stay, since a row is kept, and stand nowhere else."""


def declare(estate: Estate, name: str, kind: str = "csv", **bundle: Any) -> None:
    estate.declare(
        f"ds://leak/{name}",
        {
            "schema": {"constraints": COLUMNS},
            "pii": {"detection": RULES},
            "contract_lite": {"min_compliance": 0},
            **bundle,
        },
        source={"format": kind, "path": name, "producer": "vendor-a"},
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[tuple[Estate, Platform, str]]:
    """One run of every dataset by Dagster, as ``data-platform run`` does it; and what it printed and logged."""
    estate = Estate(tmp_path_factory.mktemp("leak"), spark)
    for case in ("C50", "C51"):
        shutil.copytree(case_file(case, "policies"), estate.root / "policies", dirs_exist_ok=True)
        shutil.copytree(case_file(case, "landing"), estate.root / "landing", dirs_exist_ok=True)
    for name in ("named_file", "header", "headerless", "names"):
        declare(estate, name)
    declare(estate, "keys", "jsonl", pii={"detection": RULES + NUMBERS})
    texts = [{"field": name, "type": "STRING"} for name in KINDS.split("\n")[0].split(",")[2:]]
    declare(estate, "kinds", schema={"constraints": COLUMNS + texts}, pii={"detection": NUMBERS + PERSONS})
    estate.deliver("kinds", {"pay_6011-1111-1111-1117_DE89370400440532013000_198.51.100.9.csv": KINDS})
    estate.deliver("named_file", {"pia.leak@example.com.csv": "id,status\n1,OPEN\nx,phone: 3035550117\n"})
    header = "id,status,nora.leak@example.com,219-09-9991,MT84MALT011000012345MTLCAST001S\n"
    estate.deliver("header", {"a.csv": header + "1,OPEN,,,\nx,OPEN,,rosa.leak@example.com,\n"})
    estate.deliver("headerless", {"a.csv": "7,nora.leak@example.com\n8,rosa.leak@example.com\n"})
    estate.deliver("names", {"a.csv": "id,status\n1,VERA_LEAK\n2,QUINN_LEAK\n3,QUINN_LEAK\n4,OPEN\n"})
    keys = (
        '{"id": 1, "status": "OPEN", "otto.leak@example.com": "quinn.leak@example.com", '
        '"MT84MALT011000012345MTLCAST001S": "4111111111111111"}\n'
    )
    estate.deliver(
        "keys", {"a.jsonl": keys + '{"id": 2, "id": 3, "quinn.leak@example.com": 1}\n{"id": "rosa.leak@example.com"}\n'}
    )
    columns = {"schema": {"constraints": [{"field": "id", "type": "INT"}]}}
    source = {"format": "csv", "path": "unruled", "producer": "p"}
    estate.declare("ds://leak/unruled", columns, source=source)  # held at bronze, and nothing said of personal data
    estate.deliver("unruled", {"219-09-9998_uma.leak@example.com.csv": "id\nx\ny\n"})
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    platform = estate.platform()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(estate.root / "dagster"))
        printed = estate.root / "printed"
        patch.setattr("data_platform.cli.screen.out", lambda: _console(printed))
        run_selected(platform, ["*"], None, as_json=False, debug=False)
    logging.getLogger().removeHandler(handler)
    yield estate, platform, "\n".join(records)
    platform.close()


def _console(file: Path) -> Any:
    from rich.console import Console

    return Console(file=file.open("a"), width=400)


def written(root: Path) -> Iterator[tuple[Path, str]]:
    """Every file outside bronze and the landing, and the text in it; of Parquet the rows and names."""
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root).as_posix()
        if not path.is_file() or place.startswith(("landing/", "lake/bronze/", "policies/")):
            continue
        text = repr(pq.read_table(path).to_pylist()) if path.suffix == ".parquet" else ""
        yield path, path.name + text + path.read_bytes().decode("utf-8", errors="replace")


def test_no_planted_value_is_anywhere_outside_bronze_and_the_landing(ran: tuple[Estate, Platform, str]) -> None:
    estate, _, logged = ran
    found = [(path.name, part) for path, text in written(estate.root) for part in FRAGMENTS if part in text]
    told = [
        (path.name, name)
        for path, text in written(estate.root)
        if "quarantine" not in path.parts or "_delta_log" in path.parts
        for name in NAMES
        if name in text
    ]

    assert found == []
    assert told == []
    assert [part for part in (*FRAGMENTS, *NAMES) if part in logged] == []


def test_what_was_planted_did_go_through_every_stage(ran: tuple[Estate, Platform, str]) -> None:
    _, platform, _ = ran
    certified = {c.dataset_urn for c in platform.catalog.certifications.all() if c.version is not None}
    outcomes = {run.dataset_urn: run for run in platform.catalog.runs.recent(limit=1000) if run.stage is Stage.SILVER}

    assert {"ds://c50/nested_personal", "ds://c50/nested_named", "ds://c50/text_personal"} <= certified
    assert {"ds://c51/told_enum", "ds://c51/told_bad_type", "ds://leak/names", "ds://leak/named_file"} <= certified
    assert "ds://leak/kinds" in certified
    assert outcomes["ds://leak/kinds"].rows.quarantined == 2
    assert "ds://leak/headerless" not in certified
    assert outcomes["ds://c51/told_enum"].rows.quarantined == 5


def test_two_unknown_values_are_counted_separately(ran: tuple[Estate, Platform, str]) -> None:
    _, platform, _ = ran
    entry = next(e for e in platform.catalog.quarantine.entries("ds://leak/names"))

    assert sorted(count for name, count in entry.signatures.items() if name.startswith("UNKNOWN_ENUM:status:")) == [
        1,
        2,
    ]


def test_the_certified_rows_keep_what_is_nobodys(ran: tuple[Estate, Platform, str]) -> None:
    estate, _, _ = ran
    nested = estate.certified_rows("nested_personal")
    [kinds] = estate.certified_rows("kinds")
    texts = {row["id"]: row["payload"] for row in estate.certified_rows("text_personal")}

    assert all(row["contact"] is None or row["contact"]["email"].startswith("tok_v1_email_") for row in nested)
    assert (kinds["card"], kinds["birth_date"], kinds["street"]) == ("****-****-****-1111", "1980-**-**", None)
    assert (kinds["iban"][:12], kinds["first_name"][:19]) == ("tok_v1_iban_", "tok_v1_person_name_")
    assert texts[1].startswith('{"user":{"email":"tok_v1_email_')
    assert texts[10].count("tok_v1_email_") == 3
    assert {n for n, text in texts.items() if text.startswith("[REDACTED:")} == {2, 3, 4, 6, 7, 8, 9}


def test_raw_data_keys_and_records_are_for_their_owner_only(ran: tuple[Estate, Platform, str]) -> None:
    estate, _, _ = ran
    private = [
        "lake/bronze",
        "lake/quarantine",
        "pii.key",
        "evidence.key",
        "dagster",
        "catalog.db",
        "catalog.db-wal",
        "catalog.db-shm",
    ]
    modes = {
        name: stat.S_IMODE((estate.root / name).stat().st_mode) for name in private if (estate.root / name).exists()
    }

    assert {name for name, mode in modes.items() if mode & 0o077} == set()
    assert {"lake/bronze", "lake/quarantine", "pii.key", "evidence.key", "catalog.db", "dagster"} <= set(modes)
    assert not stat.S_IMODE((estate.root / "landing").stat().st_mode) & 0o007  # it was there, and keeps its group
