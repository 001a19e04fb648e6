"""Proves that the counts of quarantine add up in random histories, with the catalog alone, and prints a JSON summary.

python -m data_platform_tests.proofs.prove_quarantine --runs 1000
"""

from collections import Counter
from typing import ClassVar

from data_platform_tests.catalog.test_quarantine_counts import QuarantineLoop
from data_platform_tests.proofs.history import parse, prove


class CountedLoop(QuarantineLoop):
    tally: ClassVar[Counter[str]] = Counter()

    def teardown(self) -> None:
        self.tally["runs"] += self.runs
        self.tally["histories"] += 1
        super().teardown()


if __name__ == "__main__":
    prove(CountedLoop, CountedLoop.tally, parse("Prove that the counts of quarantine add up in random histories."))
