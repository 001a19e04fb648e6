"""The chosen versions of a group are the latest ones of which none shows a day that another member lacks."""

from datetime import UTC, datetime
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.model.group_choice import Standing, choose, missing
from data_platform.model.partition_key import PartitionKey
from data_platform.model.publication import Candidate, GroupMember

NOW = datetime(2026, 2, 15, tzinfo=UTC)
ONE, TWO, THREE = (PartitionKey(f"2026-02-0{number}") for number in (1, 2, 3))


def candidate(urn: str, number: int, *slices: PartitionKey | None) -> Candidate:
    return Candidate(
        dataset_urn=urn, group="g", partition=slices[0], run_id=f"run_{number}", path=urn, version=number, base=None,
        slices=slices, rows=1, schema_fingerprint="", policy_fingerprint="", judged_under="", delivery_id="",
        started_at=NOW, ready_at=NOW, number=number,
    )  # fmt: skip


def standing(
    urn: str,
    *candidates: tuple[PartitionKey | None, ...],
    certified: tuple[PartitionKey, ...] = (),
    held: tuple[PartitionKey | None, ...] = (),
    refused: tuple[int, ...] = (),
    first: PartitionKey | None = None,
) -> Standing:
    """``candidates`` are the slices of each; ``refused`` are places among them, from 1."""
    made = tuple(candidate(urn, 100 * ord(urn) + n, *slices) for n, slices in enumerate(candidates, start=1))
    return Standing(
        member=GroupMember(urn=urn, path=urn, judged_under="", first=first),
        candidates=made,
        certified=frozenset(certified),
        held=dict.fromkeys(held, "run_x"),
        refused={made[n - 1].number: "is refused" for n in refused},
    )


def reasons(standings: list[Standing], urn: str) -> list[str]:
    """For whom each version of a member waits."""
    found = missing(standings, choose(standings))
    own = next(one for one in standings if one.member.urn == urn)
    return [
        ", ".join(f"{m.dataset_urn} {m.partition or ''}: {m.reason}" for m in found[c.number])
        for c in own.candidates
        if c.number in found
    ]


@pytest.mark.parametrize(
    ("standings", "shown"),
    [
        pytest.param([standing("a", (ONE,)), standing("b")], {"a": 0, "b": 0}, id="the first to arrive waits"),
        pytest.param([standing("a", (ONE,)), standing("b", (ONE,))], {"a": 1, "b": 1}, id="the last one completes it"),
        pytest.param(
            [standing("a", (ONE,), (TWO,)), standing("b", (ONE,))], {"a": 1, "b": 1}, id="a later day still waits"
        ),
        pytest.param(
            [standing("a", (TWO,), (ONE,)), standing("b", (ONE,))], {"a": 0, "b": 0}, id="a version has both days"
        ),
        pytest.param(
            [standing("a", (ONE,), (TWO,)), standing("b", (TWO,), held=(ONE,))],
            {"a": 0, "b": 0},
            id="a held day keeps later days",
        ),
        pytest.param(
            [standing("a", (ONE,)), standing("b", certified=(ONE,))], {"a": 1, "b": 0}, id="an older day anew"
        ),
        pytest.param(
            [standing("a", (ONE,)), standing("b", certified=(ONE,), held=(ONE,))],
            {"a": 0, "b": 0},
            id="an older day anew, which was held in another",
        ),
        pytest.param(
            [standing("a", (ONE,)), standing("b", first=TWO)], {"a": 1, "b": 0}, id="before the first day of a member"
        ),
        pytest.param(
            [standing("a", (ONE,), refused=(1,)), standing("b", (ONE,))], {"a": 0, "b": 0}, id="a refused version"
        ),
        pytest.param(
            [standing("a", (ONE,), (TWO,), refused=(1,)), standing("b", (ONE,), (TWO,))],
            {"a": 2, "b": 2},
            id="a later version has the rows of a refused one",
        ),
        pytest.param(
            [standing("a", (ONE,), (TWO,), refused=(1,)), standing("b", (ONE,))],
            {"a": 0, "b": 0},
            id="a later version has the rows of a refused one, and a day too many",
        ),
        pytest.param([standing("a", (None,)), standing("b")], {"a": 0, "b": 0}, id="without days: one of two"),
        pytest.param([standing("a", (None,)), standing("b", (None,))], {"a": 1, "b": 1}, id="without days: both"),
    ],
)
def test_the_latest_versions_that_belong_together_are_shown(standings: list[Standing], shown: dict[str, int]) -> None:
    assert choose(standings) == shown


def test_a_version_that_waits_names_the_members_it_waits_for() -> None:
    standings = [
        standing("a", (ONE,), (TWO,), (THREE,)),
        standing("b", (TWO,), held=(ONE,)),
        standing("c", (ONE,), (TWO,), refused=(2,)),
    ]

    assert reasons(standings, "a") == [
        f"b {ONE}: was held in run_x",
        f"c {TWO}: is refused",
        f"b {THREE}: has not passed yet, c {THREE}: has not passed yet",
    ]


def test_a_member_whose_version_has_another_day_too_is_named_as_waiting() -> None:
    standings = [standing("a", (ONE,)), standing("b", (TWO,), (ONE,))]

    assert reasons(standings, "a") == [f"b {ONE}: has passed, in a version that waits for another day"]


days = st.sampled_from([ONE, TWO, THREE])


@st.composite
def members(draw: st.DrawFn) -> list[Standing]:
    found = []
    for urn in draw(st.sampled_from(["ab", "abc"])):
        slices = draw(st.lists(st.lists(days, min_size=1, max_size=2, unique=True).map(tuple), max_size=4))
        refused = draw(st.sets(st.integers(1, max(len(slices), 1)), max_size=2)) if slices else set()
        found.append(
            standing(
                urn,
                *slices,
                certified=tuple(draw(st.sets(days))),
                held=tuple(draw(st.sets(days, max_size=1))),
                refused=tuple(refused),
                first=draw(st.sampled_from([None, None, TWO])),
            )
        )
    return found


def may_be_shown(standings: list[Standing], counts: tuple[int, ...]) -> bool:
    """By the definition: no version is refused, and each day that one shows has passed for all."""
    for one, count in zip(standings, counts, strict=True):
        if count and one.candidates[count - 1].number in one.refused:
            return False
        for day in one.slices(count):
            for other, shown in zip(standings, counts, strict=True):
                has = day in other.slices(shown) or day in other.certified
                if other.member.covers(day) and (day in other.held or not has):
                    return False
    return True


@given(members())
def test_no_later_set_may_be_shown_than_the_chosen_one(standings: list[Standing]) -> None:
    chosen = tuple(choose(standings).values())

    allowed = [
        counts
        for counts in product(*(range(len(one.candidates) + 1) for one in standings))
        if may_be_shown(standings, counts)
    ]

    assert chosen in allowed
    assert all(all(mine <= best for mine, best in zip(counts, chosen, strict=True)) for counts in allowed)


@given(members())
def test_each_version_that_is_not_shown_has_a_reason(standings: list[Standing]) -> None:
    counts = choose(standings)

    found = missing(standings, counts)

    waiting = [c.number for one in standings for c in one.candidates[counts[one.member.urn] :]]
    assert sorted(found) == sorted(waiting)
    assert all(found.values())
