"""How the text columns of a batch are treated that the policy searches for personal values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.token import is_one
from data_platform.model.pii_policy import PiiAction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

SAFE = "_safe_"  # the prefix of a temporary column with safe values


@dataclass(frozen=True)
class PiiPlan:
    """How the text columns that the policy searches are treated.

    ``remediated`` maps a column to its value with every finding remediated, ``found`` a signature
    (``PII:EMAIL:contact``) to a never-NULL boolean, true if the raw value contains one, ``actions`` a signature to
    ``tokenize``, ``mask``, ``redact`` or ``drop``. A text within a column has a signature of its own, such as
    ``PII:EMAIL:contact.email``. ``steps`` are temporary columns, each of which may read those before it.
    Columns are not in the repr: those of tokens contain the key material.
    """

    remediated: dict[str, Column] = field(repr=False)
    found: dict[str, Column] = field(repr=False)
    actions: dict[str, str]
    nested: frozenset[str] = frozenset()  # the signatures of texts within columns
    in_text: frozenset[str] = frozenset()  # the signatures of names and addresses within texts
    steps: tuple[dict[str, Column], ...] = field(default=(), repr=False)

    def begun_in(self, rows: DataFrame) -> DataFrame:
        """``rows`` with the temporary columns that ``remediated`` and ``found`` read, step by step."""
        return reduce(lambda before, step: before.withColumns(step), self.steps, rows)

    def computed_in(self, rows: DataFrame) -> DataFrame:
        """``rows`` with each safe value in a column of its own, computed once, then counted and written."""
        return self.begun_in(rows).withColumns({SAFE + name: value for name, value in self.remediated.items()})

    def found_by_safe(self) -> dict[str, Column]:
        """``found`` for the rows of ``computed_in``: an unchanged value contained nothing, and is not searched again.

        A changed one is searched again only if several kinds are searched in it and it is not a single token.
        """
        several: dict[str, list[str]] = {}
        for signature in (s for s in self.found if s not in self.nested):
            several.setdefault(signature.split(":", 2)[2], []).append(signature)
        flags: dict[str, Column] = {signature: self.found[signature] for signature in self.nested}
        for name, signatures in several.items():
            safe = quoted(SAFE + name)
            changed = ~safe.eqNullSafe(quoted(name))
            which = self._which(safe, signatures) if len(signatures) > 1 else {}
            flags |= {signature: changed & which[signature] if which else changed for signature in signatures}
        return flags

    def _which(self, safe: Column, signatures: Sequence[str]) -> dict[str, Column]:
        from pyspark.sql import functions as F

        tokens = [s for s in signatures if self.actions[s] == PiiAction.TOKENIZE.value]
        which: dict[str, Column] = {}
        for signature in signatures:
            flag = self.found[signature]
            for token in tokens:
                flag = F.when(is_one(safe, token.split(":", 2)[1]), F.lit(token == signature)).otherwise(flag)
            which[signature] = flag
        return which
