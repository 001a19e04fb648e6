"""Which column names indicate personal values: ``homephone``, ``custSSN``, ``birth_date``."""

from __future__ import annotations

import re
from itertools import pairwise

from data_platform.model.pii_policy import PiiKind

_TELLING = {
    PiiKind.SSN: re.compile(
        r"[a-z]*ssn(?:s|no|nr|num|number|nbr)?|ssnum(?:ber)?|itin|socialsecurity(?:no|nr|num|number)?"
    ),
    PiiKind.PHONE: re.compile(
        r"(?!(?:micro|head|ear|saxo|mega|gramo)phones?)[a-z]*phones?(?:no|nr|num|numbers?|nbr)?"
        r"|(?:home|work|office|business|day|evening|contact|customer|cust|user)?"
        r"(?:tel|mobile|mob|cell|cellular|fax|telefono?|whatsapp|sms)(?:no|nr|num|numbers?|nbr|s)?|msisdn"
        r"|contacts?(?:no|nr|num|numbers?|nbr)"
    ),
    PiiKind.DATE_OF_BIRTH: re.compile(
        r"dob|bday|birth(?:date|day|dt)|(?:dt|date|dateof|of)birth|geburts(?:datum|tag)|geboren(?:am)?|geboortedatum"
        r"|naissance|nacimiento|nascita"
    ),
    PiiKind.PERSON_NAME: re.compile(
        r"(?:first|last|sur|full|given|family|middle|maiden|fore|person|customer|patient|passenger|employee|contact"
        r"|(?:card|account|policy)?holder|beneficiary|payee|payer|insured|guest|spouse|applicant|borrower|guarantor"
        r"|signatory)s?names?|[fl]name|(?:card|account|policy)holder|(?:nach|vor|familien)name|(?:voor|achter)naam|prenom"
        r"|apellidos?|cognome"
    ),
    PiiKind.STREET_ADDRESS: re.compile(
        r"street(?:name|address|line)?|addr(?:ess)?(?:lines?)?|(?:home|billing|shipping|postal|mailing)addr(?:ess)?"
        r"|strasse|adresse|direccion|domicilio|indirizzo|adres"
    ),
}
"""Words that indicate what a column contains, also where several are written as one."""
_OTHER = {
    PiiKind.STREET_ADDRESS: {"ip", "email", "mail", "mac", "web", "url", "wallet", "host", "memory", "type", "id"}
    | {"ips", "emails", "mails"}
}
"""Words with which a column is about something else: ``ip_address``."""


_PARTS = {"element", "key", "value"}
"""The steps of a path that are no names: into an array, and into a map."""


def words(name: str) -> set[str]:
    """The words of a column's name in lower case: ``homePhone_1`` is about a phone, ``classname`` not about an SSN."""
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return {*parts, *(a + b for a, b in pairwise(parts))}


def names_kind(column: str, kind: str) -> bool:
    """Whether the name of ``column`` indicates values of ``kind``: ``homephone``, ``custSSN``.

    In a path within a column each name counts together with the one before it: ``customers.element.name`` is a
    person's, ``ip.address`` is no street, and ``web.owner.home_address`` is one.
    """
    known = PiiKind.__members__.get(kind)
    if known not in _TELLING:
        return False
    names = [name for name in column.split(".") if name not in _PARTS] or [column]
    pairs = (".".join(names[max(0, place - 1) : place + 1]) for place in range(len(names)))
    return any(
        not parts & _OTHER.get(known, set()) and any(map(_TELLING[known].fullmatch, parts))
        for parts in map(words, pairs)
    )
