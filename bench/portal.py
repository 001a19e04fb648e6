"""The server's time for each page of the portal, its JSON twin, and the lists of the API, in a large catalog.

    python bench/portal.py --datasets 10000

The catalog is that of ``large_estate``, with a million rows of each kind, on PostgreSQL if
``DATA_PLATFORM_TEST_POSTGRES_URL`` names a server, else on SQLite. Times are of a request within this process, without
a network, after the first one: 50th and 95th percentile in milliseconds, of the CPU of this process, and of the clock,
which has PostgreSQL's time too. ``--folder`` keeps a SQLite catalog for the next time. Prints JSON.
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from freshness import NOW
from large_estate import Size, build_estate, names_of, policies_like
from portal_paths import API, PAGES, Places
from starlette.testclient import TestClient
from store import own_catalog

from data_platform.api.application import build
from data_platform.api.service import Limits
from data_platform.catalog import Catalog, open_catalog
from data_platform.model.access import Role
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.policies import Policies
from data_platform.portal.application import add_portal
from data_platform.portal.kept import Kept
from data_platform.portal.kpi_view import read_kpi
from data_platform.portal.long_lived import settle
from data_platform.portal.overview_source import OverviewSource, read_overview
from data_platform.portal.policy_source import PolicySource

FIRST_VIEW = ("vendor/pico.min.css", "tokens.css", "portal.css", "theme.js", "vendor/htmx.min.js", "portal.js")
GOAL_MS = 150
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


@contextmanager
def client_of(catalog: Catalog, policies: Policies) -> Iterator[tuple[TestClient, dict[str, str]]]:
    app = build(catalog, Limits(event_bytes=100_000, batch_bytes=100_000), now=lambda: NOW)
    add_portal(app, catalog, policies=None, session_key=KEY, now=lambda: NOW)
    source = Given(policies)
    overviews = OverviewSource(catalog, source, lambda: NOW, kept_seconds=3_600)
    kpis = Kept(lambda days: read_kpi(policies, catalog, NOW, days), kept_seconds=3_600)
    app.state.portal = replace(app.state.portal, policies=source, overviews=overviews, kpis=kpis)
    name = f"bench {time.time_ns()}"
    token = catalog.access.create_token(name, Role.PLATFORM_ADMIN, actor="b", actor_role="LOCAL", now=NOW)[1]
    settle()  # as the service does once it has read the policies
    with TestClient(app) as client:
        yield client, {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"}


def timed(client: TestClient, path: str, headers: dict[str, str], runs: int) -> dict[str, Any]:
    while (answer := client.get(path, headers=headers)).status_code == 503:  # it is read in the background
        time.sleep(0.1)
    cpu, wall = [], []
    for _ in range(runs):
        begin, clock = time.process_time(), time.perf_counter()
        answer = client.get(path, headers=headers)
        cpu.append(1000 * (time.process_time() - begin))
        wall.append(1000 * (time.perf_counter() - clock))
        if answer.status_code != 200:
            raise SystemExit(f"{path}: {answer.status_code} {answer.text[:500]}")
    both = {
        name: [round(median(took)), round(quantiles(took, n=20)[-1])] for name, took in (("cpu", cpu), ("wall", wall))
    }
    return {**both, "kB": round(len(gzip.compress(answer.content)) / 1000, 1)}


def measure(catalog: Catalog, policies: Policies, runs: int, only: str) -> dict[str, Any]:
    begin = time.process_time()
    read_overview(policies, catalog, NOW)
    result: dict[str, Any] = {"overview_cpu_ms": round(1000 * (time.process_time() - begin))}
    places, slow = Places.of(catalog), []
    with client_of(catalog, policies) as (client, headers):
        for group, paths, accepts in (("pages", PAGES, ("text/html", "application/json")), ("api", API, ("*/*",))):
            for name, path in paths.items():
                for accept in accepts if only in f"{group} {name}" else ():
                    key = f"{group}: {name}{', JSON' if accept == 'application/json' else ''}"
                    result[key] = timed(client, path.format(**vars(places)), {**headers, "Accept": accept}, runs)
                    slow += [key] * (result[key]["cpu"][1] > GOAL_MS)
                    print(key, result[key], file=sys.stderr, flush=True)
    return {**result, "over_the_goal": slow}


def first_view_bytes() -> int:
    static = files("data_platform.portal") / "static"
    return sum(len(gzip.compress((static / name).read_bytes())) for name in FIRST_VIEW)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--folder", type=Path, help="keeps a SQLite catalog here, and takes it if it is there")
    parser.add_argument("--only", default="", help="measures only what has these words in its name")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder}/catalog.db" if options.folder else stack.enter_context(own_catalog())
        keys = EvidenceKeys(folder / "evidence.key")
        catalog = stack.enter_context(open_catalog(url, keys))
        begin = time.perf_counter()
        with tempfile.TemporaryDirectory() as place:
            if names := names_of(catalog):
                policies = policies_like(Path(place), names)
            else:
                policies = build_estate(catalog, keys, Path(place), Size(options.datasets))
        built = round(time.perf_counter() - begin)
        measured = measure(catalog, policies, options.runs, options.only)
    print(json.dumps({
        "bench": "portal", "store": url.partition(":")[0], "datasets": len(policies.datasets),
        "seconds_to_build": built, "static_kB_compressed": round(first_view_bytes() / 1000, 1), **measured,
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
