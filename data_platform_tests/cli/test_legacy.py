"""``legacy scan`` shows jobs, findings and a summary, without Spark or a catalog."""

from pathlib import Path

import pytest

from data_platform.catalog import open_catalog
from data_platform_tests.cli.shop import Shop

JIL = """\
insert_job: BOX job_type: b
date_conditions: 1
days_of_week: mo,tu
start_times: "21:30"
insert_job: W job_type: f
box_name: BOX
watch_file: /in/gl.dat
insert_job: LOAD job_type: c
box_name: BOX
command: isql -U u -P Example-Pw1
frob: 1
condition: s(W) & s(GONE^PRD)
"""


@pytest.fixture
def jil(tmp_path: Path) -> str:
    path = tmp_path / "estate.jil"
    path.write_text(JIL)
    return str(path)


def test_people_see_jobs_findings_and_a_summary(shop: Shop, jil: str) -> None:
    result = shop.run("legacy", "scan", jil)

    assert result.exit_code == 0
    jobs, findings, summary = result.stdout.split("\n\n")
    assert [line.split()[0] for line in jobs.splitlines()[1:]] == ["AUTOSYS/BOX", "AUTOSYS/BOX/W", "AUTOSYS/BOX/LOAD"]
    assert "mo, tu 21:30" in jobs
    assert "success(W) and success(GONE^PRD)" in jobs
    assert f"{jil}:11" in findings
    assert "LOAD.frob" in findings
    assert summary.splitlines() == [
        "3 jobs: 1 command, 1 box, 1 file watcher",
        "2 dependencies: 1 on other instances, 0 on jobs that no file has",
        "1 dataset: 0 named by mapping files, the rest by their paths",
        "3 statements in 12 lines of 1 file",
        "11 attributes were read, 0 kept as they are, 1 unknown; 1 thing not understood",
    ]
    assert "Example-Pw1" not in result.output
    assert "\x1b" not in result.output


def test_a_program_sees_one_json_document(shop: Shop, jil: str) -> None:
    document = shop.json("legacy", "scan", jil)

    assert [process["key"] for process in document["processes"]] == ["AUTOSYS/BOX", "AUTOSYS/BOX/W", "AUTOSYS/BOX/LOAD"]
    assert document["boxes"] == {"BOX": ["W", "LOAD"]}
    assert document["coverage"]["statements"] == {"insert_job": 3}
    assert document["coverage"]["gaps"] == 1
    assert {edge["state"] for edge in document["edges"]} == {"success"}
    assert "Example-Pw1" not in str(document)


def test_a_tree_shows_the_boxes(shop: Shop, jil: str) -> None:
    lines = shop.run("legacy", "scan", jil, "--tree").stdout.splitlines()

    assert lines[:3] == ["▣ BOX  at 21:30", "├─ [FW] W", "└─ LOAD  when success(W) and success(GONE^PRD)"]


def test_mappings_are_taken_from_the_policies_or_from_a_folder_that_is_named(shop: Shop, jil: str) -> None:
    for folder, urn in ((shop.root / "policies" / "legacy", "ds://a/b"), (shop.root / "other", "ds://c/d")):
        folder.mkdir()
        (folder / "map.yaml").write_text(f'watch_files: [{{pattern: "/in/*", dataset: "{urn}"}}]\n')

    [known] = shop.json("legacy", "scan", jil)["datasets"]
    [named] = shop.json("legacy", "scan", jil, "--mapping", str(shop.root / "other"))["datasets"]

    assert (known["urn"], known["mapped"]) == ("ds://a/b", True)
    assert named["urn"] == "ds://c/d"


def test_a_file_that_is_named_twice_is_read_once_and_the_order_is_kept(shop: Shop, jil: str, tmp_path: Path) -> None:
    other = tmp_path / "a.jil"
    other.write_text("update_job: LOAD\nmachine: m\n")

    document = shop.json("legacy", "scan", jil, str(other), jil)

    assert document["coverage"]["files"] == [jil, str(other)]
    assert document["processes"][2]["machines"] == ["m"]


