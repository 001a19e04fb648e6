"""Each case of the list is named by a test, and each folder of case data is in the list."""

import re

import pytest

from data_platform_tests.case import CASES

LISTED = [line.split(" ", 1)[0] for line in (CASES / "list.txt").read_text(encoding="utf-8").splitlines()]
TESTS = "\n".join(file.read_text(encoding="utf-8") for file in CASES.parent.rglob("test_*.py"))
NAMED = {word.upper() for word in re.findall(r"\b[Cc]\w+", TESTS)}


@pytest.mark.parametrize("case", LISTED)
def test_each_case_is_named_by_a_test(case: str) -> None:
    assert case in NAMED, f"no test names {case}"


def test_each_folder_of_case_data_is_listed_once() -> None:
    folders = {folder.name[:3] for folder in CASES.glob("C??_*")}

    assert len(LISTED) == len(set(LISTED))
    assert folders - set(LISTED) == set()
