"""A scan becomes part of the graph; the next one changes only what changed, and nothing that was there is lost."""

import pytest

from data_platform.catalog import Catalog
from data_platform.catalog.legacy_table import LEGACY_SCAN
from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import DATASET
from data_platform.errors import UsageError
from data_platform.legacy.mapping import JobMapping, LegacyMapping
from data_platform.model.freshness import Freshness
from data_platform.model.lineage import EdgeRole, NodeType
from data_platform.model.search import SearchRequest
from data_platform_tests.catalog.legacy.estate import Estate, jobs
from data_platform_tests.catalog.lineage.example import event, run_id, send
from data_platform_tests.legacy.example import scanned

PROCESS = NodeType.PROCESS
NIGHT = jobs("NIGHT: b", "EXTRACT in NIGHT:", "LOAD in NIGHT: s(EXTRACT)", "REPORT: s(LOAD) & n(AUDIT)", "AUDIT:")
ALL = {"AUTOSYS/NIGHT", "AUTOSYS/NIGHT/EXTRACT", "AUTOSYS/NIGHT/LOAD", "AUTOSYS/REPORT", "AUTOSYS/AUDIT"}
FULL = """\
insert_job: W job_type: f
watch_file: /in/gl.dat
insert_job: LOAD job_type: c
box_name: NIGHT
owner: ops@host
machine: m1
description: "loads the ledger"
command: load.sh --password hunter-Two
condition: s(W,12) & (f(X^PRD) | e(W) > 3)
date_conditions: 1
days_of_week: mo,tu
start_times: "21:30"
run_calendar: BANK
timezone: Europe/Berlin
must_complete_times: "23:00"
max_run_alarm: 45
insert_job: NIGHT job_type: b
"""


@pytest.fixture
def estate(catalog: Catalog) -> Estate:
    return Estate(catalog)


def test_a_job_is_a_process_with_all_its_jil_attributes(estate: Estate) -> None:
    estate.apply(FULL)

    job = estate.processes()["AUTOSYS/NIGHT/LOAD"]
    assert (job["namespace"], job["name"], job["technology"]) == ("AUTOSYS", "NIGHT/LOAD", "AUTOSYS")
    assert (job["team"], job["description"], job["trigger_mode"]) == ("ops@host", "loads the ledger", "PROCESS")
    facets = estate.facets("AUTOSYS/NIGHT/LOAD")
    assert facets["autosys_job"]["machines"] == ["m1"]
    assert facets["autosys_job"]["command"] == "load.sh --password ***"
    assert facets["autosys_schedule"] == {
        "active": True,
        "days": ["mo", "tu"],
        "start_times": ["21:30"],
        "run_calendar": "BANK",
        "time_zone": "Europe/Berlin",
    }
    assert facets["autosys_deadline"] == {
        "must_complete_times": ["23:00"],
        "time_zone": "Europe/Berlin",
        "max_run_minutes": 45,
    }


def test_edges_name_their_condition(estate: Estate) -> None:
    estate.apply(FULL)

    edges = estate.edges()
    waits = edges["TRIGGERS", "AUTOSYS/W", "AUTOSYS/NIGHT/LOAD"]
    assert waits["derived_from"] == "success(W,12.00) and (failure(X^PRD) or exitcode(W) > 3)"
    assert (waits["kind"], waits["latching"]) == ("s|e", True)
    assert waits["conditions"] == [
        {"kind": "s", "via": "condition", "latching": True, "look_back_minutes": 720},
        {"kind": "e", "via": "condition", "latching": True, "comparison": "> 3"},
    ]
    assert edges["TRIGGERS", "AUTOSYS/X^PRD", "AUTOSYS/NIGHT/LOAD"]["conditions"][0]["instance"] == "PRD"
    assert edges["CONTAINS", "AUTOSYS/NIGHT", "AUTOSYS/NIGHT/LOAD"] == {"derived_from": "box_name"}
    assert edges["CONSUMES", "ds://legacy/in_gl", "AUTOSYS/W"] == {"derived_from": "watch_file"}
    assert edges["CONSUMES", "ds://legacy/in_gl", "AUTOSYS/NIGHT/LOAD"] == {"derived_from": "after_watcher"}
    assert len(edges) == 5
    [dataset] = estate.rows(DATASET)
    assert (dataset["full_name"], dataset["status"], dataset["created_by"]) == (
        "ds://legacy/in_gl",
        "DRAFT",
        "legacy scan",
    )


