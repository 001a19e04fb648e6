"""Generates the labelled texts that train the tagger of names and addresses: sentences, letters, and values of columns.

Names, addresses and companies come from Faker in many languages; sentences from the templates below and, for text
without names, from Python's own manual. All is seeded: the same versions make the same texts.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pydoc_data.topics import topics

from faker import Faker

LOCALES = (
    "en_US", "en_US", "en_GB", "en_CA", "en_AU", "de_DE", "de_AT", "fr_FR", "es_ES", "es_MX", "it_IT", "pl_PL",
    "pt_BR", "pt_PT", "nl_NL", "sv_SE", "da_DK", "fi_FI", "cs_CZ", "hu_HU", "no_NO", "hr_HR", "sl_SI", "ro_RO",
    "tr_TR", "et_EE", "lv_LV", "lt_LT", "en_IN", "fr_CH",
)  # fmt: skip
SENTENCES = (
    "My name is {n}", "I'm {f}", "This is {n} speaking", "{n} called about the invoice", "Call {n} back, please",
    "please ask for {t} {l}", "{f} will call you on {w}", "Hello {f},", "Hi {f}! {s}", "Dear {t} {l},\n{s}",
    "Best regards,\n{n}", "Thanks,\n{f}", "Thank you, {f}.", "Kind regards\n{n}\n{o}", "Sincerely yours, {n}",
    "{n} is the new head of {x} at {o}.", "{n} of {o} signed the contract", "{o} hired {n} as {j}.",
    "According to {n}, {x} {x} {x}.", "{l} said that {x} {x} {x} {x}.", "{n}, {d}, from {c}, {x} {x}.",
    "We spoke to {f} and {f} yesterday.", "{f}, {f} and {l} are invited.", "{t} {l} paid in {c}.", "{s} {n} {s}",
    "Agent: May I have your name? Customer: {n}", "agent: who is calling? caller: {f}",
    "User: {f} {l}. Bot: Thank you!",
    "{f}: {s}\n{f}: {s}", "{n}: {s}", "Account holder: {n}", "Patient: {n}, born {d}", "Name: {n}\nCity: {c}",
    "Beneficiary {n}", "From: {n}\nTo: {n}\nSubject: {s}", "written by {n}", "Directed by {n}", "Author: {n} ({y})",
    "The {l} family moved to {c}.", "{l}'s new book, {x} {x}, is out", "{n}'s account is closed", "{f}'s card",
    "who is {n}?", "do you know {n}", "is {f} there?", "I need to speak with {n}", "the order is for {n}",
    "What about {n}? {s}", "{t} {n} will see you at {h}.", "President {l} visited {c} in {y}.",
    "Coach {l} said {x} {x}",
    "singer {n} and actor {n} met in {c}", "{n} ({y}-{y}) was a {j}", "{n} was born in {c} in {y}.", "by {f} {l}",
    "Ticket {k} was opened by {n} at {h}", "change the name on my card to {n}", "transfer {m} to {n}",
    "{n} and {n} founded {o} in {y}", "{o}, founded by {n}, {x} {x}", "{s} It was {f} who {x} {x}.", "{n} - {j}",
    "I live at {a}", "She moved to {a} last year", "Send it to {a}, please", "deliver to {a}", "Our office: {a}",
    "The address of {o} is {a}.", "{n} lives at {a}", "{n}\n{a}", "Ship to:\n{n}\n{a}\n{c}", "address: {a}",
    "Please update my address to {a}", "My new address is {a}.", "Where is {a}?", "meet me at {r}", "{o}\n{a}\n{c}",
    "the shop at {r} is closed", "I was at {r} in {c} at {h}", "{t} {n}, {a}", "We are on {r}, {c}", "{o}, {a}, {g}",
    "Home: {a}. Work: {a}.", "Invoice address: {a} VAT {k}", "visit us at {r}, {c} {z}", "go from {r} to {r}",
    "{o} is in {c}.", "I fly to {c} on {w}", "{c} is nice in {v}", "What is the limit of my card {k}?", "{s}",
    "{s} {s}",
    "{s}", "The {o} report of {y}", "In {v} {y}, {x} {x} {x}.", "my number is {k}", "{o} was bought by {o}",
    "Call me at {k}", "Visit {u}", "my mail is {e}", "The {x} of {g} {x} {x}.", "{X} {X} is {x}", "{x} {k} {x} {h}",
    "The {X} Band played in {c}, {g}, on {d}.", "He is {q}.", "a {q} {x}", "the {q} {X} Company", "{X} & {X}: {s}",
    "I'm a {j} from {g}", "IBAN {i}", "The {j} {x} {x}", "A {b}-year-old {q} {x} {x}", "{g} - {c}", "{z} {c}",
    "{w}, {d}",
    "{X} {X} and the {X} of {X}", "\"{X} {X}\" is a song", "{c} University", "the {c} {X} Club", "{o} Inc. in {c}",
    "Phone: {p}", "Fax {p}, mobile {p}", "{o}\nPhone: {p}\nFax: {p}", "{n}\n{a}\nMobile: {p}", "reach me at {p}",
    "{p}",
    "{o} tel. {p}", "Give {p} a ring", "They do not answer at {p}", "IP {k}.{b}.{b}.{b}", "on {d} at {h}",
    "#{b}: {X} {x}",
    "{n} and {f} live at {a}", "{f} {l}\n{j}\n{o}\n{p}", "\"{X} {x} {x}\", sang {n}", "{X} {X} ({y}), by {n}", "{L}",
    "{L}", "{L} {s}", "{L}", "{A}", "The {X} {X} {X} of {c}", "{X}, {X} and {X}", "{O} is {x}",
)  # fmt: skip
TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.", "Mr", "Mrs", "Ms", "Herr", "Frau", "Prof.", "Sir", "Miss", "Señor", "Mme")
VERSES = (
    "Saturday", "Monday", "tomorrow", "Friday", "next week", "Sunday", "Tuesday", "Wednesday", "Thursday", "today",
)  # fmt: skip
SEASONS = ("spring", "summer", "autumn", "winter", "January", "February", "March", "April", "May", "June", "July",
           "August", "September", "October", "November", "December")  # fmt: skip
NATIONS = ("English", "German", "Polish", "Croatian", "russian", "French", "Italian", "Chinese", "Swede", "americans",
           "Danes", "Turkish", "Greek", "Spanish", "Catholic", "Buddhist", "Republican", "Slovenian")  # fmt: skip


@dataclass
class Labelled:
    """A text with the places of its names and addresses: (start, end, label)."""

    text: str = ""
    column: str = ""
    spans: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, part: str, label: str = "") -> None:
        if label:
            self.spans.append((len(self.text), len(self.text) + len(part), label))
        self.text += part


class Writer:
    """Writes texts; two writers of one seed write the same."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.fakers = [Faker(locale) for locale in LOCALES]
        for number, faker in enumerate(self.fakers):
            faker.seed_instance(seed * 1000 + number)
        self.manual = _manual_sentences()
        self.words = sorted({w for s in self.manual for w in s.split() if re.fullmatch("[a-z]{3,12}", w)})

    def sentence(self) -> Labelled:
        """One template, filled; sometimes two, sometimes all in small letters or capitals."""
        text = Labelled()
        for number in range(1 if self.random.random() < 0.7 else 2):
            text.add("" if not number else self.random.choice((" ", "\n", " ")))
            self._fill(self.random.choice(SENTENCES), text)
        if self.random.random() < 0.04:
            text.text = text.text.lower() if self.random.random() < 0.5 else text.text.upper()
            text.spans = text.spans if len(text.text) == _end(text) else []
        return text

    def value(self) -> Labelled:
        """A value of a column, in a column whose name says what it is, or says nothing."""
        faker, kind = self.random.choice(self.fakers), self.random.random()
        text = Labelled()
        if kind < 0.2:
            text.column = self.random.choice(NAME_COLUMNS)
            text.add(self._name(faker), "NAME")
        elif kind < 0.4:
            text.column = self.random.choice(ADDRESS_COLUMNS)
            text.add(self._address(faker), "ADDRESS")
        else:
            column, make = self.random.choice(OTHER_COLUMNS)
            text.column = column
            self._fill(make, text, keep=False)
        if self.random.random() < 0.15:
            text.text, text.column = text.text.upper(), text.column.upper()
            text.spans = [(0, len(text.text), label) for _, _, label in text.spans]
        if self.random.random() < 0.4:
            text.column = self.random.choice(("", "col_1", "c7", "value", "field_3", "x", "data"))
        return text

    def _fill(self, template: str, text: Labelled, *, keep: bool = True) -> None:
        at = 0
        for slot in re.finditer(r"\{(\w)\}", template):
            text.add(template[at : slot.start()])
            faker = self.random.choice(self.fakers)
            if slot.group(1) in "LA":
                self._among(text, slot.group(1), faker)
            else:
                text.add(*self._slot(slot.group(1), faker))
            at = slot.end()
        text.add(template[at:])
        if not keep:
            text.spans = []

    def _among(self, text: Labelled, slot: str, faker: Faker) -> None:
        """A sentence of the manual with a name or an address somewhere in it, where a word or two stood."""
        words = self.random.choice(self.manual).split(" ")
        at = self.random.randrange(len(words))
        text.add(" ".join(words[:at]) + (" " if at else ""))
        text.add(*self._slot(self.random.choice("nnfl") if slot == "L" else "a", faker))
        rest = " ".join(words[at + self.random.randint(0, 2) :])
        text.add((self.random.choice((" ", " ", " ", ", ", "'s ", ". ")) + rest) if rest else ".")

    def _slot(self, slot: str, faker: Faker) -> tuple[str, str]:
        if slot in "nfl":
            make = {"n": self._name, "f": lambda f: f.first_name(), "l": lambda f: f.last_name()}[slot]
            return make(faker), "NAME"
        if slot in "ar":
            return (self._address(faker) if slot == "a" else self._street(faker)), "ADDRESS"
        return str(self._plain(slot, faker)), ""

    def _plain(self, slot: str, faker: Faker) -> object:
        draw, pick = self.random, self.random.choice
        makers = {
            "o": lambda: self._company(faker),
            "O": lambda: f"{faker.last_name()}, {faker.last_name()} & {faker.last_name()} LLC", "c": faker.city,
            "g": faker.country, "x": lambda: pick(self.words),
            "X": lambda: pick(self.words).capitalize(), "s": lambda: pick(self.manual),
            "j": lambda: faker.job().lower(),
            "t": lambda: pick(TITLES), "w": lambda: pick(VERSES), "v": lambda: pick(SEASONS),
            "q": lambda: pick(NATIONS),
            "y": lambda: draw.randint(1900, 2026), "b": lambda: draw.randint(1, 99),
            "h": lambda: f"{draw.randint(0, 23)}:15",
            "d": lambda: faker.date(pick(("%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%B %d, %Y"))),
            "k": lambda: pick((faker.bban(), str(draw.randint(10, 10**9)), faker.bothify("??-####").upper())),
            "m": lambda: f"{draw.randint(1, 9999)}.{draw.randint(10, 99)} EUR", "z": faker.postcode,
            "p": faker.phone_number, "U": faker.uuid4, "B": faker.user_agent, "I": lambda: pick((faker.ipv6(),
            faker.ipv4())), "u": faker.url, "e": faker.ascii_email, "i": faker.iban,
        }  # fmt: skip
        return makers[slot]()

    def _company(self, faker: Faker) -> str:
        one, other = self._plain("X", faker), self._plain("X", faker)
        kind = self.random.choice(("Group", "Systems", "Holding", "Bank", "Airlines", "Partners", "Media"))
        own = (f"{one} {other}", f"{one} {kind}", f"{faker.last_name()} {kind}", f"{one}{str(other).lower()}")
        return faker.company() if self.random.random() < 0.5 else self.random.choice(own)

    def _name(self, faker: Faker) -> str:
        first, last = faker.first_name(), faker.last_name()
        forms = (f"{first} {last}",) * 6 + (
            first, last, f"{last}, {first}", f"{first} {self.random.choice('ABCDEFGHJKLMRST')}. {last}",
            f"{first} {self.random.choice('ABCDEFGHJKLMRST')} {last}", f"{first[0]}. {last}",
            f"{first}-{faker.first_name()} {last}",
            f"{first} {last}-{faker.last_name()}", f"{first} {faker.first_name()} {last}",
        )  # fmt: skip
        return self.random.choice(forms)

    def _street(self, faker: Faker) -> str:
        street, number = faker.street_name(), self.random.randint(1, 9999)
        forms = (
            f"{number} {street}",
            f"{street} {number % 300}",
            f"{number} {street} {number % 97}",
            faker.street_address(),
            f"{street}",
        )
        return self.random.choice(forms).replace("\n", ", ")

    def _address(self, faker: Faker) -> str:
        unit = self.random.choice(
            ("", "", "", " Apt. {}", " Suite {}", ", Apt {}", " Unit {}", "\nFlat {}", " # {}")
        ).format(self.random.randint(1, 999))
        street = self._street(faker) + unit
        gap = self.random.choice((", ", "\n", "\n ", " "))
        forms = (
            street, street, faker.address(), f"{street}{gap}{faker.postcode()} {faker.city()}",
            f"{street}{gap}{faker.city()} {faker.postcode()}",
            f"{street}{gap}{faker.city()}{gap}{faker.country()} {faker.postcode()}",
            f"{street}\n{faker.city()}\n, {faker.bothify('??').upper()}\n {faker.country()} {faker.postcode()}",
            f"P.O. Box {self.random.randint(1, 9999)}",
            f"PSC {self.random.randint(1000, 9999)}, Box {self.random.randint(1, 9999)}\nAPO AA {faker.postcode()}",
        )  # fmt: skip
        return self.random.choice(forms)


