"""A last row of real data is not taken for a trailer in small files, and trailers of the usual forms are."""

from decimal import Decimal
from random import Random

import pytest

from data_platform.ingestion.formats.csv.trailer import LastRecord
from data_platform.ingestion.formats.csv.undeclared_trailer import looks_like_trailer

KINDS = ("running", "number", "small", "amount", "code", "flag", "text")
Rows = list[tuple[str, ...]]


def column(random: Random, kind: str, rows: int) -> list[str]:
    start, most = random.choice([0, 1, 100]), random.choice([1, 2, 5, 9])
    values = {
        "running": lambda place: str(start + place),
        "number": lambda _: str(random.randint(0, 100)),
        "small": lambda _: str(random.randint(0, most)),
        "amount": lambda _: f"{random.randint(1, 10 * most)}.{random.choice(['00', '50'])}",
        "code": lambda _: random.choice("ABCEFTZ"),
        "flag": lambda _: random.choice("TF"),
        "text": lambda _: f"w{random.randint(0, 99)}",
    }
    return [values[kind](place) for place in range(rows)]


def table(random: Random, share_of_empty: float = 0.0) -> Rows:
    """Two to twenty rows of two to six columns, among them many of small numbers and of letters of trailers."""
    rows = random.randint(2, 20)
    columns = [column(random, random.choice(KINDS), rows) for _ in range(random.randint(2, 6))]
    cells = [["" if random.random() < share_of_empty else cell for cell in one] for one in columns]
    return list(zip(*cells, strict=True))


def is_held(rows: Rows) -> bool:
    last = LastRecord(line=len(rows) + 1, fields=rows[-1], rows=tuple(rows[:-1]), is_whole=True)
    return looks_like_trailer(last, len(rows[0]))


@pytest.mark.parametrize("share_of_empty", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("is_first_empty", [True, False])
def test_the_last_row_of_a_small_table_is_a_row(share_of_empty: float, is_first_empty: bool) -> None:
    random = Random(20250106)  # noqa: S311
    tables = [table(random, share_of_empty) for _ in range(2_000)]
    if is_first_empty:
        tables = [[*rows[:-1], ("", *rows[-1][1:])] for rows in tables]

    assert [rows for rows in tables if is_held(rows)] == []


@pytest.mark.parametrize(
    "trailer",
    [
        pytest.param("T,{count},{total}", id="a letter, the count and the sum"),
        pytest.param("T,{count},", id="a letter and the count"),
        pytest.param("Total,,{total}", id="a word and the sum"),
        pytest.param(",,{total}", id="the sum and nothing else"),
        pytest.param("99,{count:06},{total}", id="a number, the count with zeros, and the sum"),
    ],
)
def test_a_trailer_behind_any_rows_is_noticed(trailer: str) -> None:
    random = Random(20250106)  # noqa: S311
    for _ in range(300):
        amounts = [f"{random.randint(1, 999)}.{random.randint(0, 99):02}" for _ in range(random.randint(3, 20))]
        rows = [(str(10_000 + place), f"w{place}", amount) for place, amount in enumerate(amounts)]
        end = trailer.format(count=len(rows), total=sum(map(Decimal, amounts)))

        assert is_held([*rows, tuple(end.split(","))])


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["1,1.00,x", "2,2.00,y", ",3.00,z"], id="the amounts 1, 2 and 3"),
        pytest.param(["a,1,1", "b,1,2", ",2,3"], id="two columns of small numbers"),
        pytest.param(["5,0,0", "6,4,0", "7,0,0", ",4,0"], id="a single value among zeros"),
        pytest.param(["0,1.00,x", "1,2.00,y", "2,3.00,"], id="ids from 0, the last one equal to the count"),
        pytest.param(["M,3,9.00", "F,2,1.00"], id="F for female, and a small number"),
        pytest.param(["x,F,1", "y,T,2", ",T,3"], id="true and false, and a running number"),
        pytest.param(["sum,1,a", "avg,2,b", "sum,3,c"], id="the name of an aggregate that was there before"),
        pytest.param(["1,5", "2,7", ",12"], id="two columns, without a key"),
    ],
)
def test_a_row_with_numbers_of_a_trailer_by_chance_is_a_row(lines: list[str]) -> None:
    assert not is_held([tuple(line.split(",")) for line in lines])
