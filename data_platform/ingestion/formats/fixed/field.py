"""Turns the characters of one field, of many records at once, into its values: padding, signs, implied decimals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from data_platform.model.fixed_layout import Align, Sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from data_platform.model.fixed_layout import FieldPlace

_BLANKS = " \0"
"""Mainframes fill an empty field with blanks or with NUL characters (LOW-VALUES)."""
_NUMBERS = {
    None: r"^(?P<sign>[+-]?)(?P<digits>[0-9]+)$",
    Sign.LEADING: r"^(?P<sign>[+-]?)(?P<digits>[0-9]+)$",
    Sign.TRAILING: r"^(?P<digits>[0-9]+)(?P<sign>[+-]?)$",
    Sign.OVERPUNCH: r"^(?P<digits>[0-9]*)(?P<sign>[0-9{}A-R])$",
}
_OVERPUNCH = "0123456789{ABCDEFGHI}JKLMNOPQR"


class Values(NamedTuple):
    """``values`` is NULL where the field is empty. Where ``is_bad`` returns true, it has no value, for ``reason``."""

    values: Any
    is_bad: Callable[[], Any]
    reason: str


def field_values(texts: Any, place: FieldPlace) -> Values:
    """The values of the field in ``texts``, an Arrow array of its characters."""
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    if place.is_number:
        return _numbers(_without_padding(texts, place), place)
    trimmed = _without_padding(texts, place)
    if place.pad == "0" and place.align is Align.RIGHT:
        trimmed = pc.replace_substring_regex(trimmed, r"^0+([0-9])", r"\1")
    return Values(_null_if_empty(trimmed), lambda: pc.match_substring(trimmed, "\0"), "a NUL character within a field")


def _without_padding(texts: Any, place: FieldPlace) -> Any:
    import pyarrow.compute as pc

    trimmed = pc.ascii_trim(texts, characters=_BLANKS)
    if place.pad in _BLANKS or (place.pad == "0" and (place.is_number or place.align is Align.RIGHT)):
        return trimmed  # the last zero of a number is one of its digits
    trim = pc.utf8_ltrim if place.align is Align.RIGHT else pc.utf8_rtrim
    return pc.ascii_trim(trim(trimmed, characters=place.pad), characters=_BLANKS)


def _numbers(texts: Any, place: FieldPlace) -> Values:
    import pyarrow as pa
    import pyarrow.compute as pc

    decimals = place.decimals or 0
    parts = pc.extract_regex(texts, _NUMBERS[place.sign])
    is_number = parts.is_valid()
    digits, sign = pc.struct_field(parts, "digits"), pc.struct_field(parts, "sign")
    if place.sign is Sign.OVERPUNCH:
        number = pc.index_in(sign, pa.array(list(_OVERPUNCH)))
        digits = pc.binary_join_element_wise(digits, pa.array(list("0123456789" * 3)).take(number), "")
        sign = pc.if_else(pc.greater_equal(number, 20), "-", "")
    digits = pc.utf8_lpad(digits, decimals + 1, "0")
    pattern, written = r"^0*([0-9]+)$", r"\1"
    if decimals:
        pattern, written = rf"^0*([0-9]+)([0-9]{{{decimals}}})$", r"\1.\2"
    plain = pc.replace_substring_regex(digits, pattern, written)
    values = pc.if_else(pc.equal(sign, "-"), pc.binary_join_element_wise("-", plain, ""), plain)
    is_bad = pc.and_not(pc.not_equal(pc.binary_length(texts), 0), is_number)
    return Values(values, lambda: is_bad, f"expected digits alone, with {decimals} implied decimals")


def _null_if_empty(texts: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(pc.binary_length(texts), 0), pa.scalar(None, pa.string()), texts)


def number_text(text: str, place: FieldPlace) -> str | None:
    """The number in the characters of one field; None, if it is none."""
    import pyarrow as pa

    found = field_values(pa.array([text]), place)
    value = found.values[0].as_py()
    return value if value is not None and re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", value) else None
