"""Check digits, which distinguish a card or account number from other long numbers: Luhn, ISO 7064 mod 97, IBAN.

The gate computes the same in Spark (``gates/expression/pii_check.py``); this needs the standard library only.
"""

from __future__ import annotations

import re

IBAN_LENGTH = {
    **dict.fromkeys(["NO"], 15), **dict.fromkeys(["BE"], 16),
    **dict.fromkeys(["DK", "FI", "FK", "FO", "GL", "NL", "SD"], 18), **dict.fromkeys(["MK", "SI"], 19),
    **dict.fromkeys(["AT", "BA", "EE", "KZ", "LT", "LU", "MN", "XK"], 20),
    **dict.fromkeys(["CH", "HR", "LI", "LV"], 21),
    **dict.fromkeys(["BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA"], 22),
    **dict.fromkeys(["AE", "GI", "IL", "IQ", "OM", "SO", "TL"], 23),
    **dict.fromkeys(["AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"], 24),
    **dict.fromkeys(["LY", "PT", "ST"], 25), **dict.fromkeys(["IS", "TR"], 26),
    **dict.fromkeys(["BI", "DJ", "FR", "GR", "IT", "MC", "MR", "SM"], 27),
    **dict.fromkeys(["AL", "AZ", "BY", "CY", "DO", "GT", "HN", "HU", "LB", "NI", "PL", "SV"], 28),
    **dict.fromkeys(["BR", "EG", "PS", "QA", "UA"], 29), **dict.fromkeys(["JO", "KW", "MU", "YE"], 30),
    **dict.fromkeys(["MT", "SC"], 31), "LC": 32, "RU": 33,
}  # fmt: skip
"""The length of an IBAN by country, from SWIFT's registry."""

_NO_SIGN = re.compile(r"[^0-9A-Za-z]")


def luhn(text: str) -> bool:
    """Whether the digits of ``text`` pass Luhn's check; other characters are separators."""
    digits = [int(sign) for sign in text if sign in "0123456789"]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2]]
    return bool(digits) and (sum(digits[::-2]) + sum(doubled)) % 10 == 0


def mod97(text: str) -> bool:
    """Whether the letters and digits of ``text`` pass ISO 7064 mod 97-10, check digits last: A is 10, Z is 35."""
    signs = _NO_SIGN.sub("", text).upper()
    return bool(signs) and int("".join(str(int(sign, 36)) for sign in signs)) % 97 == 1


def iban(text: str) -> bool:
    """Whether ``text`` is an IBAN: its country's length, and mod 97 with the first four signs moved to the end."""
    signs = _NO_SIGN.sub("", text).upper()
    return IBAN_LENGTH.get(signs[:2]) == len(signs) and mod97(signs[4:] + signs[:4])
