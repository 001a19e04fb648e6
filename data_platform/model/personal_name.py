"""Which column names indicate personal values: ``homephone``, ``custSSN``, ``contact_no``."""

from __future__ import annotations

import re
from itertools import pairwise

from data_platform.model.policy_bundle import PiiKind

_TELLING = {
    PiiKind.SSN: re.compile(
        r"[a-z]*ssn(?:s|no|nr|num|number|nbr)?|ssnum(?:ber)?|itin|socialsecurity(?:no|nr|num|number)?"
    ),
    PiiKind.PHONE: re.compile(
        r"(?!(?:micro|head|ear|saxo|mega|gramo)phones?)[a-z]*phones?(?:no|nr|num|numbers?|nbr)?"
        r"|(?:home|work|office|business|day|evening|contact|customer|cust|user)?"
        r"(?:tel|mobile|mob|cell|cellular|fax|telefono?|whatsapp|sms)(?:no|nr|num|numbers?|nbr|s)?|msisdn"
        r"|contact(?:no|nr|num|numbers?|nbr)"
    ),
}
"""Words that indicate what a column contains, also where several are written as one."""


def words(name: str) -> set[str]:
    """The words of a column's name in lower case: ``homePhone_1`` is about a phone, ``classname`` not about an SSN."""
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return {*parts, *(a + b for a, b in pairwise(parts))}


def names_kind(column: str, kind: PiiKind) -> bool:
    """Whether the name of ``column`` indicates values of ``kind``: ``homephone``, ``custSSN``."""
    pattern = _TELLING.get(kind)
    return pattern is not None and any(map(pattern.fullmatch, words(column)))
