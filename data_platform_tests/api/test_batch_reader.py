"""Questions of many requests are one transaction; each gets its own answer, or the error."""

import asyncio
import threading

import pytest

from data_platform.api import batch_reader as module
from data_platform.api.batch_reader import BatchReader


class Recorded:
    """Has the even numbers. Records which were requested in one batch, and answers when it is released."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.go = threading.Event()

    def __call__(self, numbers: list[int]) -> set[int]:
        self.groups.append(numbers)
        assert self.go.wait(60)
        if 13 in numbers:
            raise LookupError("nobody knows 13")
        return {number for number in numbers if number % 2 == 0}


async def ask(ask: Recorded, *rounds: list[int]) -> list[bool | BaseException]:
    """Each round is asked while the one before is being answered."""
    reader, tasks = BatchReader(ask), []
    for number, asked in enumerate(rounds, 1):
        tasks += [asyncio.create_task(reader.is_member(one)) for one in asked]
        while len(ask.groups) < min(number, 1):
            await asyncio.sleep(0.001)
    ask.go.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_requests_during_a_read_are_answered_by_one_read() -> None:
    catalog = Recorded()

    answers = asyncio.run(ask(catalog, [0], [1, 2, 3, 2], [4]))

    assert answers == [True, False, True, False, True, True]
    assert catalog.groups == [[0], [1, 2, 3, 2, 4]]


def test_an_error_is_raised_for_the_requests_of_that_read() -> None:
    catalog = Recorded()

    answers = asyncio.run(ask(catalog, [2], [13, 4]))

    assert answers[0] is True
    assert [type(answer) for answer in answers[1:]] == [LookupError] * 2


def test_one_who_goes_away_takes_no_other_answer_with_it() -> None:
    catalog = Recorded()

    async def leave() -> bool:
        reader = BatchReader(catalog)
        gone = asyncio.create_task(reader.is_member(2))
        stays = asyncio.create_task(reader.is_member(4))
        await asyncio.sleep(0.01)
        gone.cancel()
        catalog.go.set()
        return await stays and await reader.is_member(6)

    assert asyncio.run(leave())


def test_a_group_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    catalog = Recorded()

    assert asyncio.run(ask(catalog, [0], [1, 2, 3])) == [True, False, True, False]
    assert [len(group) for group in catalog.groups] == [1, 2, 1]