def test_a_mapping_gives_datasets_team_and_deadline(estate: Estate) -> None:
    fresh = Freshness(expected_update_by="06:00 ET daily", grace_period="30m")
    job = JobMapping(job="LOAD", inputs=("ds://a/in",), outputs=("ds://a/out",), team="ledger", freshness=fresh)

    estate.apply(NIGHT, mapping=LegacyMapping(jobs=(job,)))

    assert estate.processes()["AUTOSYS/NIGHT/LOAD"]["team"] == "ledger"
    assert estate.facets("AUTOSYS/NIGHT/LOAD")["autosys_deadline"] == {
        "expected_update_by": "06:00 ET daily",
        "grace_period": "30m",
    }
    assert ("PRODUCES", "AUTOSYS/NIGHT/LOAD", "ds://a/out") in estate.edges()
    assert ("CONSUMES", "ds://a/in", "AUTOSYS/NIGHT/LOAD") in estate.edges()


def test_impact_follows_conditions_to_jobs_and_their_datasets(estate: Estate) -> None:
    mapping = LegacyMapping(jobs=(JobMapping(job="REPORT", outputs=("ds://a/report",)),))
    estate.apply(NIGHT, mapping=mapping)

    assert estate.reached("AUTOSYS/NIGHT/EXTRACT") == {
        "AUTOSYS/NIGHT",
        "AUTOSYS/NIGHT/LOAD",
        "AUTOSYS/REPORT",
        "ds://a/report",
    }


def test_the_same_scan_twice_changes_nothing(estate: Estate) -> None:
    assert estate.apply(NIGHT, FULL.replace("LOAD", "LOAD2").replace("NIGHT", "NIGHT2")).stored
    before = estate.everything()

    again = estate.apply(NIGHT, FULL.replace("LOAD", "LOAD2").replace("NIGHT", "NIGHT2"))

    assert not again.stored
    assert again.difference.is_empty
    log = {"legacy_scan_log", "legacy_sighting"}  # that the jobs were seen again is new
    after = estate.everything()
    assert {name: rows for name, rows in after.items() if name not in log} == {
        name: rows for name, rows in before.items() if name not in log
    }


def test_a_job_that_moves_within_its_file_changes_no_process(estate: Estate) -> None:
    estate.apply(NIGHT)
    before, revision = estate.processes(), estate.revision()

    assert estate.apply("/* a new comment */\n\n" + NIGHT).difference.is_empty

    assert estate.processes() == before
    assert estate.revision() == revision


def test_a_change_is_of_the_changed_job_alone(estate: Estate) -> None:
    estate.apply(NIGHT)
    before, revision = estate.processes(), estate.revision()

    applied = estate.apply(NIGHT.replace("s(EXTRACT)", "f(EXTRACT)"))

    assert [change.new.name for change in applied.difference.changed] == ["LOAD"]
    after = estate.processes()
    assert {key for key in after if after[key] != before[key]} == {"AUTOSYS/NIGHT/LOAD"}
    assert after["AUTOSYS/NIGHT/LOAD"]["updated_at"] == estate.now
    assert estate.edges()["TRIGGERS", "AUTOSYS/NIGHT/EXTRACT", "AUTOSYS/NIGHT/LOAD"]["kind"] == "f"
    assert estate.revision() > revision


