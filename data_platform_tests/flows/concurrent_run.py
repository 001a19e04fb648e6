"""Runs days of orders, or the replay of a quarantine table: the program of ``test_two_processes``.

python -m data_platform_tests.flows.concurrent_run <home> <catalog URL> <now> <a day, or a table> ...

It uses the Spark session of the test's own JVM; all else, such as connections and leases, is its own.
"""

import sys
from datetime import datetime
from pathlib import Path

from data_platform.installation import Platform
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import new_run_id
from data_platform.settings import read_settings
from data_platform.stage import driver, replay
from data_platform_tests.flows.killed import attach


def main(home: str, catalog_url: str, now: str, *work: str) -> int:
    moment, policies = datetime.fromisoformat(now), str(Path(home) / "policies")
    settings = read_settings(
        {"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": policies, "DATA_PLATFORM_CATALOG_URL": catalog_url}
    )
    platform = Platform(settings, now=lambda: moment, session=attach())
    for one in work:
        if "_" in one:
            [planned] = replay.plan(platform, one, None)
            dataset, day, stages = planned.dataset, planned.partition, planned.stages
        else:
            dataset, day = platform.policies.dataset("orders"), PartitionKey(one)
            stages = dataset.stages
        for stage in stages:
            if not driver.run_stage(platform, dataset, stage, day, new_run_id(moment)).proceeds:
                return 3
    platform.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
