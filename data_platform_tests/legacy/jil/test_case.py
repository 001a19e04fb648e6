"""The files of the cases C38 and C40 are read as expected."""

from typing import Any

import pytest

from data_platform.legacy.jil.condition import State
from data_platform.legacy.jil.cycle import cycles
from data_platform.legacy.jil.grammar import parse_condition
from data_platform.model.legacy import ConditionEdge, LegacyProcess, LegacyScan
from data_platform.model.legacy_coverage import Concern
from data_platform_tests.legacy.example import expected, jobs, pairs, scanned_case, told
from data_platform_tests.legacy.jil.test_condition import tree

LEXICAL = expected("C38")
ESTATES = {
    name: expected("C40", f"{name[0]}_expected.json") for name in ("a_finance_autorep_style", "b_claims_handwritten")
}


@pytest.fixture(params=ESTATES)
def estate(request: pytest.FixtureRequest) -> tuple[LegacyScan, dict[str, Any]]:
    return scanned_case("C40", f"{request.param}.jil"), ESTATES[request.param]


@pytest.mark.parametrize("name", ["lexical.jil", "lexical_crlf_bom.jil", "lexical_utf16.jil"])
def test_the_same_jobs_are_read_from_each_encoding(name: str) -> None:
    found = scanned_case("C38", name)

    assert {p.name: [p.kind, p.box] for p in found.processes} == LEXICAL["jobs"]
    assert pairs(found) == {tuple(edge) for edge in LEXICAL["edges"]}


def test_each_value_is_what_was_meant() -> None:
    known = jobs(scanned_case("C38", "lexical.jil"))

    values = {name: _value(known, name) for name in LEXICAL["attributes"]}

    assert values == LEXICAL["attributes"]


def test_what_was_not_understood_is_named_with_its_line() -> None:
    found = scanned_case("C38", "lexical.jil")

    gaps = [(gap.line, gap.concern, gap.subject) for gap in found.coverage.gaps]
    assert gaps == [
        (36, Concern.JOB_TYPE, "LX_07.job_type"),
        (38, Concern.ATTRIBUTE, "LX_07.frobnicate"),
        (40, Concern.TEXT, ""),
    ]
    assert ("frobnicate", "1") in jobs(found)["LX_07"].attributes


def test_typographic_quotes_are_removed_and_reported() -> None:
    found = scanned_case("C38", "smart_quotes.jil")

    schedule = jobs(found)["SQ_01"].schedule
    assert schedule is not None
    assert list(schedule.start_times) == LEXICAL["smart_quotes.jil"]["SQ_01"]["start_times"]
    assert jobs(found)["SQ_01"].description == "Weekly backup – level 0"
    assert len(told(found, Concern.ENCODING)) == 2


def test_no_secret_is_anywhere_in_the_scan() -> None:
    found = scanned_case("C38", "secrets.jil")

    assert len(LEXICAL["secrets_must_not_appear"]) == 5
    assert [secret for secret in LEXICAL["secrets_must_not_appear"] if secret in repr(found)] == []
    assert all(word in repr(found.processes) for word in LEXICAL["must_stay"])
    assert len(told(found, Concern.SECRET)) == 4


def test_a_broken_job_costs_its_neighbours_nothing() -> None:
    found = scanned_case("C38", "broken.jil")

    assert [p.name for p in found.processes] == LEXICAL["broken.jil"]["jobs"]
    assert pairs(found) == {("BR_01", "BR_03")}
    assert len(found.coverage.gaps) >= LEXICAL["broken.jil"]["warnings_at_least"]
    assert ("condition", "s(BR_01) & (") in jobs(found)["BR_02"].attributes


def test_an_estates_jobs_are_as_they_are_defined(estate: tuple[LegacyScan, dict[str, Any]]) -> None:
    found, wanted = estate

    assert [_told(p, set(job)) for p, job in zip(found.processes, wanted["jobs"], strict=True)] == [
        {key: value for key, value in job.items() if key != "box_depth"} for job in wanted["jobs"]
    ]
    assert found.coverage.gaps == ()


def test_an_estates_boxes_hold_their_jobs_in_order(estate: tuple[LegacyScan, dict[str, Any]]) -> None:
    found, wanted = estate

    assert {box: list(members) for box, members in found.boxes.items()} == wanted["boxes"]
    assert [_depth(found, job["name"]) for job in wanted["jobs"]] == [job["box_depth"] for job in wanted["jobs"]]


