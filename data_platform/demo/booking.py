"""Bookings of passengers who do not exist, on flights that did.

Names are invented, mail addresses end in example.com or example.org, and telephone numbers are in the range 555-0100
to 555-0199, which is reserved for fiction. Social security numbers have a valid format, or no detector would find
them; all have the area 899, the last one.

Every value comes from a seeded random generator: the same day has the same bookings, byte for byte.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING

from data_platform.demo.history import Row, flight_rows

if TYPE_CHECKING:
    from datetime import date

PASSENGERS = 600
"""So few that many fly twice in a week, which shows that tokens can be joined."""

_FIRST = (
    "Ada", "Bruno", "Chidi", "Dana", "Emre", "Fatima", "Goran", "Hana", "Ivo", "Jun", "Kaya", "Luz", "Mina",
    "Noor", "Olu", "Priya", "Quinn", "Rosa", "Sven", "Tariq",
)  # fmt: skip
_LAST = (
    "Applewhistle", "Brindlemoor", "Cobblewick", "Dapplefen", "Emberlough", "Fernquill", "Gorsebottom", "Hazelrook",
    "Inkbarrow", "Juniperholt", "Kettlebrook", "Larkspindle", "Mossgather", "Nettlecombe", "Oatfeather",
)  # fmt: skip
_AREA_CODES = ("201", "212", "646", "718", "917", "973")
_PHONE_FORMS = ("{}-555-{}", "({}) 555-{}", "+1 {} 555 {}", "{}.555.{}")
_CABINS = ("ECONOMY", "ECONOMY", "ECONOMY", "PREMIUM", "BUSINESS")
_PLAIN_NOTES = (
    "Window seat, if there is one",
    'Says "no nuts, please": allergy',
    "Travels with a cello; second seat is paid",
    "Needs 40 minutes between gates",
    "Frequent flyer, upgraded twice in 2012",
)
_PERSONAL_NOTES = (
    "Send the itinerary to {email} as well",
    "Call {phone} if the gate changes",
    "Visa form sent with SSN {ssn}, please file",
    "Reach her sister on {phone} or {email}, not before 9",
)


@dataclass(frozen=True)
class Passenger:
    name: str
    email: str
    phone: str
    ssn: str


def booking_rows(day: date) -> tuple[Row, ...]:
    """Returns 260 to 319 bookings for flights of ``day``; ``phone``, ``ssn`` and ``note`` may be empty."""
    chance = random.Random(f"bookings of {day}")  # noqa: S311 - made-up people need no secrecy
    flights = flight_rows(day)
    count = 260 + chance.randrange(60)
    return tuple(_booking(chance, day, number, chance.choice(flights)) for number in range(1, count + 1))


@cache
def passengers() -> tuple[Passenger, ...]:
    """All passengers."""
    chance = random.Random("passengers")  # noqa: S311 - made-up people need no secrecy
    return tuple(_passenger(chance, number) for number in range(PASSENGERS))


def _passenger(chance: random.Random, number: int) -> Passenger:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    domain = chance.choice(("example.com", "example.org"))
    return Passenger(
        name=f"{first} {last}",
        email=f"{first}.{last}{number}@{domain}".lower(),
        phone=chance.choice(_PHONE_FORMS).format(chance.choice(_AREA_CODES), f"01{chance.randrange(100):02d}"),
        ssn=f"899-{chance.randrange(1, 100):02d}-{chance.randrange(1, 10_000):04d}",
    )


def _booking(chance: random.Random, day: date, number: int, flight: Row) -> Row:
    who = chance.choice(passengers())
    booked_at = datetime.combine(day, time(), UTC) - timedelta(minutes=chance.randrange(1_440, 90 * 1_440))
    cents = 4_900 + 11 * int(flight["distance"]) + chance.randrange(20_000)
    return {
        "booking_id": f"BK-{day:%Y%m%d}-{number:04d}",
        "flight_date": str(day),
        "booked_at": f"{booked_at:%Y-%m-%dT%H:%M:%SZ}",
        "carrier": flight["carrier"],
        "flight": flight["flight"],
        "origin": flight["origin"],
        "cabin": chance.choice(_CABINS),
        "fare_usd": f"{cents // 100}.{cents % 100:02d}",
        "passenger_name": who.name,
        "email": who.email,
        "phone": who.phone if chance.random() < 0.9 else "",
        "ssn": who.ssn if chance.random() < 0.4 else "",
        "note": _note(chance),
    }


def _note(chance: random.Random) -> str:
    """A note: 70 % are empty, 18 % have no personal data, 12 % do."""
    draw = chance.random()
    if draw < 0.7:
        return ""
    if draw < 0.88:
        return chance.choice(_PLAIN_NOTES)
    about = chance.choice(passengers())
    return chance.choice(_PERSONAL_NOTES).format(email=about.email, phone=about.phone, ssn=about.ssn)
