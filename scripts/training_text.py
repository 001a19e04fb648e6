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
from training_template import ADDRESS_COLUMNS, CHECKS, COMMON, LATIN_OF, NAME_COLUMNS, OTHER_COLUMNS, SENTENCES

LOCALES = (
    "en_US", "en_US", "en_GB", "en_CA", "en_AU", "de_DE", "de_AT", "fr_FR", "es_ES", "es_MX", "it_IT", "pl_PL",
    "pt_BR", "pt_PT", "nl_NL", "sv_SE", "da_DK", "fi_FI", "cs_CZ", "hu_HU", "no_NO", "hr_HR", "sl_SI", "ro_RO",
    "tr_TR", "et_EE", "lv_LV", "lt_LT", "en_IN", "fr_CH", "en_IE", "en_NZ", "es_AR", "es_CL", "id_ID", "nl_BE", "fr_CA",
    "az_AZ", "uz_UZ", "zu_ZA", "yo_NG", "ig_NG", "ha_NG", "tw_GH", "en_PK", "en_TH", "sw", "ga_IE", "de_LI",
)  # fmt: skip
ROMANIZED = ("ja_JP", "ru_RU", "uk_UA", "bg_BG", "el_GR", "mk_MK")
"""Countries of which names are written in Latin letters, and addresses are not used."""
BLENDED = 0.15
"""The share of names that are blends of two."""
HELD_BACK = ("is_IS", "vi_VN", "en_KE", "es_CO", "sk_SK", "de_CH")
"""Countries of the texts that only check the training."""
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

    def __init__(self, seed: int, *, checks: bool = False) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.sentences = CHECKS if checks else SENTENCES
        self.fakers = [Faker(locale) for locale in (HELD_BACK if checks else LOCALES)]
        self.romanized = [] if checks else [Faker(locale) for locale in ROMANIZED]
        for number, faker in enumerate([*self.fakers, *self.romanized]):
            faker.seed_instance(seed * 1000 + number)
        self.manual = _manual_sentences()
        self.words = sorted({w for s in self.manual for w in s.split() if re.fullmatch("[a-z]{3,12}", w)})

    def sentence(self) -> Labelled:
        """One template, filled; sometimes two, sometimes all in small letters or capitals."""
        text = Labelled()
        for number in range(1 if self.random.random() < 0.7 else 2):
            text.add("" if not number else self.random.choice((" ", "\n", " ")))
            self._fill(self.random.choice(self.sentences), text)
        if self.random.random() < 0.06:
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
            if self.romanized and self.random.random() < 0.1:
                faker = self.random.choice(self.romanized)
            make = {"n": self._name, "f": self._first, "l": self._last}[slot]
            return make(faker), "NAME"
        if slot in "ar":
            return (self._address(faker) if slot == "a" else self._street(faker)), "ADDRESS"
        return str(self._plain(slot, faker)), ""

    def _plain(self, slot: str, faker: Faker) -> object:
        draw, pick = self.random, self.random.choice
        makers = {
            "o": lambda: self._company(faker),
            "O": lambda: f"{faker.last_name()}, {faker.last_name()} & {faker.last_name()} LLC", "c": faker.city,
            "g": faker.country, "x": lambda: pick((pick(self.words), pick(COMMON))),
            "X": lambda: pick((pick(self.words), pick(COMMON))).capitalize(), "H": lambda: pick(COMMON).capitalize(),
            "T": self._ordinary, "K": self._title, "J": lambda: faker.job().title(), "s": lambda: pick(self.manual),
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

    def _ordinary(self) -> str:
        """Ordinary words, of which the first has a capital more often than not, and others rarely."""
        words = self.random.choices(COMMON, k=self.random.randint(1, 7))
        words = [word.capitalize() if self.random.random() < 0.08 else word for word in words]
        return " ".join([words[0].capitalize() if self.random.random() < 0.7 else words[0], *words[1:]])

    def _title(self) -> str:
        """Of a book, a film or a song."""
        words = [word.capitalize() for word in self.random.choices(COMMON, k=self.random.randint(2, 4))]
        return self.random.choice(("The ", "A ", "", "")) + self.random.choice((" ", " ", " of the ", " and ")).join(
            words
        )

    def _company(self, faker: Faker) -> str:
        one, other = self._plain("X", faker), self._plain("X", faker)
        kind = self.random.choice(("Group", "Systems", "Holding", "Bank", "Airlines", "Partners", "Media"))
        own = (f"{one} {other}", f"{one} {kind}", f"{faker.last_name()} {kind}", f"{one}{str(other).lower()}")
        return faker.company() if self.random.random() < 0.5 else self.random.choice(own)

    def _first(self, faker: Faker) -> str:
        return self._blended(_first(faker), _first(faker))

    def _last(self, faker: Faker) -> str:
        return self._blended(_last(faker), _last(faker))

    def _blended(self, name: str, other: str) -> str:
        """``name``, or rarely its beginning with the end of ``other``: no list has all names of people."""
        if self.random.random() > BLENDED or min(len(name), len(other)) < 4:
            return name
        return name[: len(name) // 2] + other[len(other) // 2 :].lower()

    def _name(self, faker: Faker) -> str:
        first, last = self._first(faker), self._last(faker)
        forms = (f"{first} {last}",) * 6 + (
            first, last, f"{last}, {first}", f"{first} {self.random.choice('ABCDEFGHJKLMRST')}. {last}",
            f"{first} {self.random.choice('ABCDEFGHJKLMRST')} {last}", f"{first[0]}. {last}",
            f"{first}-{self._first(faker)} {last}",
            f"{first} {last}-{self._last(faker)}", f"{first} {self._first(faker)} {last}",
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


def _first(faker: Faker) -> str:
    return str(faker.first_romanized_name()) if "ja_JP" in faker.locales else _in_latin(faker.first_name())


def _last(faker: Faker) -> str:
    return str(faker.last_romanized_name()) if "ja_JP" in faker.locales else _in_latin(faker.last_name())


def _in_latin(name: str) -> str:
    letters = [LATIN_OF.get(sign, sign).replace("_", "") for sign in name.lower()]
    latin = "".join(letters)
    return name if latin == name.lower() else latin.title()


def _manual_sentences() -> list[str]:
    text = re.sub(r"[`*\"]|:\w+:", "", "\n".join(topics[name] for name in sorted(topics)))
    found = re.findall(r"(?<=[.\n] )[A-Z][a-z][^.\n:=<>()\[\]{}_]{20,160}(?:\n[^.\n:=<>()\[\]{}_]{5,160})?\.", text)
    return sorted({re.sub(r"\s+", " ", sentence) for sentence in found})


def _end(text: Labelled) -> int:
    return max([len(text.text), *(end for _, end, _ in text.spans)])