def test_what_a_person_decided_survives_a_change(estate: Estate) -> None:
    estate.apply(NIGHT)
    estate.catalog.registry.save_process(
        "AUTOSYS/AUDIT", description="", team="ops@host", technology="AUTOSYS", trigger_mode="HYBRID", now=estate.now
    )

    estate.apply(NIGHT + "\ndescription: new\n")

    audit = estate.processes()["AUTOSYS/AUDIT"]
    assert (audit["trigger_mode"], audit["description"]) == ("HYBRID", "new")


def test_a_deleted_job_is_retired_with_its_edges_and_comes_back(estate: Estate) -> None:
    estate.apply(NIGHT)
    before, edges = estate.processes(), estate.edges()

    estate.apply(NIGHT + "\ndelete_job: LOAD\n")

    assert estate.live() == ALL - {"AUTOSYS/NIGHT/LOAD"}
    assert estate.processes()["AUTOSYS/NIGHT/LOAD"]["retired_at"] == estate.now
    assert len(estate.edges(retired=True)) == 3
    assert estate.reached("AUTOSYS/NIGHT/EXTRACT") == {"AUTOSYS/NIGHT"}

    estate.apply(NIGHT)

    assert estate.live() == ALL
    assert estate.edges() == edges
    assert estate.processes()["AUTOSYS/NIGHT/LOAD"]["process_id"] == before["AUTOSYS/NIGHT/LOAD"]["process_id"]
    assert estate.reached("AUTOSYS/NIGHT/EXTRACT") == {"AUTOSYS/NIGHT", "AUTOSYS/NIGHT/LOAD", "AUTOSYS/REPORT"}


def test_a_process_page_has_the_condition_with_its_parentheses(estate: Estate) -> None:
    estate.apply(jobs("A:", "B:", "C:", "LAST: (s(A) | s(B)) & s(C)"))

    said = estate.catalog.lineage.process_page("AUTOSYS/LAST").facets["autosys_job"]

    assert said["condition"] == "(success(A) or success(B)) and success(C)"
    assert (said["trees"]["condition"]["op"], said["trees"]["condition"]["of"][0]["op"]) == ("and", "or")


def test_a_job_lists_its_scans_while_it_is_retired_and_once_it_is_back(estate: Estate) -> None:
    def seen() -> list[tuple[int, int]]:
        found = estate.catalog.lineage.process("AUTOSYS/NIGHT/LOAD").seen
        return [(one.first_scan, one.last_scan) for one in found]

    estate.apply(NIGHT)
    estate.apply(NIGHT)
    estate.apply(NIGHT + "\ndelete_job: LOAD\n")
    gone = seen()
    estate.apply(NIGHT)

    assert gone == [(1, 2)]
    assert seen() == [(4, 4), (1, 2)]


def test_a_job_that_comes_back_in_another_box_is_the_same_job(estate: Estate) -> None:
    estate.apply(NIGHT)
    number = estate.processes()["AUTOSYS/NIGHT/LOAD"]["process_id"]
    estate.apply(NIGHT + "\ndelete_job: LOAD\n")

    estate.apply(NIGHT.replace("insert_job: LOAD job_type: c\nowner: ops@host\nbox_name: NIGHT", "insert_job: LOAD"))

    assert estate.processes()["AUTOSYS/LOAD"]["process_id"] == number
    assert "AUTOSYS/NIGHT/LOAD" not in estate.processes()
    assert "AUTOSYS/LOAD" in estate.live()


@pytest.mark.parametrize(
    ("more", "key"),
    [
        pytest.param("update_job: LOAD\nbox_name: OTHER", "AUTOSYS/OTHER/LOAD", id="another box"),
        pytest.param("update_job: LOAD\nbox_name: \n", "AUTOSYS/LOAD", id="no box"),
        pytest.param("rename_job: LOAD\nnew_name: LOAD_2", "AUTOSYS/NIGHT/LOAD_2", id="another name"),
        pytest.param("rename_job: NIGHT\nnew_name: DAY", "AUTOSYS/DAY/LOAD", id="its box has another name"),
    ],
)
def test_a_job_keeps_its_row_and_history_under_another_key(estate: Estate, more: str, key: str) -> None:
    text = NIGHT + "\n" + jobs("OTHER: b")
    estate.apply(text)
    was = estate.processes()["AUTOSYS/NIGHT/LOAD"]
    job = {"namespace": "AUTOSYS", "name": "NIGHT/LOAD"}
    send(estate.catalog, event() | {"job": job})

    estate.apply(f"{text}\n{more}\n")

    now = estate.processes()[key]
    assert (now["process_id"], now["created_at"]) == (was["process_id"], was["created_at"])
    assert now["process_key"] == f"{now['namespace']}/{now['name']}"
    assert "AUTOSYS/NIGHT/LOAD" not in estate.processes()
    assert len(estate.catalog.lineage.process_runs(key).items) == 1
    assert estate.catalog.registry.search(SearchRequest(text=now["name"])).hits[0].full_name == key


