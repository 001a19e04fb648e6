"""The lab of faults on the command line: cases for other tools, and the score of their answers."""

import json
from pathlib import Path

import pytest

from data_platform_tests.cli.shop import Shop

SEED = ("--seeds", "31", "--datasets", "8")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.fixture
def cases(shop: Shop, tmp_path: Path) -> Path:
    shop.run("faultlab", "write", str(tmp_path / "cases"), *SEED)
    return tmp_path / "cases"


def right_answers(cases: Path) -> list[dict[str, object]]:
    """What somebody would answer who knows the truth."""
    answers = []
    for line in (cases / "truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        candidates = [{name: truth[name] for name in ("cause", "dataset", "deploy_ref")}] if truth["cause"] else []
        incident = {
            "datasets": truth["affected"], "severity": "CRITICAL", "has_cause": truth["cause"] is not None,
            "candidates": candidates, "considered": 3,
        }  # fmt: skip
        incidents = [incident] if truth["affected"] else []
        answers.append({"case": truth["case"], "late": truth["breaches"], "incidents": incidents})
    return answers


def write_answers(cases: Path, answers: list[dict[str, object]]) -> Path:
    file = cases / "answers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in answers))
    return file


def test_the_written_cases_have_four_files(shop: Shop, tmp_path: Path) -> None:
    counts = shop.json("faultlab", "write", str(tmp_path / "cases"), *SEED)

    lines = {file.stem: len(file.read_text().splitlines()) for file in (tmp_path / "cases").iterdir()}
    assert lines == counts
    assert set(counts) == {"graphs", "events", "evidence", "truth"}
    assert min(counts.values()) > 0


def test_right_answers_have_every_point_and_a_wrong_one_is_named(shop: Shop, cases: Path) -> None:
    answers = right_answers(cases)
    truth = str(cases / "truth.jsonl")

    right = shop.json("faultlab", "score", truth, str(write_answers(cases, answers)))
    answers[0]["late"] = {"ds://lab/none": "JOB_FAILED"}
    wrong = shop.json("faultlab", "score", truth, str(write_answers(cases, answers)), "--wrong")

    assert {right[name]["share"] for name in ("breach_type", "root_cause_top1", "abstention")} == {1.0}
    assert wrong["breach_type"]["right"] < wrong["breach_type"]["of"]
    assert f"{answers[0]['case']}: ds://lab/none is late by None, answered JOB_FAILED" in wrong["wrong"]


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        pytest.param('{"case": "1-none-up"}\n', "has an answer to the case '1-none-up'", id="no such case"),
        pytest.param("[1]\n", "answers.jsonl:1 is no JSON object with a case", id="no case"),
        pytest.param("{\n", "answers.jsonl:1 is no JSON object with a case", id="no JSON"),
    ],
)
def test_answers_that_cannot_be_compared_are_wrong_use(shop: Shop, cases: Path, answers: str, problem: str) -> None:
    (cases / "answers.jsonl").write_text(answers)

    found = shop.json("faultlab", "score", str(cases / "truth.jsonl"), str(cases / "answers.jsonl"), exit_code=2)

    assert problem in found["error"]


def test_a_fault_and_seeds_that_do_not_exist_are_named(shop: Shop, tmp_path: Path) -> None:
    assert "there is no fault 'fire'" in shop.json("faultlab", "run", "--fault", "fire", exit_code=2)["error"]
    assert "are no seeds" in shop.json("faultlab", "write", str(tmp_path / "x"), "--seeds", "a-b", exit_code=2)["error"]
