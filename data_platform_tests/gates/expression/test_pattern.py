"""A pattern that overflows the JVM's stack on a long text is detected; a harmless one of any length is allowed."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression.rule import whole_value
from data_platform.sql.pattern_depth import too_deep

HARMLESS = [
    pytest.param(r"[a-z]*\d+", "a", id="classes"),
    pytest.param(r"(\d{3},)*", "123,", id="a group that always matches alike"),
    pytest.param(r"(?:a|b)*+", "ab", id="a group that gives nothing back"),
    pytest.param(r"(?>a|b)*", "ab", id="an atomic group"),
    pytest.param(r"(a|b)[ab]*", "ab", id="a group once"),
    pytest.param(r"(?:a|b){0,400}.*", "ab", id="some turns"),
    pytest.param(r"[(a|b)*]*", "(a|b)*", id="a group's signs within a class"),
    pytest.param(r"(?:\Q(a|b)*\E)*", "(a|b)*", id="a group's signs within a quotation"),
    pytest.param(r"(?:\(a\|b\))*", "(a|b)", id="a group's signs escaped"),
    pytest.param(r"(?:[^]a]x)*", "bx", id="a bracket that comes first in its class"),
    pytest.param(r"(?:[a-z&&[^x]]b)*", "ab", id="a class within a class"),
    pytest.param(r"(?i)(?:ab)*", "aB", id="a flag"),
    pytest.param(r"(?:(?=a)ab)*", "ab", id="looking ahead"),
]
HARMFUL = [
    pytest.param(r"x(a|b)*", "(a|b)*", id="alternatives"),
    pytest.param(r"(?:\w+,)+", r"(?:\w+,)+", id="a repeat within a repeat"),
    pytest.param(r"([a-z]+\s?)*?", r"([a-z]+\s?)*?", id="lazily"),
    pytest.param(r"(?<word>a|b){2,}", r"(?<word>a|b){2,}", id="a name, and no upper bound"),
    pytest.param(r"(?:(?:a|b){0,100}){0,100}", "(?:(?:a|b){0,100}){0,100}", id="a product of turns"),
    pytest.param(r"(?:a|b){0,300}(?:c|d){0,300}", "(?:c|d){0,300}", id="a sum of turns"),
    pytest.param(r"(?:(?:a|b)*)?", "(?:a|b)*", id="inside another group"),
    pytest.param(r"(?:\R|a)*", r"(?:\R|a)*", id="line ends"),
    pytest.param(r"(?i:a|b)*", "(?i:a|b)*", id="with a flag"),
    pytest.param(r"((ab)*c)*", "((ab)*c)*", id="harmless within, harmful around"),
]


@pytest.mark.parametrize(("pattern", "turn"), HARMLESS)
def test_a_pattern_that_java_matches_in_a_loop_is_let_through(spark: SparkSession, pattern: str, turn: str) -> None:
    rows = spark.range(1).select(F.repeat(F.lit(turn), F.lit(400_000 // len(turn))).alias("text"))

    assert too_deep(pattern) == ""
    assert rows.where(F.col("text").rlike(whole_value(pattern))).count() in (0, 1)  # and not the end of the JVM


@pytest.mark.parametrize(("pattern", "part"), HARMFUL)
def test_a_group_that_java_recurses_into_is_named(pattern: str, part: str) -> None:
    assert too_deep(pattern) == part
