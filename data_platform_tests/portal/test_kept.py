"""A page gets a kept value at once, a newer one follows, and no page waits longer than its limit."""

import threading

import pytest

from data_platform.api.problem import ProblemError
from data_platform.portal.kept import MOST_KEPT, Kept

LONG = 30.0


class Source:
    """Counts what is read, and answers once ``is_open`` is set."""

    def __init__(self) -> None:
        self.reads = 0
        self.time = 0.0
        self.is_open = threading.Event()
        self.is_open.set()
        self.has_begun = threading.Event()
        self.error: Exception | None = None

    def read(self, key: str) -> str:
        self.reads += 1
        number = self.reads
        self.has_begun.set()
        assert self.is_open.wait(LONG)
        if self.error is not None:
            raise self.error
        return f"{key} {number}"

    def kept(self, *, wait_seconds: float = LONG, serves_old: bool = True) -> Kept[str, str]:
        return Kept(
            self.read, kept_seconds=10, wait_seconds=wait_seconds, serves_old=serves_old, clock=lambda: self.time
        )


def wait_for(kept: Kept[str, str], value: str) -> None:
    for _ in range(2_000):
        if kept.get("a") == value:
            return
        threading.Event().wait(0.005)
    pytest.fail(f"{value} was never read")


def test_a_value_is_read_once_and_a_newer_one_in_the_background() -> None:
    source = Source()
    kept = source.kept()

    assert [kept.get("a"), kept.get("a"), kept.get("b")] == ["a 1", "a 1", "b 2"]
    source.time = 11
    source.is_open.clear()
    assert kept.get("a") == "a 1", "nobody waits for the newer one"
    source.is_open.set()
    wait_for(kept, "a 3")


def test_a_service_that_waits_for_its_first_value_has_it_for_the_first_page() -> None:
    source = Source()
    kept = source.kept(wait_seconds=0)

    kept.begin("a", wait_seconds=LONG)

    assert (kept.get("a"), source.reads) == ("a 1", 1)


def test_a_service_starts_although_its_first_value_takes_too_long() -> None:
    source = Source()
    kept = source.kept(wait_seconds=0)
    source.is_open.clear()

    kept.begin("a", wait_seconds=0.01)

    with pytest.raises(ProblemError, match="ask again"):
        kept.get("a")
    source.is_open.set()
    wait_for_first(kept)


def wait_for_first(kept: Kept[str, str]) -> None:
    kept.begin("a", wait_seconds=LONG)
    assert kept.get("a")


def test_an_old_value_is_not_served_where_pages_are_to_wait_for_a_newer_one() -> None:
    source = Source()
    kept = source.kept(serves_old=False)

    first = [kept.get("a"), kept.get("a")]
    source.time = 11

    assert [*first, kept.get("a")] == ["a 1", "a 1", "a 2"]


def test_an_old_value_is_better_than_none_if_the_newer_one_takes_too_long() -> None:
    source = Source()
    kept = source.kept(wait_seconds=0.01, serves_old=False)
    wait_for(kept, "a 1")
    source.time = 11
    source.is_open.clear()

    assert kept.get("a") == "a 1"
    source.is_open.set()


def test_a_page_does_not_wait_for_long_for_its_first_value() -> None:
    source = Source()
    kept = source.kept(wait_seconds=0.01)
    source.is_open.clear()

    with pytest.raises(ProblemError) as refused:
        kept.get("a")

    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})
    assert source.has_begun.wait(LONG)
    with pytest.raises(ProblemError):
        kept.get("a")
    source.is_open.set()
    assert Kept(source.read, kept_seconds=10, wait_seconds=LONG).get("a") == "a 2", "the first reading was not repeated"


def test_after_a_change_the_next_page_waits_for_a_newer_value() -> None:
    source = Source()
    kept = source.kept()
    kept.get("a")

    kept.forget()

    assert kept.get("a") == "a 2"


def test_what_was_being_read_during_a_change_is_read_again() -> None:
    source = Source()
    kept = source.kept()
    source.is_open.clear()
    kept.begin("a")

    kept.forget()
    source.is_open.set()

    wait_for(kept, "a 2")


def test_an_error_of_the_first_reading_is_raised_and_a_later_one_keeps_the_value() -> None:
    source = Source()
    source.error = OSError("no database")
    kept = source.kept()

    with pytest.raises(OSError, match="no database"):
        kept.get("a")
    source.error = None
    assert kept.get("a") == "a 2"
    source.error = OSError("no database")
    kept.forget()
    assert kept.get("a") == "a 2"


def test_few_values_are_kept() -> None:
    source = Source()
    kept = source.kept()
    for number in range(MOST_KEPT + 1):
        kept.get(str(number))

    assert kept.get("0") == f"0 {MOST_KEPT + 2}"


def test_without_keeping_each_page_reads_its_own() -> None:
    source = Source()
    kept = Kept(source.read, kept_seconds=0)

    assert [kept.get("a"), kept.get("a")] == ["a 1", "a 2"]
