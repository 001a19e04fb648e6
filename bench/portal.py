"""The server's time for each page of the portal in a large catalog, and the size of a first view.

    python bench/portal.py --datasets 10000

The catalog is a SQLite file with thirty certified days of each dataset, which are 300,000 runs. Times are the 95th
percentiles of the CPU time of a request within this process, without a network, after the first one. Prints JSON.
"""

import argparse
import gzip
import json
import tempfile
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import quantiles

from freshness import DAY, NOW, fill, policies_of
from sqlalchemy import insert
from starlette.testclient import TestClient

from data_platform.api.application import build
from data_platform.api.service import Limits
from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.registry_table import DATASET
from data_platform.catalog.search import rebuild
from data_platform.catalog.table import CERTIFICATION
from data_platform.model.access import Role
from data_platform.policies import Policies
from data_platform.portal.application import add_portal
from data_platform.portal.kept import Kept
from data_platform.portal.kpi_view import read_kpi
from data_platform.portal.overview_source import OverviewSource, read_overview
from data_platform.portal.policy_source import PolicySource

PAGES = {
    "today": "/",
    "today, one owner": "/?owner=ops",
    "datasets": "/datasets",
    "datasets, last page": "/datasets?page=200",
    "datasets, held": "/datasets?state=late",
    "datasets, words": "/datasets?q=d77",
    "dataset": "/datasets/ds%3A%2F%2Fops%2Fd1",
    "kpis": "/kpis",
    "evidence": "/evidence",
}
FIRST_VIEW = ("vendor/pico.min.css", "tokens.css", "portal.css", "theme.js", "vendor/htmx.min.js", "portal.js")
KEY = b"k" * 32


class Given(PolicySource):
    """Policies that are in no folder: reading the files of 10,000 datasets would take most of the bench."""

    def __init__(self, policies: Policies) -> None:
        super().__init__(None)
        self._given = policies

    def current(self) -> Policies:
        return self._given

    def wait(self) -> Policies:
        return self._given


def register(catalog: Catalog, policies: Policies) -> None:
    """Datasets with their search documents, and a pointer for each."""
    times = {"created_at": NOW, "updated_at": NOW}
    with catalog._database.writing() as connection:
        connection.execute(
            insert(DATASET),
            [
                {
                    "namespace": "ds://ops", "name": one.urn.rpartition("/")[2], "full_name": one.urn,
                    "description": "", "tags": [], "owner_team": "ops",
                    "status": "ACTIVE", "policy_fingerprint": "p", "created_by": "bench", **times,
                }
                for one in policies.datasets
            ],
        )  # fmt: skip
        connection.execute(
            insert(CERTIFICATION),
            [
                {
                    "dataset_urn": one.urn, "status": "CERTIFIED", "version": 1, "path": "gold", "certified_at": NOW,
                    "run_id": f"run_{DAY}", "partition": DAY, "schema_fingerprint": "s", "policy_fingerprint": "p",
                    "reason": "", "changed_at": NOW,
                }
                for one in policies.datasets
            ],
        )  # fmt: skip
        rebuild(connection)


def measure(catalog: Catalog, policies: Policies, runs: int) -> dict[str, object]:
    app = build(catalog, Limits(event_bytes=100_000, batch_bytes=100_000), now=lambda: NOW)
    add_portal(app, catalog, policies=None, session_key=KEY, now=lambda: NOW)
    source = Given(policies)
    overviews = OverviewSource(catalog, source, lambda: NOW, kept_seconds=3_600)
    kpis = Kept(lambda days: read_kpi(policies, catalog, NOW, days), kept_seconds=3_600)
    app.state.portal = replace(app.state.portal, policies=source, overviews=overviews, kpis=kpis)
    token = catalog.access.create_token("bench", Role.PLATFORM_ADMIN, actor="b", actor_role="LOCAL", now=NOW)[1]
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/html", "Accept-Encoding": "gzip"}
    begin = time.process_time()
    read_overview(policies, catalog, NOW)
    result: dict[str, object] = {"overview_cpu_ms": round(1000 * (time.process_time() - begin))}
    with TestClient(app) as client:
        for name, path in PAGES.items():
            while client.get(path, headers=headers).status_code == 503:  # it is read in the background
                time.sleep(0.1)
            times = []
            for _ in range(runs):
                begin = time.process_time()
                answer = client.get(path, headers=headers)
                times.append(1000 * (time.process_time() - begin))
                if answer.status_code != 200:
                    raise SystemExit(f"{path}: {answer.status_code}")
            result[f"{name}, p95 ms"] = round(quantiles(times, n=20)[-1], 1)
            result[f"{name}, kB compressed"] = round(len(gzip.compress(answer.content)) / 1000, 1)
    return result


def first_view_bytes() -> int:
    static = files("data_platform.portal") / "static"
    return sum(len(gzip.compress((static / name).read_bytes())) for name in FIRST_VIEW)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        policies = policies_of(Path(folder), options.datasets)
        with open_catalog(f"sqlite:///{folder}/catalog.db") as catalog:
            fill(catalog, policies)
            register(catalog, policies)
            measured = measure(catalog, policies, options.runs)
    print(json.dumps({
        "bench": "portal", "datasets": options.datasets, "static_kB_compressed": round(first_view_bytes() / 1000, 1),
        **measured,
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