def test_reports_go_to_the_job_that_has_the_name_now(estate: Estate) -> None:
    """The catalog remembers keys of processes between reports; a scan makes what it remembers old."""
    estate.apply(NIGHT)
    first = {"namespace": "AUTOSYS", "name": "AUDIT"}
    send(estate.catalog, event(run=run_id(1)) | {"job": first})
    estate.apply(NIGHT + "\nrename_job: AUDIT\nnew_name: CHECK\n")

    send(
        estate.catalog,
        event(run=run_id(2)) | {"job": {"namespace": "AUTOSYS", "name": "CHECK"}},
        event(run=run_id(3)) | {"job": first},
    )

    assert len(estate.catalog.lineage.process_runs("AUTOSYS/CHECK").items) == 2
    assert len(estate.catalog.lineage.process_runs("AUTOSYS/AUDIT").items) == 1  # a job that no scan has any more


def test_runs_that_were_reported_under_the_new_name_before_the_scan_are_the_jobs(estate: Estate) -> None:
    estate.apply(NIGHT)
    kept = estate.processes()["AUTOSYS/AUDIT"]["process_id"]
    send(estate.catalog, event(run=run_id(2)) | {"job": {"namespace": "AUTOSYS", "name": "CHECK"}})

    estate.apply(NIGHT + "\nrename_job: AUDIT\nnew_name: CHECK\n")

    assert estate.processes()["AUTOSYS/CHECK"]["process_id"] == kept
    assert {row["process_id"] for row in estate.rows(PROCESS_RUN)} == {kept}
    assert len(estate.processes()) == len(ALL) + 1  # the row that the report made is set aside, not deleted


def test_the_name_of_a_retired_job_may_be_reused(estate: Estate) -> None:
    estate.apply(NIGHT)
    retired = estate.processes()["AUTOSYS/AUDIT"]["process_id"]
    estate.apply(NIGHT + "\ndelete_job: AUDIT\n")

    estate.apply(NIGHT + "\ndelete_job: AUDIT\nrename_job: REPORT\nnew_name: AUDIT\n")

    rows = estate.processes()
    assert rows["AUTOSYS/AUDIT"]["process_id"] != retired
    assert rows[f"AUTOSYS/AUDIT~{retired}"]["retired_at"] is not None


def test_a_process_that_only_reports_named_before_is_taken_over(estate: Estate) -> None:
    send(estate.catalog, event() | {"job": {"namespace": "AUTOSYS", "name": "AUDIT"}})
    [known] = estate.processes().values()

    estate.apply(NIGHT)

    audit = estate.processes()["AUTOSYS/AUDIT"]
    assert (audit["process_id"], audit["technology"], audit["team"]) == (known["process_id"], "AUTOSYS", "ops@host")


def test_an_edge_that_a_run_reported_stays_without_the_scan(estate: Estate) -> None:
    reads = LegacyMapping(jobs=(JobMapping(job="AUDIT", inputs=("ds://a/in", "ds://a/other")),))
    estate.apply(NIGHT, mapping=reads)
    told = {"job": {"namespace": "AUTOSYS", "name": "AUDIT"}, "inputs": [{"namespace": "ds://a", "name": "in"}]}
    send(estate.catalog, event() | told)

    estate.apply(NIGHT)

    assert ("CONSUMES", "ds://a/in", "AUTOSYS/AUDIT") in estate.edges()
    assert ("CONSUMES", "ds://a/other", "AUTOSYS/AUDIT") in estate.edges(retired=True)


