"""A translated pattern matches in Python exactly the texts that it matches in the gates; others are refused."""

import itertools
import random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.frame.regex import whole_value
from data_platform.frame.term import UntranslatableError
from data_platform.gates.expression import rule

PARTS = (
    "a", "b", ".", r"\d", r"\w", r"\s", r"\S", r"\D", "[ab]", "[^a]", r"[\s-]", r"[a\d]", "$", "^", "(?:a|b)",
    "(a)", "(?=a)",
    "(?!b)", r"\.", r"\n", "é", "a{2}", "|",
)  # fmt: skip
QUANTIFIED = (*PARTS[:11], *(part + sign for part in PARTS[:11] for sign in ("?", "*", "+", "*?", "++")))
TEXTS = [
    *("".join(signs) for size in range(3) for signs in itertools.product("ab1 \n\r-.", repeat=size)),
    "a\r\n", "a\n\r", "a\x85", "a\u2028", "\u00a0", "\u3000a", "\u200b", "é", "e\u0301", "٣", "a\u0000", "aaa", "😀",
    "😀a", "ab1",
]  # fmt: skip


def patterns() -> list[str]:
    """Two or three parts, chosen at random but always the same, and those that a policy has."""
    choice = random.Random(1)  # noqa: S311 - not for secrets
    made = {"".join(choice.choices((*PARTS, *QUANTIFIED), k=choice.randint(1, 3))) for _ in range(300)}
    return sorted({*made, "[0-9A-Z]{2}", "BK-[0-9]{8}-[0-9]{4}", "^a$", "a$\n", "(?:a$|b)\n?", r".*\s"})


def translated(pattern: str) -> bool:
    try:
        whole_value(pattern)
    except UntranslatableError:
        return False
    return True


def test_a_translated_pattern_matches_what_the_gate_matches(spark: SparkSession) -> None:
    tried = [pattern for pattern in patterns() if translated(pattern)]
    rows = spark.createDataFrame([(text,) for text in TEXTS], "text string").coalesce(1)
    jvm = spark._jvm
    assert jvm is not None
    flags = [F.col("text").rlike(rule.whole_value(pattern)).alias(f"p{n}") for n, pattern in enumerate(tried)]

    found = rows.select("text", F.array(*flags).alias("matched")).collect()

    different = [
        (pattern, row["text"])
        for row in found
        for pattern, matched in zip(tried, row["matched"], strict=True)
        if (whole_value(pattern).match(row["text"]) is not None) is not matched
    ]
    assert different == []
    assert len(tried) > 180


@pytest.mark.parametrize(
    "pattern",
    [
        r"\p{L}+", r"\bword\b", "[a-z&&[^b]]", "[a[bc]]", r"\Qa\E", r"\h", r"\R", r"(a)\1", "(?i)a", "(?<n>a)",
        r"\z", "(?x) a",
        "[^\\S]", "a{,2}", "[]a]", r"\x{1F600}", r"\0101", "(?<=a+)b", "[a",
    ],
)  # fmt: skip
def test_a_pattern_that_may_mean_something_else_is_refused(pattern: str) -> None:
    with pytest.raises(UntranslatableError):
        whole_value(pattern)
