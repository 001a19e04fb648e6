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
        r"|contact(?:no|nr|num|numbers?|nbr)"
    ),
    PiiKind.DATE_OF_BIRTH: re.compile(
        r"dob|bday|birth(?:date|day|dt)|(?:dt|date|dateof|of)birth|geburts(?:datum|tag)|geboren(?:am)?|geboortedatum"
        r"|naissance|nacimiento|nascita"
    ),
    PiiKind.PERSON_NAME: re.compile(
        r"(?:first|last|sur|full|given|family|middle|maiden|fore|person|customer|patient|passenger|employee|contact"
        r"|(?:card|account|policy)?holder|beneficiary|payee|payer|insured|guest|spouse|applicant|borrower|guarantor"
        r"|signatory)names?|[fl]name|(?:card|account|policy)holder|(?:nach|vor|familien)name|(?:voor|achter)naam|prenom"
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
}
"""Words with which a column is about something else: ``ip_address``."""


def words(name: str) -> set[str]:
    """The words of a column's name in lower case: ``homePhone_1`` is about a phone, ``classname`` not about an SSN."""
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return {*parts, *(a + b for a, b in pairwise(parts))}


def names_kind(column: str, kind: str) -> bool:
    """Whether the name of ``column`` indicates values of ``kind``: ``homephone``, ``custSSN``."""
    known = PiiKind.__members__.get(kind)
    if known not in _TELLING:
        return False
    parts = words(column)
    return not parts & _OTHER.get(known, set()) and any(map(_TELLING[known].fullmatch, parts))
