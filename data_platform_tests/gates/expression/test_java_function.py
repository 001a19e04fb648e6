"""A function in Java runs in each of Spark's tasks, and encrypts as Spark's own does."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.gates.expression.java_function import java_function

KEYS = (bytes(range(32)), bytes(range(32))[::-1])


def test_a_value_of_any_length_is_encrypted_as_spark_does_it_by_either_key(spark: SparkSession) -> None:
    rows = (
        spark.newSession()
        .range(70, numPartitions=3)
        .select(
            F.expr("cast(repeat('é', int(id)) AS binary)").alias("text"),
            F.expr("unhex(md5(string(id)))").alias("vector"),
        )
    )
    mode, padding = F.lit("CBC"), F.lit("PKCS")

    pairs = [
        (
            java_function("AesCbc", F.col("text"), F.lit(key), F.col("vector")).cast("string"),
            F.lower(F.hex(F.aes_encrypt(F.col("text"), F.lit(key), mode, padding, F.col("vector")))),
        )
        for key in KEYS
    ]

    # In one task the two keys take turns.
    found = rows.select(*(ours.alias(f"ours{n}") for n, (ours, _) in enumerate(pairs)),
                        *(spark_s.alias(f"spark{n}") for n, (_, spark_s) in enumerate(pairs))).collect()  # fmt: skip
    assert [(row.ours0, row.ours1) for row in found] == [(row.spark0, row.spark1) for row in found]
    assert len({row.ours0 for row in found} | {row.ours1 for row in found}) == 140


def test_a_value_that_is_null_has_no_encrypted_value(spark: SparkSession) -> None:
    nothing = F.lit(None).cast("binary")

    row = spark.range(1).select(java_function("AesCbc", nothing, F.lit(KEYS[0]), F.lit(bytes(16)))).first()

    assert row is not None
    assert row[0] is None
