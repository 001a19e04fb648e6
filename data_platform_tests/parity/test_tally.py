"""A tally adds up the groups that Spark counted: keys with their rows on both sides, values with their differences."""

from data_platform.parity.tally import Group, Tally


def keys(outcome: int, count: int, legacy: float, new: float, *, position: int = -1) -> Group:
    return Group(
        position=position, outcome=outcome, rows=count, known=count, first_sum=legacy, second_sum=new,
        first_max=None, second_max=None,
    )  # fmt: skip


def values(outcome: int, count: int, differences: tuple[float, ...], relative: float | None) -> Group:
    return Group(
        position=3, outcome=outcome, rows=count, known=len(differences), first_sum=sum(differences) or None,
        second_sum=None, first_max=max(differences, default=None), second_max=relative,
    )  # fmt: skip


def test_keys_and_their_rows_are_counted_by_outcome() -> None:
    tally = Tally((keys(0, 5, 5.0, 5.0), keys(3, 2, 2.0, 0.0), values(1, 4, (0.5,), None)))

    assert (tally.keys(0), tally.keys(3), tally.keys(4)) == (5, 2, 0)
    assert (tally.rows(), tally.rows(3), tally.rows(4)) == ((7, 5), (2, 0), (0, 0))


def test_keys_that_a_side_has_several_times_are_counted_with_their_rows() -> None:
    only_legacy, only_new, both = (keys(5, 10 * n, 100.0 * n, 1000.0 * n, position=-1 - n) for n in (1, 2, 3))
    malformed = keys(7, 1, 9.0, 0.0, position=-2)  # many rows without a key are no duplicates

    tally = Tally((only_legacy, only_new, both, malformed))

    assert tally.several(5) == ((40, 400), (50, 5000))
    assert tally.keys(5) == 60


def test_the_mean_difference_is_that_of_all_outcomes() -> None:
    tally = Tally((values(1, 3, (0.5, 0.25), 0.125), values(2, 1, (4.25,), 2.0), values(3, 6, (), None)))

    assert tally.values(3) == {1: 3, 2: 1, 3: 6}
    assert tally.differences(3) == (4.25, 5.0 / 3, 2.0)


def test_values_that_all_were_equal_have_no_difference() -> None:
    tally = Tally((keys(0, 5, 5.0, 5.0),))

    assert tally.values(0) == {}
    assert tally.differences(0) == (None, None, None)
    assert Tally(()).rows() == (0, 0)
