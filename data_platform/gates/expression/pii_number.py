r"""Card numbers, IBANs and IP addresses.

A card number has an issuer's prefix, the length that goes with it and Luhn's check digit; an IBAN its country's length
and the check digits of mod 97. Both may be grouped as they are printed, with one separator throughout. An IBAN ends
where its country's length ends, so that it does not take in the words after it.

Four numbers with dots between them are an IP address as often as a version. They are none after ``v`` or a word for a
version, or in a column with such a name. An IPv6 address has a digit: ``std::vector`` has none. A mapped address
(``::ffff:192.0.2.1``) is one match.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_check import iban, luhn
from data_platform.gates.expression.pii_shape import BARE_END, DASH, START, Shape, at_least_with_digit, lower, signs
from data_platform.model.check_digit import IBAN_LENGTH
from data_platform.model.pii_policy import PiiKind

if TYPE_CHECKING:
    from pyspark.sql import Column

_SEPARATOR = rf"[{DASH} \u00a0]?"
_BY_FOUR = r"(?:4\d{3}|5[0-8]\d\d|6\d{3}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)|35\d\d)"
_CARD = (
    rf"(?=[2-6]|1800|0604){START}(?:{_BY_FOUR}({_SEPARATOR})\d{{4}}\1\d{{4}}\1\d{{4}}(?:\1\d{{3}})?"
    rf"|3[47]\d\d({_SEPARATOR})\d{{6}}\2\d{{5}}"
    rf"|3(?:0[0-5]|[689]\d)\d({_SEPARATOR})\d{{6}}\3\d{{4}}"
    rf"|(?:2131|1800)\d{{11}}|4\d{{12}}|(?:50[123]\d|5[678]\d\d|6\d{{3}}|0604)\d{{8,15}}){BARE_END}"
)


def _iban_pattern() -> str:
    lengths = groupby(sorted(IBAN_LENGTH, key=lambda country: IBAN_LENGTH[country]), key=lambda c: IBAN_LENGTH[c])
    each = [_iban_of(length, "|".join(countries)) for length, countries in lengths]
    return rf"(?i)(?<![0-9a-z])(?=[a-z]{{2}}\d\d[{DASH} \u00a0]?[0-9a-z])(?:{'|'.join(each)})(?![0-9a-z])"


def _iban_of(length: int, countries: str) -> str:
    groups, rest = divmod(length - 4, 4)
    last = rf"{_SEPARATOR}[0-9a-z]{{{rest}}}" if rest else ""
    return rf"(?:{countries})\d\d(?:{_SEPARATOR}[0-9a-z]{{4}}){{{groups}}}{last}"


_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_V4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_HEX = r"[0-9A-Fa-f]{1,4}"
_V6 = (
    rf"(?:(?:{_HEX}:){{6}}|(?:(?:{_HEX}:){{1,5}}:|::)(?:{_HEX}:){{0,5}}){_V4}"
    rf"|(?:{_HEX}:){{7}}{_HEX}"
    rf"|(?:{_HEX}:){{1,7}}(?::{_HEX}){{1,6}}|(?:{_HEX}:){{1,7}}:|:(?::{_HEX}){{1,7}}"
)
_VERSION_WORDS = ("version", "release", "build", "firmware", "ver")
VERSION_LABEL = rf"(?i:{'|'.join(_VERSION_WORDS)}|rev)[ .:=]{{0,3}}"
IP_IN_PYTHON = (  # without the look-behind of any length, which only Java has
    r"(?<![0-9A-Za-z.])(?=[0-9A-Fa-f:]{1,4}[.:])"
    rf"(?:(?<!:)(?=[0-9A-Fa-f]{{0,4}}:)(?=[0-9A-Fa-f:.]{{0,39}}\d)(?:{_V6})(?![0-9A-Za-z:]|\.\d)"
    rf"|(?!0\.){_V4}(?![0-9A-Za-z]|\.\d))"
)
_IP = IP_IN_PYTHON.replace(r"(?!0\.)", rf"(?<!{VERSION_LABEL})(?!0\.)")


def _with_dots_or_colons(value: Column) -> Column:
    return (value.contains(".") | value.contains(":")) & value.rlike("[0-9]")


def _last_four_of_a_card(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.concat(F.lit("****-****-****-"), F.right(signs(match), F.lit(4)))


def _country_and_last_four(match: Column) -> Column:
    from pyspark.sql import functions as F

    kept = F.upper(signs(match))
    return F.concat(F.left(kept, F.lit(2)), F.lit("** **** "), F.right(kept, F.lit(4)))


IBAN = Shape(
    label="IBAN",
    rule=PiiKind.IBAN,
    pattern=_iban_pattern(),
    candidate=at_least_with_digit(min(IBAN_LENGTH.values())),
    normal=signs,
    check=iban,
    masked=_country_and_last_four,
)
CREDIT_CARD = Shape(
    label="CREDIT_CARD",
    rule=PiiKind.CREDIT_CARD,
    pattern=_CARD,
    candidate=at_least_with_digit(12),
    normal=signs,
    check=luhn,
    masked=_last_four_of_a_card,
    within=frozenset({IBAN.label}),
)
IP_ADDRESS = Shape(
    label="IP_ADDRESS",
    rule=PiiKind.IP_ADDRESS,
    pattern=_IP,
    mask="***",
    candidate=_with_dots_or_colons,
    normal=lower,
    unless=frozenset(_VERSION_WORDS),
)
