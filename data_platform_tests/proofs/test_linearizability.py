"""The checker accepts what one register can do, and refuses each kind of history that no register has."""

import os
from pathlib import Path

import pytest

from data_platform_tests.proofs.linearizability import NEVER, Kind, NotLinearizableError, Operation, check
from data_platform_tests.proofs.porcupine_check import porcupine_accepts


def op(kind: Kind, invoked: int, returned: int, version: int, expected: int = 0) -> Operation:
    return Operation(client="c", kind=kind, invoked=invoked, returned=returned, version=version, expected=expected)


def read(invoked: int, returned: int, version: int) -> Operation:
    return op(Kind.READ, invoked, returned, version)


def wrote(invoked: int, returned: int, version: int, expected: int = 0) -> Operation:
    return op(Kind.WRITTEN, invoked, returned, version, expected)


GOOD = [
    pytest.param([], id="nothing"),
    pytest.param([read(1, 2, 0), wrote(3, 4, 7), read(5, 6, 7)], id="in turn"),
    pytest.param([wrote(1, 10, 7), read(2, 3, 0), read(4, 5, 7)], id="a write takes effect between two reads"),
    pytest.param([wrote(1, 10, 7), read(2, 9, 7), read(3, 9, 0)], id="reads that overlap see it or not"),
    pytest.param([wrote(1, 2, 5), wrote(3, 9, 8, 5), op(Kind.REFUSED, 4, 9, 6, 5)], id="one of two wins"),
    pytest.param([op(Kind.UNKNOWN, 1, NEVER, 7), read(5, 6, 0), read(8, 9, 7)], id="a killed write happened later"),
    pytest.param([op(Kind.UNKNOWN, 1, NEVER, 7), read(5, 6, 0)], id="a killed write never happened"),
    pytest.param(
        [op(Kind.UNKNOWN, 1, NEVER, 7), wrote(4, 5, 9, 7), read(6, 7, 9)], id="a killed write that others built on"
    ),
]
BAD = [
    pytest.param([wrote(1, 2, 7), read(3, 4, 0)], id="a stale read"),
    pytest.param([wrote(1, 9, 7), read(2, 3, 7), read(4, 5, 0)], id="a read that goes back during a write"),
    pytest.param([wrote(1, 2, 5), wrote(3, 4, 8, 5), read(5, 6, 5)], id="a read of the version before"),
    pytest.param([read(1, 2, 7), wrote(3, 4, 7)], id="a read before the write"),
    pytest.param([read(1, 2, 7)], id="a version that nobody wrote"),
    pytest.param([wrote(1, 2, 5), wrote(3, 4, 7, 5), wrote(5, 6, 8, 5)], id="a lost update"),
    pytest.param([wrote(1, 2, 5), wrote(3, 4, 7, 6)], id="a write on a version that was never there"),
    pytest.param([wrote(5, 6, 5), wrote(1, 2, 7, 5)], id="a write before the one that it follows"),
    pytest.param([wrote(1, 2, 5), op(Kind.REFUSED, 3, 4, 7, 5)], id="a refusal without a reason"),
    pytest.param(
        [wrote(1, 2, 5), op(Kind.REFUSED, 3, 4, 7, 5), wrote(5, 6, 8, 5)], id="a refusal because of a later write"
    ),
    pytest.param([op(Kind.UNKNOWN, 4, NEVER, 7), read(1, 3, 7)], id="a killed write that was read before it began"),
    pytest.param(
        [op(Kind.UNKNOWN, 1, NEVER, 7), read(2, 3, 7), read(4, 5, 0)], id="a killed write that was taken back"
    ),
]


@pytest.mark.parametrize("history", GOOD)
def test_what_one_register_can_do_is_accepted(history: list[Operation]) -> None:
    assert check(history) == len(
        {one.version for one in history if one.kind is Kind.WRITTEN}
        | {one.version for one in history if one.kind is Kind.READ and one.version}
        | {one.expected for one in history if one.expected}
    )


@pytest.mark.parametrize("history", BAD)
def test_what_no_register_does_is_refused(history: list[Operation]) -> None:
    with pytest.raises(NotLinearizableError):
        check(history)


@pytest.mark.skipif("TEST_PORCUPINE" not in os.environ, reason="needs Go and its module proxy")
def test_porcupine_agrees(tmp_path: Path) -> None:
    accepted = [porcupine_accepts(known.values[0], tmp_path) for known in (*GOOD, *BAD)]

    assert accepted == [True] * len(GOOD) + [False] * len(BAD)
