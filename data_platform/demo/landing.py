"""Deliveries to a landing folder: the good days, and four bad days with a different failure each.

``land`` also repairs a day: it replaces the day's deliveries. On a bad day only the flights are bad, which shows which
datasets depend on them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from data_platform.demo.booking import booking_rows
from data_platform.demo.history import airline_rows, airport_rows, flight_rows, plane_rows, weather_rows
from data_platform.demo.parcel import MANIFEST, Parcel, csv_content, send, total
from data_platform.demo.registry import plane_content

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from data_platform.demo.history import Row

FLIGHT_PRODUCER = "ops-flight-export"
_AIRPORT_NUMBERS = {"lat": float, "lon": float, "alt": int, "tz": int}


def days() -> tuple[date, ...]:
    """The good days."""
    return (date(2013, 1, 1), date(2013, 1, 2), date(2013, 1, 3))


def land(root: Path, day: date) -> None:
    """Delivers complete and correct flights, weather and bookings of ``day``, and replaces earlier deliveries."""
    send(_flights(flight_rows(day)), _flight_folder(root, day))
    _land_others(root, day)


def land_without_marker(root: Path, day: date) -> None:
    """Delivers the day as ``land`` does, without the manifest of its weather, which is the completion marker."""
    land(root, day)
    (root / "weather" / str(day) / MANIFEST).unlink()


def land_references(root: Path) -> None:
    """Delivers airlines, airports and planes, each complete."""
    airlines, airports, planes = airline_rows(), airport_rows(), plane_rows()
    send(
        Parcel(file="airlines.csv", content=csv_content(airlines), records=len(airlines), producer="carrier-registry"),
        root / "airlines",
    )
    send(
        Parcel(
            file="airports.jsonl",
            content=_airport_content(airports),
            records=len(airports),
            producer="airport-registry",
        ),
        root / "airports",
    )
    send(
        Parcel(file="planes.parquet", content=plane_content(planes), records=len(planes), producer="aircraft-registry"),
        root / "planes",
    )


@dataclass(frozen=True, kw_only=True)
class BadDay:
    """A bad day, with a description for the demo's output; ``expected`` is the expected result."""

    day: date
    title: str
    what_happened: str
    expected: str
    certifies: bool
    deliver: Callable[[Path, date], None]

    def land(self, root: Path) -> None:
        self.deliver(root, self.day)


def land_retyped(root: Path, day: date) -> None:
    """Each distance is text with its unit. The sender cannot sum it, so the manifest has no control total."""
    rows = [{**row, "distance": f"{row['distance']} miles"} for row in flight_rows(day)]
    send(_flights(rows, summed=False), _flight_folder(root, day))
    _land_others(root, day)


def land_unknown_carrier(root: Path, day: date) -> None:
    """One flight in a hundred has carrier ZZ, which is not in the list of airlines."""
    rows = [row if place % 100 else {**row, "carrier": "ZZ"} for place, row in enumerate(flight_rows(day))]
    send(_flights(rows), _flight_folder(root, day))
    _land_others(root, day)


def land_cut_off(root: Path, day: date) -> None:
    """The second half of the file is missing; its last line ends within its third field."""
    parcel = _flights(flight_rows(day))
    last_line = parcel.content.rindex(b"\n", 0, len(parcel.content) // 2) + 1
    send(parcel, _flight_folder(root, day), arrived=parcel.content[: last_line + len("2013-01-06,1525,15")])
    _land_others(root, day)


def land_broken_rows(root: Path, day: date) -> None:
    """Twelve negative distances, three delays of 69 days, and a line that is no flight but counts as a record."""
    rows = [dict(row) for row in flight_rows(day)]
    departed = [row for row in rows if row["dep_delay"]]
    for row in departed[10:130:10]:
        row["distance"] = f"-{row['distance']}"
    for row in departed[15:45:10]:
        row["dep_delay"] = "99999"
    parcel = _flights(rows)
    lines = parcel.content.splitlines(keepends=True)
    lines.insert(len(lines) // 2, b"export resumed after a lost connection\n")
    send(replace(parcel, content=b"".join(lines), records=parcel.records + 1), _flight_folder(root, day))
    _land_others(root, day)


BAD_DAYS = (
    BadDay(
        day=date(2013, 1, 4),
        title="A column changes its type",
        what_happened="An export was changed, and every distance is now '1400 miles' instead of 1400.",
        expected="G3_SCHEMA holds the day at bronze: SCHEMA_BREAK:distance:INT→STRING. Consumers keep the day before.",
        certifies=False,
        deliver=land_retyped,
    ),
    BadDay(
        day=date(2013, 1, 5),
        title="An unknown carrier",
        what_happened="One flight in a hundred has carrier ZZ. Each row by itself is valid.",
        expected="Silver passes; G4_CONTRACT holds the whole day at gold: ZZ is not a certified airline.",
        certifies=False,
        deliver=land_unknown_carrier,
    ),
    BadDay(
        day=date(2013, 1, 6),
        title="A delivery is cut off",
        what_happened="The transfer broke in the middle of the file, but the sending job ended with exit code 0.",
        expected="G1_RESOLUTION holds the day before a row is read: the file is shorter than in its manifest.",
        certifies=False,
        deliver=land_cut_off,
    ),
    BadDay(
        day=date(2013, 1, 7),
        title="A few rows are wrong",
        what_happened="Twelve distances are negative, three delays are 69 days long, and one line is not a flight.",
        expected="Silver quarantines these sixteen rows with reasons; over 95% are good, so the day is certified.",
        certifies=True,
        deliver=land_broken_rows,
    ),
)
"""In order; all are later than the good days."""


def _flights(rows: Sequence[Row], *, summed: bool = True) -> Parcel:
    return Parcel(
        file="flights.csv",
        content=csv_content(rows),
        records=len(rows),
        producer=FLIGHT_PRODUCER,
        control_totals={"distance": total(rows, "distance")} if summed else {},
    )


def _flight_folder(root: Path, day: date) -> Path:
    return root / "flights" / str(day)


def _land_others(root: Path, day: date) -> None:
    weather, bookings = weather_rows(day), booking_rows(day)
    send(
        Parcel(file="weather.csv", content=csv_content(weather), records=len(weather), producer="airport-weather-feed"),
        root / "weather" / str(day),
    )
    send(
        Parcel(
            file="bookings.csv",
            content=csv_content(bookings),
            records=len(bookings),
            producer="booking-engine",
            control_totals={"fare_usd": total(bookings, "fare_usd")},
        ),
        root / "bookings" / str(day),
    )


def _airport_content(rows: Sequence[Row]) -> bytes:
    """JSON lines; a missing value is null."""
    objects = [
        {name: _AIRPORT_NUMBERS.get(name, str)(value) if value else None for name, value in row.items()} for row in rows
    ]
    return "".join(json.dumps(item) + "\n" for item in objects).encode()
