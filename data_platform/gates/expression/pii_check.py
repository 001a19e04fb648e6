"""Check digits as Spark expressions; ``model.check_digit`` has the same in Python.

They are computed for texts that match a pattern only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column


def luhn(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.call_function("luhn_check", F.regexp_replace(match, "[^0-9]", ""))


def mod97(match: Column) -> Column:
    """Whether the letters and digits pass ISO 7064 mod 97-10, check digits last."""
    return _remainder(_signs(match)) == 1


def iban(match: Column) -> Column:
    """Whether an IBAN's check digits are right. Its pattern has tested country and length."""
    from pyspark.sql import functions as F

    signs = _signs(match)
    return _remainder(F.concat(F.substr(signs, F.lit(5)), F.left(signs, F.lit(4)))) == 1


def _signs(match: Column) -> Column:
    from pyspark.sql import functions as F

    return F.upper(F.regexp_replace(match, "[^0-9A-Za-z]", ""))


def _remainder(signs: Column) -> Column:
    from pyspark.sql import functions as F

    def with_next(rest: Column, sign: Column) -> Column:
        code = F.ascii(sign)
        return F.when(code >= 65, (rest * 100 + code - 55) % 97).otherwise((rest * 10 + code - 48) % 97)

    return F.aggregate(F.split(signs, ""), F.lit(0), with_next)


CHECKS: dict[str, Callable[[Column], Column]] = {"luhn": luhn, "mod97": mod97}
"""The checks that a policy's own kind may name."""
