"""The server's time for the page of lineage with a graph of 500 nodes, and for those of processes.

    python bench/lineage_page.py

The layout of the graph is new, or kept from an earlier request. The graph is one of five layers of datasets with the
jobs between them, beside an estate of 10,000 datasets, 5,000 jobs, 100,000 edges and half a million runs. Times are of
the CPU time of a request within this process, without a network. Prints JSON.
"""

import argparse
import gzip
import json
import random
import tempfile
import time
from statistics import median, quantiles
from typing import Any

from catalog_query import NOW, dataset_row, fill, process_row, put
from starlette.testclient import TestClient

from data_platform.api.application import build
from data_platform.api.service import Limits
from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.lineage_table import LINEAGE_EDGE
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.model.access import Role
from data_platform.portal.application import add_portal
from data_platform.portal.fragment import FRAGMENTS
from data_platform.portal.graph_drawing import forget_drawings

FIRST = 1_000_000
"""The first id of the graph, above those of the estate."""
LAYERS = 5
KEY = b"k" * 32


def add_graph(catalog: Catalog, nodes: int, dice: random.Random) -> None:
    """Half of the nodes are datasets; each has a job, which reads up to three of the layer before."""
    half = nodes // 2
    ids = range(FIRST, FIRST + half)
    put(catalog, DATASET, ({**dataset_row(n, f"graph_{n}"), "dataset_id": n} for n in ids))
    put(catalog, PROCESS, (process_row(n, dice) for n in ids))
    put(catalog, LINEAGE_EDGE, iter(edges(half, dice)))


def edges(half: int, dice: random.Random) -> list[dict[str, Any]]:
    width, rows = half // LAYERS, []
    for place in range(half):
        layer = place // width
        rows.append(edge("PROCESS", FIRST + place, "DATASET", FIRST + place, "PRODUCES"))
        before = range((layer - 1) * width, layer * width) if layer else range(0)
        sources = {place - width, dice.choice(before)} if layer else {}
        rows += [edge("DATASET", FIRST + other, "PROCESS", FIRST + place, "CONSUMES") for other in sources]
    for place in range(1, width):  # one job reads the first dataset of all columns, so the graph is in one piece
        rows.append(edge("DATASET", FIRST, "PROCESS", FIRST + width + place, "CONSUMES"))
    return list({tuple(row.values())[:4]: row for row in rows}.values())


def edge(source_type: str, source: int, target_type: str, target: int, role: str) -> dict[str, Any]:
    return {
        "source_type": source_type, "source_id": source, "target_type": target_type, "target_id": target,
        "edge_role": role, "transform_meta": {}, "created_at": NOW,
    }  # fmt: skip


def process_pages(client: TestClient, headers: dict[str, str], runs: int) -> dict[str, float]:
    """The 95th percentile for each page, in milliseconds."""
    listed = client.get("/processes", headers={**headers, "Accept": "application/json"}).json()["rows"]
    paths = {
        "processes": "/processes",
        "processes, words": "/processes?q=risk",
        "process": f"/processes/{listed[0]['key'].replace('/', '%2F')}",
        "run": f"/runs/{listed[0]['run_uuid']}",
    }
    found = {}
    for name, path in paths.items():
        times = []
        for _ in range(runs):
            begin = time.process_time()
            answer = client.get(path, headers=headers)
            times.append(1000 * (time.process_time() - begin))
            if answer.status_code != 200:
                raise SystemExit(f"{path}: {answer.status_code}")
        found[name] = round(quantiles(times, n=20)[-1], 1)
    return found


def measure(catalog: Catalog, nodes: int, runs: int) -> dict[str, Any]:
    app = build(catalog, Limits(event_bytes=100_000, batch_bytes=100_000), now=lambda: NOW)
    add_portal(app, catalog, policies=None, session_key=KEY, now=lambda: NOW)
    token = catalog.access.create_token("bench", Role.PLATFORM_ADMIN, actor="b", actor_role="LOCAL", now=NOW)[1]
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/html", "Accept-Encoding": "gzip"}
    path = f"/lineage/ds%3A%2F%2Fbank%2Fgraph_{FIRST}?hops=20&most={2 * nodes}"
    found: dict[str, Any] = {}
    with TestClient(app) as client:
        found["process_pages_p95_ms"] = process_pages(client, headers, runs)
        twin = client.get(path, headers={**headers, "Accept": "application/json"}).json()
        found["nodes"], found["edges"] = twin["total"], len(twin["edges"])
        if not twin["drawing"]:
            raise SystemExit(twin["no_drawing"])
        client.get(path, headers=headers)  # compiles the template
        for name in ("new", "kept"):
            times = []
            for _ in range(runs):
                if name == "new":
                    forget_drawings()
                    FRAGMENTS.clear()
                begin = time.process_time()
                answer = client.get(path, headers=headers)
                times.append(1000 * (time.process_time() - begin))
                if answer.status_code != 200:
                    raise SystemExit(f"{path}: {answer.status_code}")
            found[f"{name}_ms"] = {"median": round(median(times), 1), "p95": round(quantiles(times, n=20)[-1], 1)}
    found["kB_compressed"] = round(len(gzip.compress(answer.content)) / 1000, 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=620, help="of which about 500 are up- or downstream")
    parser.add_argument("--datasets", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    dice = random.Random(7)  # noqa: S311 - the same graph each time
    with tempfile.TemporaryDirectory() as folder, open_catalog(f"sqlite:///{folder}/catalog.db") as catalog:
        size = options.datasets
        fill(catalog, datasets=size, processes=size // 2, edges=10 * size, events=options.events, dice=dice)
        add_graph(catalog, options.nodes, dice)
        measured = measure(catalog, options.nodes, options.runs)
    print(json.dumps({"bench": "lineage page", "datasets": size, **measured}, indent=2))


if __name__ == "__main__":
    main()
