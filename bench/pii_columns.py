"""Columns on which the detection of personal values is measured: generated ones of each kind, and real ones."""

import csv
import random
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import TypeAlias

from data_platform.demo.history import airline_rows, airport_rows, flight_rows, plane_rows, weather_rows

LabelledColumn: TypeAlias = tuple[str, list[str], str]
"""Its name, its values, and their kind; an empty kind for values that are not personal."""


def generated_columns(seed: int) -> Iterator[LabelledColumn]:
    """100 columns: name, values, and the kind; empty for none."""
    from faker import Faker

    faker, drawn = Faker(["en_US", "de_DE", "fr_FR"]), random.Random(seed)  # noqa: S311
    faker.seed_instance(seed)
    kinds: dict[str, tuple[Callable[[], object], str]] = {
        "email": (faker.email, "EMAIL"),
        "phone": (lambda: f"({drawn.randint(201, 989)}) 555-{drawn.randint(1000, 9999)}", "PHONE"),
        "ssn": (lambda: f"{drawn.randint(100, 665)}-{drawn.randint(10, 99)}-{drawn.randint(1000, 9999)}", "SSN"),
        "card_no": (faker.credit_card_number, "CREDIT_CARD"), "iban": (faker.iban, "IBAN"),
        "client_ip": (faker.ipv4, "IP_ADDRESS"),
        "ip6": (faker.ipv6, "IP_ADDRESS"), "full_name": (faker.name, "PERSON_NAME"),
        "home_address": (faker.street_address, "STREET_ADDRESS"),
        "birth_date": (lambda: f"dob {faker.date_of_birth()}", "DATE_OF_BIRTH"),
        "company": (faker.company, ""), "city": (faker.city, ""), "country": (faker.country, ""),
        "job": (faker.job, ""),
        "order_no": (lambda: drawn.randrange(4 * 10**15, 7 * 10**15), ""),
        "year": (lambda: drawn.randint(1950, 2026), ""),
        "email_verified": (faker.boolean, ""), "uuid": (faker.uuid4, ""), "url": (faker.url, ""),
        "color": (faker.color_name, ""),
        "ean": (faker.ean13, ""), "amount": (lambda: f"{drawn.random() * 1e6:.2f}", ""), "booked": (faker.date, ""),
        "slogan": (faker.catch_phrase, ""), "note": (faker.sentence, ""),
    }  # fmt: skip
    for name, (make, kind) in kinds.items():
        values = [str(make()) for _ in range(400)]
        yield name, values, kind
        yield f"c{len(name)}", [str(make()) for _ in range(400)], kind
        mixed = [value if n % 10 == 0 else faker.word() for n, value in enumerate(values)]
        yield f"{name}_mixed" if kind else name, mixed, kind
        checked = kind in ("CREDIT_CARD", "IBAN")
        yield f"x_{name}", [_wrong(value) for value in values] if checked else values, "" if checked else kind


def _wrong(value: str) -> str:
    return value[:-1] + str((int(value[-1]) + 1) % 10) if value[-1].isdigit() else value[:-1] + "0"


def real_columns(files: Iterable[Path]) -> Iterator[LabelledColumn]:
    """Columns of flights, airlines, airports, planes, weather and of ``files``, none of them of personal values."""
    day = date(2013, 1, 1)
    tables = [flight_rows(day), airline_rows(), airport_rows(), plane_rows(), weather_rows(day)]
    for file in files:
        with file.open(encoding="utf-8", errors="replace", newline="") as text:
            tables.append(tuple(dict(row) for row in csv.DictReader(text)))
    for rows in tables:
        for column in rows[0]:
            yield str(column), [str(row[column] or "") for row in rows[:1000]], ""