def test_an_estates_edges_are_what_its_conditions_ask(estate: tuple[LegacyScan, dict[str, Any]]) -> None:
    found, wanted = estate

    assert [_edge(e) for e in found.edges] == wanted["edges"]
    assert sorted(pairs(found)) == sorted(tuple(edge) for edge in wanted["distinct_edges"])
    assert {e.upstream_job for e in found.edges if e.dangling} == set(wanted["dangling_references"])
    assert {e.instance for e in found.edges if e.external} == set(wanted["external_instances"])


def test_an_estates_conditions_are_the_trees_that_they_are(estate: tuple[LegacyScan, dict[str, Any]]) -> None:
    found, wanted = estate

    trees = {
        p.name: {f"{via}_ast": tree(parse_condition(text)) for via, text in _conditions(p).items()}
        for p in found.processes
        if _conditions(p)
    }
    # a look-back is written in one form; the case has it as it stood
    assert _without_raw(trees) == _without_raw(wanted["condition_asts"])
    assert {p.name: list(p.condition_globals) for p in found.processes if p.condition_globals} == wanted[
        "globals_in_conditions"
    ]


def test_jobs_that_take_turns_are_no_deadlock(estate: tuple[LegacyScan, dict[str, Any]]) -> None:
    found, wanted = estate

    assert [list(names) for names in found.blocking_cycles] == wanted["cycles_blocking"]
    assert [list(names) for names in cycles(pairs(found))] == wanted["cycles_all_condition_edges"]


@pytest.mark.parametrize("estate", ["a_finance_autorep_style"], indirect=True)
def test_only_a_state_of_the_moment_does_not_latch(estate: tuple[LegacyScan, dict[str, Any]]) -> None:
    found, _ = estate

    assert {e.state for e in found.edges if not e.latching} == {State.NOTRUNNING}
    assert {e.state for e in found.edges if e.latching} == {"success", "failure", "done", "terminated", "exitcode"}


def _value(known: dict[str, LegacyProcess], name: str) -> Any:
    job, _, key = name.partition(".")
    process = known[job]
    if key == "machine":
        return ", ".join(process.machines)
    if key == "start_times":
        assert process.schedule is not None
        return list(process.schedule.start_times)
    return getattr(process, key)


def _told(process: LegacyProcess, keys: set[str]) -> dict[str, Any]:
    """A process as the case writes it; ``keys`` are those that the case writes of this job."""
    clock = process.schedule
    every = {
        "name": process.name,
        "job_type": process.kind,
        "box": process.box,
        "command": process.command or None,
        "machine": ", ".join(process.machines) or None,
        "owner": process.owner or None,
        "description": process.description or None,
        "watch_file": process.watch_file or None,
        "date_conditions": bool(clock and clock.active),
        "days_of_week": list(clock.days) if clock else [],
        "start_times": list(clock.start_times) if clock else [],
        "start_mins": [str(minute) for minute in clock.start_minutes] if clock else [],
        "timezone": clock and clock.time_zone,
        "run_calendar": clock and clock.run_calendar,
        "exclude_calendar": clock and clock.exclude_calendar,
        "run_window": clock and clock.run_window,
    }
    return {key: value for key, value in every.items() if key in keys or value not in (None, [])}


def _depth(found: LegacyScan, name: str) -> int:
    known = jobs(found)
    box = known[name].box
    return 0 if box is None else 1 + _depth(found, box)


def _edge(edge: ConditionEdge) -> dict[str, Any]:
    return {
        "from": edge.upstream_job,
        "from_instance": edge.instance,
        "to": edge.downstream_job,
        "type": edge.state,
        "via": edge.via,
        "lookback_minutes": edge.look_back_minutes,
        "lookback_special": edge.look_back,
        "external": edge.external,
        "dangling": edge.dangling,
    }


def _conditions(process: LegacyProcess) -> dict[str, str]:
    said = {"condition": process.condition, "box_success": process.box_success, "box_failure": process.box_failure}
    return {via: text for via, text in said.items() if text is not None}


def _without_raw(trees: Any) -> Any:
    if isinstance(trees, dict):
        return {key: _without_raw(value) for key, value in trees.items() if key != "lookback_raw"}
    return trees
