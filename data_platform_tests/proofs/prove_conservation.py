"""Proves that random histories with kills conserve rows, in one Spark session, and prints a JSON summary.

python -m data_platform_tests.proofs.prove_conservation --runs 1000
"""

import tempfile

from data_platform.lake.session import SparkOptions, open_session
from data_platform_tests.proofs.conservation import Conservation
from data_platform_tests.proofs.history import parse, prove


def main() -> None:
    asked = parse("Prove that random histories with kills conserve rows.")
    with tempfile.TemporaryDirectory() as warehouse:
        log = f"{warehouse}/log"
        options = SparkOptions(master="local[2]", shuffle_partitions=1, warehouse=warehouse, log=log, brief=True)
        Conservation.spark = open_session(options)
        prove(Conservation, Conservation.tally, asked)
        Conservation.spark.stop()


if __name__ == "__main__":
    main()