def test_an_empty_file_is_reported_as_empty(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "empty.jil").write_text("")

    result = shop.run("legacy", "scan", str(tmp_path / "empty.jil"))

    assert result.exit_code == 0
    assert "0 jobs: none" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("none.jil", "."), "none.jil cannot be read: No such file", id="no such file"),
        pytest.param(("none.jil", "."), ". is a folder; name its files", id="and a folder, told together"),
        pytest.param((), "Missing argument", id="no file"),
        pytest.param(("README.md", "--mapping", "none"), "none is no folder", id="no such folder of mappings"),
    ],
)
def test_wrong_use_is_2(shop: Shop, arguments: tuple[str, ...], said: str) -> None:
    result = shop.run("legacy", "scan", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert said in shop.json("legacy", "scan", *arguments, exit_code=2)["error"]


def test_an_applied_scan_is_in_the_catalog_and_the_next_one_reports_changes(shop: Shop, jil: str) -> None:
    first = shop.run("legacy", "scan", jil, "--apply")
    again = shop.run("legacy", "scan", jil, "--apply")
    Path(jil).write_text(JIL.replace("command: isql", "command: osql") + "delete_job: W\n")
    changed = shop.run("legacy", "scan", jil, "--apply")

    assert first.exit_code == again.exit_code == changed.exit_code == 0, first.output
    assert ["added", "AUTOSYS/BOX/LOAD"] in [line.split() for line in first.stdout.splitlines()]
    assert first.stdout.splitlines()[-1].startswith("applied: 3 jobs added; 0 changed")
    assert "nothing was written, 3 jobs are unchanged" in again.stdout
    rows = [line.split() for line in changed.stdout.splitlines()]
    assert ["changed", "AUTOSYS/BOX/LOAD", "command"] in rows
    assert ["retired", "AUTOSYS/BOX/W", "no", "longer", "in", "any", "file"] in rows
    with open_catalog(f"sqlite:///{shop.root / 'home' / 'catalog.db'}") as catalog:
        assert catalog.lineage.process_page("AUTOSYS/BOX/W").process.retired_at is not None
        kept = str(catalog.legacy.last_scan())
    assert "Example-Pw1" not in kept + first.output + changed.output


def test_a_job_that_vanished_is_shown_with_the_scan_that_had_it_last(shop: Shop, jil: str) -> None:  # C39
    for text in (JIL, JIL + "\n/* nothing new */\n", JIL + "delete_job: W\n", JIL + "delete_job: W\n"):
        Path(jil).write_text(text)
        assert shop.run("legacy", "scan", jil, "--apply").exit_code == 0
    gone, stays = (shop.json("catalog", "show", f"AUTOSYS/BOX/{job}")["process"] for job in ("W", "LOAD"))
    lines = [" ".join(line.split()) for line in shop.run("catalog", "show", "AUTOSYS/BOX/W").stdout.splitlines()]

    [seen], [still] = gone["seen"], stays["seen"]
    assert (seen["first_scan"], seen["last_scan"]) == (1, 2)
    assert (still["first_scan"], still["last_scan"]) == (1, 4)
    assert gone["retired_at"] > seen["last_at"] > seen["first_at"]
    assert stays["retired_at"] is None
    assert f"last seen scan 2, {seen['last_at'][:19].replace('T', ' ')} (UTC)" in lines
    assert "seen in scans 1 to 2" in lines
    assert any(line.startswith("retired ") for line in lines)


def test_the_difference_is_json_too(shop: Shop, jil: str) -> None:
    document = shop.json("legacy", "scan", jil, "--apply")

    assert document["applied"]["stored"] is True
    assert document["applied"]["difference"]["added"][0]["key"] == "AUTOSYS/BOX"
    assert "applied" not in shop.json("legacy", "scan", jil)


def test_most_jobs_missing_is_wrong_use(shop: Shop, jil: str) -> None:
    shop.run("legacy", "scan", jil, "--apply")
    Path(jil).write_text("insert_job: BOX job_type: b\n")

    refused = shop.run("legacy", "scan", jil, "--apply")
    alone = shop.run("legacy", "scan", jil, "--retire-many")
    meant = shop.run("legacy", "scan", jil, "--apply", "--retire-many")

    assert (refused.exit_code, alone.exit_code, meant.exit_code) == (2, 2, 0)
    assert "2 of 3 known jobs are in none of these files" in refused.stderr


def test_a_scan_is_written_as_a_mapping_file_and_the_same_again(shop: Shop, jil: str) -> None:
    folder = shop.root / "policies" / "legacy"
    folder.mkdir()
    file = folder / "estate.yaml"

    first = shop.run("legacy", "scan", jil, "--declare", str(file))
    written = file.read_bytes()
    again = shop.json("legacy", "scan", jil, "--declare", str(file))

    assert f"declared: 1 watched file and 2 jobs in {file}" in first.stdout
    assert again["declared"] == {"watch_files": 1, "jobs": 2}
    assert file.read_bytes() == written
    assert b"Example-Pw1" not in written
    assert shop.run("validate", "--no-spark").exit_code == 0
    assert [path.name for path in folder.iterdir()] == ["estate.yaml"]


def test_a_file_that_people_wrote_is_left_as_it_is(shop: Shop, jil: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("jobs: []\n")

    refused = shop.run("legacy", "scan", jil, "--declare", str(mine))
    wrong = shop.run("legacy", "scan", jil, "--declare", str(tmp_path / "x.json"))

    assert (refused.exit_code, wrong.exit_code) == (2, 2)
    assert "was not written by --declare" in refused.output
    assert mine.read_text() == "jobs: []\n"
