"""The orders of case C22 and their rules, which the tests of rules and of the split share."""

import json

from pyspark.sql import DataFrame, SparkSession

from data_platform.model.schema import Column, Schema
from data_platform.sql.rule_text import Rule
from data_platform_tests.case import case_file

KINDS = "id int, qty int, discount int, order_date date, ship_date date, status string"
RULES = tuple(
    Rule(id=told["id"], expression=told["rule"]) for told in json.loads(case_file("C22", "rules.json").read_text())
)


def orders(spark: SparkSession) -> DataFrame:
    return spark.read.csv(str(case_file("C22", "rows.csv")), schema=KINDS, header=True)


def nullable(*names: str) -> Schema:
    return Schema.of(Column(name=name) for name in names)


DECLARED = nullable("discount", "order_date", "ship_date", "status")
