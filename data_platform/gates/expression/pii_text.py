"""What one text contains, and its remediation; ``pii`` applies these expressions to columns and nested texts."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.expression.pii_shape import has_at
from data_platform.gates.expression.pii_spelling import may_be_odd, plain
from data_platform.gates.expression.token import TokenKey, spliced
from data_platform.model.pii_policy import PiiAction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

    from data_platform.gates.expression.pii_search import Sought

_GONE = "*"
_GONE_ADDRESS = "***@"
"""What stands for a claimed part. An address keeps its sign, since a phone number may stand beside one."""


def holds(value: Column, *, item: Sought, claimed: Sequence[Sought]) -> Column:
    from pyspark.sql import functions as F

    as_it_is = item.shape.candidate(value) & _contains(_without(value, item, claimed), item)
    spelled = plain(value)
    # First the test that all kinds share: Spark computes what each expression begins with once for a value.
    in_odd_spelling = F.when(may_be_odd(value), (spelled != value) & _contains(spelled, item)).otherwise(F.lit(False))
    return in_odd_spelling | as_it_is


def _contains(text: Column, item: Sought) -> Column:
    from pyspark.sql import functions as F

    matches = text.rlike(item.pattern)
    check = item.shape.check
    if check is None:
        return matches
    return matches & F.exists(F.regexp_extract_all(text, F.lit(item.pattern), F.lit(0)), check)


def _without(value: Column, item: Sought, claimed: Sequence[Sought]) -> Column:
    """The text without what other shapes claim. Shapes overlap only around an @ or a +, and removing is slow."""
    from pyspark.sql import functions as F

    rest = value
    parts = [other for other in claimed if not other.shape.whole]
    if parts:
        rest = F.when(_overlapping(value), reduce(_blanked, parts, value)).otherwise(value)
    for other in claimed:
        if other.shape.label in item.shape.within:
            rest = F.when(_contains(value, other), _blanked(rest, other)).otherwise(rest)
        elif other.shape.whole:
            rest = F.when(value.rlike(other.pattern), F.lit(_GONE)).otherwise(rest)
    return rest


def _blanked(text: Column, item: Sought) -> Column:
    from pyspark.sql import functions as F

    if item.shape.check is None:
        return F.regexp_replace(text, item.pattern, _GONE_ADDRESS if item.shape.candidate is has_at else _GONE)
    return spliced(text, item.pattern, lambda match: _if_right(match, item, F.lit(_GONE)))


def _overlapping(value: Column) -> Column:
    return has_at(value) | value.contains("+")


def remediated(value: Column, sought: Sequence[Sought], key: TokenKey | None) -> Column:
    """One pass for each shape, the later ones on the result of the earlier; an odd spelling redacts the whole text."""
    from pyspark.sql import functions as F

    parts = [item for item in sought if not item.shape.whole]
    text = _in_parts(value, parts, key)
    # From the last to the first, so that the first is tested first: an SSN is not tested for being an ITIN.
    for position, item in reversed(list(enumerate(parts))):
        if key is not None and item.action is PiiAction.TOKENIZE:
            text = F.when(_is_whole(value, item, parts[:position]), _token(value, item, key)).otherwise(text)
    text = F.coalesce(_odd_redacted(value, sought), text)
    for item in reversed([item for item in sought if item.shape.whole]):
        whole = item.shape.candidate(value) & value.rlike(item.pattern)
        text = F.when(whole, _replacement(value, item, key)).otherwise(text)
    for position, item in enumerate(sought):
        if item.action is PiiAction.DROP:
            found = holds(value, item=item, claimed=sought[:position])
            text = F.when(found, F.lit(None).cast("string")).otherwise(text)
    return text


def _in_parts(value: Column, sought: Sequence[Sought], key: TokenKey | None) -> Column:
    from pyspark.sql import functions as F

    text = value
    # One guard for all shapes of a candidate, on the raw value: a guard for each would copy the text before it.
    for candidate in dict.fromkeys(item.shape.candidate for item in sought):
        items = [item for item in sought if item.shape.candidate is candidate and item.action is not PiiAction.DROP]
        replaced = reduce(lambda before, item: _replaced(before, item, key), items, text)
        text = F.when(candidate(value), replaced).otherwise(text)
    return text


def _odd_redacted(value: Column, sought: Sequence[Sought]) -> Column:
    """The placeholder for a value that only an odd spelling hid; NULL for every other."""
    from pyspark.sql import functions as F

    spelled = plain(value)
    kinds = [F.when(_contains(spelled, item), F.lit(f"[REDACTED:{item.shape.label}]")) for item in sought]
    return F.when(may_be_odd(value), F.when(spelled != value, F.coalesce(*kinds)))


def _is_whole(value: Column, item: Sought, earlier: Sequence[Sought]) -> Column:
    """Whether the whole column value is such a value: its token is computed here, for a third of the cost.

    In a column of phone numbers the groups ``12 912-70-1234`` are one as a whole, but the taxpayer number in it is
    claimed before.
    """
    whole = item.shape.candidate(value) & value.rlike(rf"\A(?:{item.pattern})\z")
    if item.shape.check is not None:
        whole = whole & item.shape.check(value)
    if not earlier:
        return whole
    others = [other for other in earlier if other.shape.candidate is not has_at]  # _overlapping excludes addresses
    claimed = [other.shape.candidate(value) & _contains(value, other) for other in others]
    return reduce(lambda free, claim: free & ~claim, claimed, whole & ~_overlapping(value))


def _token(match: Column, item: Sought, key: TokenKey) -> Column:
    return key.token(item.shape.label, item.shape.normal(match), reversible=item.reversible)


def _replaced(text: Column, item: Sought, key: TokenKey | None) -> Column:
    from pyspark.sql import functions as F

    shape = item.shape
    if shape.check is None and item.action is PiiAction.MASK and shape.masked is None:
        return F.regexp_replace(text, item.pattern, shape.mask)
    if shape.check is None and item.action is PiiAction.REDACT:
        return F.regexp_replace(text, item.pattern, f"[REDACTED:{shape.label}]")
    return spliced(text, item.pattern, lambda match: _if_right(match, item, _replacement(match, item, key)))


def _if_right(match: Column, item: Sought, replacement: Column) -> Column:
    """``replacement`` for a match whose check digits are right, else the match itself; NULL for NULL."""
    from pyspark.sql import functions as F

    check = item.shape.check
    if check is None:
        return F.when(match.isNotNull(), replacement)
    return F.when(check(match), replacement).otherwise(match)


def _replacement(match: Column, item: Sought, key: TokenKey | None) -> Column:
    from pyspark.sql import functions as F

    if item.action is PiiAction.MASK:
        masked = item.shape.masked
        return masked(match) if masked else F.regexp_replace(match, item.pattern, item.shape.mask)
    if item.action is PiiAction.TOKENIZE:
        assert key is not None, "plan makes a key when a rule tokenizes"  # noqa: S101
        return _token(match, item, key)
    return F.lit(f"[REDACTED:{item.shape.label}]")
