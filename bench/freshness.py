"""The time of one look at many datasets, and of its deadlines alone, as ratios to reading their certified partitions.

    python bench/freshness.py --datasets 10000

All but one in a hundred are in time. The catalog is a SQLite file with thirty days of each dataset. Prints JSON.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from sqlalchemy import insert

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.table import RUN
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Outcome
from data_platform.policies import Policies, load_policies
from data_platform.signals.lateness import find_late
from data_platform.signals.look import look

NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
DAY = PartitionKey("2025-06-10")
POLICY = """\
urn: ds://ops/d0
owner_team: ops
tier: TIER_2
partition: {key: day, start: 2025-01-01, time_zone: America/New_York}
source: {format: csv, path: 'd/{partition}', producer: ops}
slo: {freshness: {expected_update_by: '06:00 America/New_York daily', grace_period: 30m}}
"""
BUNDLE = "schema: {constraints: [{field: id, type: INT}]}\n"


def policies_of(folder: Path, count: int) -> Policies:
    place = folder / "policies" / "datasets" / "ops" / "d0"
    place.mkdir(parents=True)
    (place / "dataset.yaml").write_text(POLICY)
    (place / "policy_bundle.yaml").write_text(BUNDLE)
    loaded = load_policies(folder / "policies", check_rules=False)
    [one] = loaded.datasets
    copies = (one.policy.model_copy(update={"urn": f"ds://ops/d{number}"}) for number in range(count))
    return replace(loaded, datasets=tuple(replace(one, policy=policy) for policy in copies))


def fill(catalog: Catalog, policies: Policies) -> None:
    with catalog._database.writing() as connection:
        for back in range(30):
            day = DAY.shifted(-back)
            rows = [
                {
                    "run_id": f"run_{day}", "dataset_urn": one.urn, "stage": Stage.CERTIFIED.value, "partition": day,
                    "outcome": Outcome.PASSED.value, "path": "gold", "version": 1, "rows_read": 1, "rows_accepted": 1,
                    "rows_quarantined": 0, "rows_dropped": 0, "started_at": NOW, "finished_at": NOW, "reason": "",
                    "signatures": {}, "delivery_id": "", "policy_fingerprint": "", "input_versions": {}, "metadata": {},
                    "digest": "",
                }
                for number, one in enumerate(policies.datasets) if back or number % 100
            ]  # fmt: skip
            connection.execute(insert(RUN), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        policies = policies_of(Path(folder), options.datasets)
        with open_catalog(f"sqlite:///{folder}/catalog.db") as catalog:
            fill(catalog, policies)
            looks, reads, whole, passing = [], [], [], []
            for _ in range(options.runs):
                begin = time.process_time()
                catalog.timeliness.certified([one.urn for one in policies.datasets], since=DAY.shifted(-11))
                reads.append(time.process_time() - begin)
                begin = time.process_time()
                late = find_late(policies, catalog, NOW)
                looks.append(time.process_time() - begin)
                begin = time.process_time()
                look(policies, catalog, NOW)
                whole.append(time.process_time() - begin)
                begin = time.process_time()
                look(policies, catalog, NOW, only=(policies.datasets[0].urn,))
                passing.append(time.process_time() - begin)
            incidents = len(catalog.incidents.active())
    if len(late) != -(-options.datasets // 100):
        raise SystemExit(f"{len(late)} are late, expected one in a hundred")
    deadlines, read, full, brief = (median(found) for found in (looks, reads, whole, passing))
    print(json.dumps({
        "bench": "freshness", "datasets": options.datasets, "late": len(late), "cpu_seconds": round(deadlines, 3),
        "ratio_to_reading": round(deadlines / read, 2), "incidents": incidents, "look_cpu_seconds": round(full, 3),
        "look_ratio_to_reading": round(full / read, 2), "look_in_passing_cpu_seconds": round(brief, 3),
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
