"""What one text contains, and its remediation; ``pii`` applies these expressions to columns and nested texts."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_kind import has_at
from data_platform.gates.expression.pii_spelling import may_be_odd, plain
from data_platform.gates.expression.token import TokenKey, spliced
from data_platform.model.policy_bundle import PiiAction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

    from data_platform.gates.expression.pii_search import Sought

_GONE = "*"


def holds(value: Column, *, item: Sought, claimed: Sequence[Sought]) -> Column:
    from pyspark.sql import functions as F

    as_it_is = item.shape.candidate(value) & _without(value, claimed).rlike(item.pattern)
    spelled = plain(value)
    otherwise = may_be_odd(value) & (spelled != value) & spelled.rlike(item.pattern)
    return F.when(as_it_is, F.lit(True)).otherwise(otherwise)


def _without(value: Column, claimed: Sequence[Sought]) -> Column:
    """The text without what other shapes claim. Shapes overlap only around an @ or a +, and removing is slow."""
    from pyspark.sql import functions as F

    if not claimed:
        return value
    rest = reduce(lambda text, item: F.regexp_replace(text, item.pattern, _GONE), claimed, value)
    return F.when(_overlapping(value), rest).otherwise(value)


def _overlapping(value: Column) -> Column:
    return has_at(value) | value.contains("+")


def remediated(value: Column, sought: Sequence[Sought], key: TokenKey | None) -> Column:
    """One pass for each shape, the later ones on the result of the earlier; an odd spelling redacts the whole text."""
    from pyspark.sql import functions as F

    text = value
    # One guard for all shapes of a candidate, on the raw value: a guard for each would copy the text before it.
    for candidate in dict.fromkeys(item.shape.candidate for item in sought):
        items = [item for item in sought if item.shape.candidate is candidate]
        replaced = reduce(lambda before, item: _replaced(before, item, key), items, text)
        text = F.when(candidate(value), replaced).otherwise(text)
    # From the last to the first, so that the first is tested first: an SSN is not tested for being an ITIN.
    for position, item in reversed(list(enumerate(sought))):
        if key is not None and item.action is PiiAction.TOKENIZE:
            text = F.when(_is_whole(value, item, first=position == 0), _token(value, item, key)).otherwise(text)
    return F.coalesce(_odd_redacted(value, sought), text)


def _odd_redacted(value: Column, sought: Sequence[Sought]) -> Column:
    """The placeholder for a value that only an odd spelling hid; NULL for every other."""
    from pyspark.sql import functions as F

    spelled = plain(value)
    kinds = [F.when(spelled.rlike(item.pattern), F.lit(f"[REDACTED:{item.shape.label}]")) for item in sought]
    return F.when(may_be_odd(value), F.when(spelled != value, F.coalesce(*kinds)))


def _is_whole(value: Column, item: Sought, *, first: bool) -> Column:
    """Whether the whole column value is such a value: its token is computed here, for a third of the cost."""
    whole = item.shape.candidate(value) & value.rlike(rf"\A(?:{item.pattern})\z")
    return whole if first else whole & ~_overlapping(value)


def _token(match: Column, item: Sought, key: TokenKey) -> Column:
    return key.token(item.shape.label, item.shape.normal(match))


def _replaced(text: Column, item: Sought, key: TokenKey | None) -> Column:
    from pyspark.sql import functions as F

    if item.action is PiiAction.MASK:
        return F.regexp_replace(text, item.pattern, item.shape.mask)
    if item.action is PiiAction.REDACT:
        return F.regexp_replace(text, item.pattern, f"[REDACTED:{item.shape.label}]")
    assert key is not None, "plan makes a key when a rule tokenizes"  # noqa: S101
    tokens = key
    return spliced(text, item.pattern, lambda match: _token(match, item, tokens))
