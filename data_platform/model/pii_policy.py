"""Which personal values the gate looks for, and what it does with them: ``pii`` of ``policy_bundle.yaml``."""

from __future__ import annotations

import operator
from enum import StrEnum

from pydantic import Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.verdict import Severity


class PiiKind(StrEnum):
    """The kinds that the platform detects; a policy may declare more under ``pii.kinds``."""

    EMAIL = "EMAIL"
    PHONE = "PHONE"
    SSN = "SSN"
    CREDIT_CARD = "CREDIT_CARD"
    IBAN = "IBAN"
    DATE_OF_BIRTH = "DATE_OF_BIRTH"
    IP_ADDRESS = "IP_ADDRESS"
    PERSON_NAME = "PERSON_NAME"
    STREET_ADDRESS = "STREET_ADDRESS"


class PiiAction(StrEnum):
    """``drop`` removes the whole text in which a value is found: it becomes NULL. The others replace the value only."""

    TOKENIZE = "tokenize"
    MASK = "mask"
    REDACT = "redact"
    DROP = "drop"


class PiiRule(Closed):
    """What happens to values of a kind, which ``pattern`` names: one of the platform's or of ``pii.kinds``.

    ``fields`` limits the search; the default is every text column. With ``in_text`` the classifier looks for names or
    addresses within the texts of ``fields``, and only what it finds is replaced. A token with ``reversible`` contains
    the encrypted value, which ``data-platform pii detokenize`` shows to a steward.
    """

    pattern: str = Field(json_schema_extra={"examples": [kind.value for kind in PiiKind]})
    action: PiiAction
    fields: tuple[str, ...] = ()
    reversible: bool = Field(default=False, exclude_if=operator.not_)  # a rule without it keeps its fingerprint

    in_text: bool = Field(default=False, exclude_if=operator.not_)

    @model_validator(mode="after")
    def _in_text_is_for_the_classifier(self) -> PiiRule:
        if self.in_text and self.pattern not in (PiiKind.PERSON_NAME, PiiKind.STREET_ADDRESS):
            raise ValueError(f"in_text: {self.pattern} is found within texts anyway; it is for names and addresses")
        if self.in_text and not self.fields:
            raise ValueError("in_text: name the text columns in fields; the classifier takes longer than patterns")
        return self

    @model_validator(mode="after")
    def _only_tokens_are_reversible(self) -> PiiRule:
        if self.reversible and self.action is not PiiAction.TOKENIZE:
            raise ValueError(f"reversible: the action is {self.action}; only tokens can be opened again")
        return self


class CheckName(StrEnum):
    """Check digits that a match must have: Luhn's, those of ISO 7064 mod 97-10, or none."""

    LUHN = "luhn"
    MOD97 = "mod97"
    NONE = "none"


class OwnKind(Closed):
    """A kind of the policy's own: a Java regular expression and the check that a match must pass.

    A match is never a part of a longer word or number. Each repetition needs an upper bound, such as ``{1,20}``, so
    that no text takes long to search.
    """

    name: str = Field(pattern=r"^[A-Z][A-Z0-9_]{1,30}$")
    regex: str = Field(min_length=1)
    check: CheckName = CheckName.NONE


class Undeclared(Closed):
    """What happens if a sample of a column contains a kind that no rule is for.

    ``share`` is the least share of the sample's values, 0..1, that makes a finding. ``allowed`` maps a column to the
    kinds that it may contain as they are. ``sample`` is the number of rows; 0 looks for nothing.
    """

    severity: Severity = Severity.WARN
    share: float = Field(default=0.05, gt=0, le=1)
    sample: int = Field(default=1000, ge=0, le=100_000)
    allowed: dict[str, tuple[PiiKind, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_of_the_batch(self) -> Undeclared:
        if self.severity is Severity.QUARANTINE:
            raise ValueError("severity: a sample names no rows to quarantine; write WARN, or BLOCK to hold the batch")
        return self

    def is_allowed(self, column: str, kind: str) -> bool:
        return any(kind in kinds for name, kinds in self.allowed.items() if name.lower() == column.lower())


class Pii(Closed):
    detection: tuple[PiiRule, ...] = ()
    kinds: tuple[OwnKind, ...] = ()
    undeclared: Undeclared = Undeclared()

    @property
    def tokenizes(self) -> bool:
        return any(rule.action is PiiAction.TOKENIZE for rule in self.detection)

    @model_validator(mode="after")
    def _each_kind_exists_once(self) -> Pii:
        names = [*PiiKind, *(kind.name for kind in self.kinds)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"kinds: {', '.join(twice)} exists already; use another name")
        for rule in self.detection:
            if rule.pattern not in names:
                raise ValueError(
                    f"detection: {rule.pattern!r} is not allowed; allowed: {', '.join(names)}, and pii.kinds"
                )
        return self