NAME_COLUMNS = (
    "name",
    "full_name",
    "first_name",
    "last_name",
    "customer",
    "customer_name",
    "passenger",
    "contact",
    "owner",
)
ADDRESS_COLUMNS = (
    "address",
    "street",
    "addr1",
    "home_address",
    "billing_address",
    "street_address",
    "location",
    "residence",
)
OTHER_COLUMNS = (
    ("city", "{c}"), ("country", "{g}"), ("company", "{o}"), ("carrier", "{o}"), ("name", "{o}"), ("product",
    "{X} {x}"),
    ("product_name", "{X} {X} {b}"), ("name", "{X} {X}"), ("name", "{c} Airport"), ("airport", "{c} {X} Intl"),
    ("name", "{c}"),
    ("status", "{X}"), ("type", "{x} {x}"), ("description", "{s}"), ("title", "{X} {X} {x}"), ("code", "{k}"),
    ("job", "{j}"),
    ("manufacturer", "{o}"), ("model", "{X}-{b}"), ("date", "{d}"), ("category", "{X} & {X}"), ("note", "{s}"),
    ("region", "{g}"),
    ("comment", "{x} {x} {x}"), ("url", "{u}"), ("email", "{e}"), ("id", "{k}"), ("amount", "{m}"), ("zip", "{z}"),
    ("team", "{c} {X}"),
    ("engine", "{X}-{x}"), ("tzone", "{X}/{c}"), ("brand", "{X}"), ("department", "{X} {x}"), ("uuid", "{U}"),
    ("phone", "{p}"), ("tel", "{p}"), ("agent", "{B}"), ("ip", "{I}"), ("path", "/{x}/{x}/{k}"), ("flag", "{X}"),
)  # fmt: skip


def _manual_sentences() -> list[str]:
    text = re.sub(r"[`*\"]|:\w+:", "", "\n".join(topics[name] for name in sorted(topics)))
    found = re.findall(r"(?<=[.\n] )[A-Z][a-z][^.\n:=<>()\[\]{}_]{20,160}(?:\n[^.\n:=<>()\[\]{}_]{5,160})?\.", text)
    return sorted({re.sub(r"\s+", " ", sentence) for sentence in found})


def _end(text: Labelled) -> int:
    return max([len(text.text), *(end for _, end, _ in text.spans)])
