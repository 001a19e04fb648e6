"""A small sample of the lab reaches its bars; ``make faultlab`` runs the whole."""

import json
from pathlib import Path
from typing import Any

import pytest

from data_platform.faultlab.estate import draw_estate
from data_platform.faultlab.fault import FAULTS, bad_deploy, no_cause, retyped_column
from data_platform.faultlab.file import NAMES, write_cases
from data_platform.faultlab.score import Score, figures, score
from data_platform.faultlab.trial import Bench, draw_case

SAMPLE, SIZE = 4242, 16


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(SAMPLE, SIZE, tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="module")
def sample(bench: Bench) -> Score:
    """Each fault once: every other one with the daemon down."""
    cases = [draw_case(bench.estate, fault, daemon=place % 2 == 0) for place, fault in enumerate(FAULTS)]
    return score({case.name: case.truth.document() for case in cases}, [bench.answer(case) for case in cases])


def test_the_sample_reaches_the_bars(sample: Score) -> None:
    assert sample.breach.value >= 0.99, sample.wrong
    assert sample.top1.value >= 0.9, sample.wrong
    assert sample.top3.value >= 0.98, sample.wrong
    assert sample.abstention.value >= 0.95, sample.wrong
    assert sample.one_incident.value == 1, sample.wrong
    assert sample.silence.value == 1, sample.wrong
    assert sample.top1.of == len(FAULTS) - 2
    assert sample.abstention.of > 1
    assert sum(sample.chance) / len(sample.chance) < 0.07


def test_a_case_is_drawn_the_same_each_time_and_knows_no_truth(bench: Bench) -> None:
    case = draw_case(bench.estate, retyped_column, daemon=True)

    again = draw_case(draw_estate(SAMPLE, SIZE), retyped_column, daemon=True)

    assert (again.records, again.truth, again.looks) == (case.records, case.truth, case.looks)
    recorded = json.dumps(case.records)
    assert not any(f'"{word}"' in recorded for word in (case.truth.fault, case.truth.cause, "truth", "affected"))


def test_two_estates_differ() -> None:
    assert draw_estate(1, SIZE).nodes != draw_estate(2, SIZE).nodes


def test_the_written_cases_have_their_truth_apart(tmp_path: Path) -> None:
    counts = write_cases([SAMPLE], SIZE, tmp_path)

    lines = {name: (tmp_path / f"{name}.jsonl").read_text().splitlines() for name in NAMES}
    assert counts == {name: len(listed) for name, listed in lines.items()}
    assert (counts["graphs"], counts["truth"]) == (SIZE, 2 * len(FAULTS))
    words = {key for name in NAMES[:3] for line in lines[name] for key in json.loads(line)}
    assert not words & {"fault", "cause", "shows_at", "affected", "breaches", "unrelated"}
    truths = [json.loads(line) for line in lines["truth"]]
    assert {truth["fault"] for truth in truths} == {fault.__name__ for fault in FAULTS}


def answer(truth: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The right answer to a case, but for ``changes`` of its incident."""
    right = {"cause": truth["cause"], "dataset": truth["dataset"], "deploy_ref": truth["deploy_ref"]}
    incident = {
        "datasets": truth["affected"], "severity": "CRITICAL", "has_cause": truth["cause"] is not None,
        "candidates": [right] if truth["cause"] else [], "considered": 4, **changes,
    }  # fmt: skip
    return {"case": "a case", "late": truth["breaches"], "incidents": [incident]}


@pytest.fixture
def truth(bench: Bench) -> dict[str, Any]:
    return draw_case(bench.estate, bad_deploy, daemon=False).truth.document()


def scored(truth: dict[str, Any], *answers: dict[str, Any]) -> Score:
    return score({"a case": truth}, answers)


def test_a_right_answer_has_every_point(truth: dict[str, Any]) -> None:
    found = scored(truth, answer(truth))

    assert found.wrong == []
    assert figures(found)["chance_top1"] == round(1 / 60, 4)


def test_a_wrong_first_candidate_may_be_right_among_three(truth: dict[str, Any]) -> None:
    right = answer(truth)["incidents"][0]["candidates"]
    other = {**right[0], "deploy_ref": "another"}

    second = scored(truth, answer(truth, candidates=[other, *right]))
    fourth = scored(truth, answer(truth, candidates=[other, other, other, *right]))

    assert (second.top1.value, second.top3.value) == (0, 1)
    assert (fourth.top1.value, fourth.top3.value) == (0, 0)


def test_two_incidents_of_one_cause_and_one_of_nothing_are_counted(truth: dict[str, Any]) -> None:
    twice = answer(truth)
    nothing = {
        "datasets": ["ds://lab/none"],
        "severity": "CRITICAL",
        "has_cause": False,
        "candidates": [],
        "considered": 1,
    }
    twice["incidents"] += [dict(twice["incidents"][0]), nothing]

    found = scored(truth, twice)

    assert (found.one_incident.value, found.silence.value) == (0, 0)


def test_a_cause_where_there_is_none_is_wrong(bench: Bench) -> None:
    truth = draw_case(bench.estate, no_cause, daemon=False).truth.document()

    guessed = scored(truth, answer(truth, has_cause=True, candidates=[{"cause": "JOB_FAILED", "dataset": "x"}]))

    assert (scored(truth, answer(truth)).abstention.value, guessed.abstention.value) == (1, 0)


def test_a_wrong_kind_of_lateness_is_wrong(truth: dict[str, Any]) -> None:
    late = {**answer(truth), "late": {**truth["breaches"], "ds://lab/none": "JOB_FAILED"}}

    assert scored(truth, late).breach.right == len(truth["breaches"])
    assert scored(truth, late).breach.of == len(truth["breaches"]) + 1
