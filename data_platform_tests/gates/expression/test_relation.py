"""Uniqueness and references: how many rows break them, which ones, and how keys are compared."""

import json

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression import relation
from data_platform.gates.expression.relation import Related, Target
from data_platform.model.contract import Reference, Unique
from data_platform.model.quarantine import VIOLATIONS


def named(spark: SparkSession, *names: str | None) -> DataFrame:
    """One row a name; ``n`` counts from 1."""
    return spark.createDataFrame(list(enumerate(names, start=1)), "n int, name string")


def test_duplicates_are_reported_by_keys_rows_and_surplus_rows(spark: SparkSession) -> None:
    rows = named(spark, "a", "a", "a", None, None, "b", "b", "c")

    found = relation.duplicates(rows, Unique(fields=("name",)))

    assert found == Related(4, "3 keys occur more than once: 7 rows involved, 4 surplus")
    assert relation.duplicates(rows, Unique(fields=("n", "name"))) == Related(0)


@pytest.mark.parametrize(
    ("names", "compare", "surplus"),
    [
        pytest.param(("a", " a", "A"), (), 0, id="exactly, if nothing is said"),
        pytest.param(("a", "\u00a0a ", "A"), ("trim",), 1, id="trimmed, of any white space"),
        pytest.param(("a", " a", "A"), ("ignore_case",), 1, id="in any case"),
        pytest.param(("größe", "gro\u0308ße", "GRÖßE"), ("unicode",), 1, id="in any Unicode form"),
        pytest.param(("größe", " gro\u0308ße", "GRÖßE"), ("trim", "ignore_case", "unicode"), 2, id="all three"),
        pytest.param((None, " ", ""), ("trim",), 1, id="NULL is not an empty key"),
    ],
)
def test_text_keys_are_compared_by_the_rule(
    spark: SparkSession, names: tuple[str | None, ...], compare: tuple[str, ...], surplus: int
) -> None:  # C10, C26
    unique = Unique.model_validate({"fields": ["name"], "compare": list(compare)})

    assert relation.duplicates(named(spark, *names), unique).rows == surplus


def test_a_reference_is_asked_only_of_rows_that_refer(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("A",), ("Z",), (None,), ("Z",)], "kind string")
    kinds = spark.createDataFrame([("A",), ("A",), (None,)], "code string")
    reference = Reference(fields=("kind",), dataset="ds://x/kinds", key=("code",))

    found = relation.unreferenced(rows, reference, kinds, 7)

    assert found == Related(2, "2 rows refer to no code in ds://x/kinds v7")


def test_one_question_answers_unique_keys_and_references(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(1, "A"), (1, "Z"), (2, None), (2, "Z"), (None, "B")], "n int, kind string")
    kinds = spark.createDataFrame([("A",), ("A",), (None,)], "code string")
    letters = spark.createDataFrame([("a",), ("b",)], "kind string")
    uniques = [Unique(fields=("n",)), Unique(fields=("kind",)), Unique(fields=("n", "kind"))]
    exact = Reference(fields=("kind",), dataset="ds://x/kinds", key=("code",))
    loose = Reference.model_validate({"fields": ["kind"], "dataset": "ds://x/letters", "compare": ["ignore_case"]})
    targets = [Target(exact, kinds, 7), Target(loose, letters)]

    surplus, missing = relation.related(rows, uniques, targets)

    assert [found.rows for found in surplus] == [2, 1, 0]
    assert surplus == [relation.duplicates(rows, unique) for unique in uniques]
    assert [found.rows for found in missing] == [3, 2]
    assert missing == [relation.unreferenced(rows, t.reference, t.rows, t.version) for t in targets]
    assert relation.related(rows.where("n > 9"), uniques[:1], targets) == ([Related(0)], [Related(0), Related(0)])
    assert relation.related(rows, [], []) == ([], [])


def test_a_reference_may_be_compared_in_any_case(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a ",), ("Z",)], "kind string")
    kinds = spark.createDataFrame([("A",)], "code string")
    compare = {"fields": ["kind"], "dataset": "ds://x/kinds", "key": ["code"], "compare": ["trim", "ignore_case"]}

    found = relation.unreferenced(rows, Reference.model_validate_json(json.dumps(compare)), kinds)

    assert found.rows == 1
    assert found.reason.endswith("(keys compared with trim, ignore_case)")


def test_rows_of_a_held_batch_carry_what_they_break_themselves(spark: SparkSession) -> None:
    rows = named(spark, "a", "a", "b", "z", None)
    reference = Reference(fields=("name",), dataset="ds://x/names")
    target = spark.createDataFrame([("a",), ("b",)], "name string")

    marked = relation.marked(
        rows,
        {"INVARIANT:n:small": F.col("n") > 2},
        {"NOT_UNIQUE:name": Unique(fields=("name",))},
        {"UNKNOWN_REFERENCE:name": (reference, target)},
    )

    assert marked.columns == ["n", "name", VIOLATIONS]
    assert {row["n"]: list(row[VIOLATIONS]) for row in marked.collect()} == {
        1: ["NOT_UNIQUE:name"],
        2: ["NOT_UNIQUE:name"],
        3: ["INVARIANT:n:small"],
        4: ["INVARIANT:n:small", "UNKNOWN_REFERENCE:name"],
        5: ["INVARIANT:n:small"],
    }
