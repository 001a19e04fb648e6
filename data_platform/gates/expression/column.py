"""Two column expressions that every gate uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column


def quoted(name: str) -> Column:
    """The column of exactly this name: ``a.b`` is one column, not a field of ``a``."""
    from pyspark.sql import functions as F

    return F.col("`" + name.replace("`", "``") + "`")


def never_null(broken: Column) -> Column:
    """``broken``, and false where it is NULL: for rules that do not judge a NULL."""
    from pyspark.sql import functions as F

    return F.coalesce(broken, F.lit(False))