def test_an_edge_that_the_scan_retired_is_live_again_if_a_run_reports_it(estate: Estate) -> None:
    reads = LegacyMapping(jobs=(JobMapping(job="AUDIT", inputs=("ds://a/in",)),))
    told = {"job": {"namespace": "AUTOSYS", "name": "AUDIT"}, "inputs": [{"namespace": "ds://a", "name": "in"}]}
    estate.apply(NIGHT, mapping=reads)
    estate.apply(NIGHT)
    assert ("CONSUMES", "ds://a/in", "AUTOSYS/AUDIT") in estate.edges(retired=True)

    send(estate.catalog, event() | told)

    assert ("CONSUMES", "ds://a/in", "AUTOSYS/AUDIT") in estate.edges()


def test_a_draft_that_no_scan_names_is_deprecated_and_a_declared_dataset_is_left_alone(estate: Estate) -> None:
    writes = LegacyMapping(jobs=(JobMapping(job="AUDIT", outputs=("ds://a/draft", "ds://a/known")),))
    estate.catalog.registry.save_dataset(
        "ds://a/known", table="known", owner_team="t", tier="TIER_1", description="", policy_fingerprint="f",
        now=estate.now,
    )  # fmt: skip
    states = []
    for mapping in (writes, LegacyMapping(), writes):
        estate.apply(NIGHT, mapping=mapping)
        states.append({row["full_name"]: row["status"] for row in estate.rows(DATASET)})

    assert [state["ds://a/draft"] for state in states] == ["DRAFT", "DEPRECATED", "DRAFT"]
    assert [state["ds://a/known"] for state in states] == ["ACTIVE"] * 3


def test_a_scan_without_most_jobs_is_refused_until_it_is_meant(estate: Estate) -> None:
    estate.apply(NIGHT)
    before = estate.everything()

    with pytest.raises(UsageError, match="3 of 5 known jobs are in none of these files"):
        estate.apply(jobs("REPORT:", "AUDIT:"))

    assert estate.everything() == before
    estate.apply(jobs("REPORT:", "AUDIT:"), retire_many=True)
    assert estate.live() == {"AUTOSYS/REPORT", "AUTOSYS/AUDIT"}


def test_a_name_that_no_index_takes_is_refused_and_nothing_stored(estate: Estate) -> None:
    with pytest.raises(UsageError, match="at most 2000: give the job a shorter name"):
        estate.apply(NIGHT, jobs("X" * 2001 + ":"))

    assert estate.rows(LEGACY_SCAN) == []
    assert estate.processes() == {}


def test_each_applied_scan_is_kept_and_audited(estate: Estate) -> None:
    estate.apply(NIGHT)
    estate.apply(NIGHT + "\ndelete_job: AUDIT\n")
    estate.apply(NIGHT + "\ndelete_job: AUDIT\n")

    newest, oldest = estate.catalog.access.audit(subject="AUTOSYS").items
    assert (newest.actor, newest.action, newest.detail["retired"]) == ("ann", "legacy.scan", 1)
    assert oldest.detail["added"] == 5
    assert estate.catalog.legacy.last_scan() == scanned(NIGHT + "\ndelete_job: AUDIT\n")


def test_a_search_finds_the_texts_of_a_job(estate: Estate) -> None:
    estate.apply(FULL)

    found = estate.catalog.registry.search(SearchRequest(text="ledger"))

    assert [hit.full_name for hit in found.hits] == ["AUTOSYS/NIGHT/LOAD"]


NIGHTLY = jobs(
    "FEED:",
    "NIGHT: b",
    "FIRST in NIGHT:",
    "SECOND in NIGHT: s(FIRST)",
    "OTHER in NIGHT:",
    "INNER in NIGHT: b",
    "DEEP in INNER:",
    "AFTER: s(NIGHT)",
    "LATER: s(AFTER)",
)


def waiting_for_feed(text: str) -> str:
    """The box waits for FEED, which the short form cannot express."""
    return text.replace("insert_job: NIGHT job_type: b", "insert_job: NIGHT job_type: b\ncondition: s(FEED)")


@pytest.mark.parametrize(
    ("start", "hit"),
    [
        ("AUTOSYS/NIGHT/FIRST", {"AUTOSYS/NIGHT/SECOND", "AUTOSYS/NIGHT", "AUTOSYS/AFTER", "AUTOSYS/LATER"}),
        ("AUTOSYS/INNER/DEEP", {"AUTOSYS/NIGHT/INNER", "AUTOSYS/NIGHT", "AUTOSYS/AFTER", "AUTOSYS/LATER"}),
        ("AUTOSYS/AFTER", {"AUTOSYS/LATER"}),
        (
            "AUTOSYS/FEED",
            {
                "AUTOSYS/NIGHT",
                "AUTOSYS/NIGHT/FIRST",
                "AUTOSYS/NIGHT/SECOND",
                "AUTOSYS/NIGHT/OTHER",
                "AUTOSYS/NIGHT/INNER",
                "AUTOSYS/INNER/DEEP",
                "AUTOSYS/AFTER",
                "AUTOSYS/LATER",
            },
        ),
    ],
)
def test_a_job_hits_who_waits_for_its_box_and_not_the_others_in_it(estate: Estate, start: str, hit: set[str]) -> None:
    estate.apply(waiting_for_feed(NIGHTLY))

    assert estate.reached(start) == hit


def test_the_way_through_a_box_names_it_once(estate: Estate) -> None:
    estate.apply(waiting_for_feed(NIGHTLY))

    lineage = estate.catalog.lineage
    hits = {hit.node.name: hit for hit in lineage.impact("AUTOSYS/FEED", kind=PROCESS, limit=99).hits.items}
    assert hits["AUTOSYS/AFTER"].path == ("AUTOSYS/FEED", "AUTOSYS/NIGHT", "AUTOSYS/AFTER")
    assert hits["AUTOSYS/AFTER"].depth == 2
    up = {
        hit.node.name: hit.path
        for hit in lineage.impact("AUTOSYS/AFTER", kind=PROCESS, direction="upstream").hits.items
    }
    assert up["AUTOSYS/FEED"] == ("AUTOSYS/AFTER", "AUTOSYS/NIGHT", "AUTOSYS/FEED")
    assert up["AUTOSYS/INNER/DEEP"] == ("AUTOSYS/AFTER", "AUTOSYS/NIGHT", "AUTOSYS/NIGHT/INNER", "AUTOSYS/INNER/DEEP")


def test_upstream_of_a_job_is_what_starts_its_box_and_not_the_others_in_it(estate: Estate) -> None:
    estate.apply(waiting_for_feed(NIGHTLY))

    up = estate.catalog.lineage.impact("AUTOSYS/NIGHT/SECOND", kind=PROCESS, direction="upstream")
    assert {hit.node.name for hit in up.hits.items} == {"AUTOSYS/NIGHT/FIRST", "AUTOSYS/NIGHT", "AUTOSYS/FEED"}


def test_a_drawn_graph_shows_a_box_round_its_jobs(estate: Estate) -> None:
    estate.apply(waiting_for_feed(NIGHTLY))

    drawn = estate.catalog.lineage.graph("AUTOSYS/NIGHT", kind=PROCESS, depth=1)
    roles = {(edge.source, edge.target): edge.role for edge in drawn.edges}
    assert roles["AUTOSYS/NIGHT", "AUTOSYS/NIGHT/FIRST"] is EdgeRole.CONTAINS
    assert roles["AUTOSYS/NIGHT", "AUTOSYS/AFTER"] is EdgeRole.TRIGGERS
    assert ("AUTOSYS/NIGHT/FIRST", "AUTOSYS/NIGHT") not in roles
