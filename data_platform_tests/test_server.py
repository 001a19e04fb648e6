"""The catalog's HTTP service as an operator starts it: a process that starts, answers, ends and needs no Spark."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    error_message_run,
    output_statistics_output_dataset,
    ownership_dataset,
    schema_dataset,
)
from openlineage.client.transport.http import ApiKeyTokenProvider, HttpCompression, HttpConfig, HttpTransport

from data_platform.catalog import Catalog
from data_platform.model.access import Role
from data_platform.model.lineage import RunState as State
from data_platform_tests.case import case_file
from data_platform_tests.catalog.template import new_catalog

SECONDS = 60
RUN = "019ad3e2-5b1c-7a55-8f30-6d1c2b3a4e5f"


@contextmanager
def started(home: Path, *options: str, port: int | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """``data-platform serve`` as a process of its own, once it is ready."""
    if port is None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    command = [sys.executable, "-c", "from data_platform.cli.main import app; app()", "serve", "--port", str(port)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATA_PLATFORM_")}
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        [*command, *options],
        env={**environment, "DATA_PLATFORM_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _await_ready(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait(SECONDS)
        assert process.stderr is not None
        process.stderr.close()


def _await_ready(url: str, process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{url}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    """The one that the service opens too."""
    with new_catalog(tmp_path / "catalog.db") as opened:
        yield opened


@pytest.fixture
def token(catalog: Catalog) -> str:
    now = datetime.now(UTC)
    return catalog.access.create_token("loader", Role.DATA_OWNER, actor="test", actor_role="LOCAL", now=now)[1]


def test_importing_the_service_imports_neither_spark_nor_dagster() -> None:
    code = "import sys, data_platform.server; print(*sorted({name.partition('.')[0] for name in sys.modules}))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=SECONDS)  # noqa: S603

    loaded = set(done.stdout.split())
    assert "fastapi" in loaded
    assert loaded & {"pyspark", "py4j", "delta", "dagster", "pandas", "pandera", "apprise"} == set()


def test_the_command_line_does_not_import_the_web_framework() -> None:
    code = "import sys, data_platform.cli.main; print(*sorted({name.partition('.')[0] for name in sys.modules}))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=SECONDS)  # noqa: S603

    assert set(done.stdout.split()) & {"fastapi", "starlette", "uvicorn", "pyspark", "dagster"} == set()


def test_it_is_ready_with_its_first_page_and_ends_in_order_when_it_is_asked_to(tmp_path: Path, token: str) -> None:
    with started(tmp_path, "--mcp") as (url, process):
        assert httpx.get(url, headers={"Authorization": f"Bearer {token}"}).status_code == 200
        assert httpx.get(f"{url}/healthz").status_code == 200
        assert httpx.post(f"{url}/mcp", json={}).status_code == 401
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=SECONDS)

    assert process.returncode == 0
    assert "Application shutdown complete" in said
    assert "Traceback" not in said


def test_its_log_is_one_json_document_a_line_if_asked(tmp_path: Path) -> None:
    import json

    with started(tmp_path, "--json-log") as (url, process):
        httpx.get(f"{url}/healthz", headers={"Authorization": "Bearer secret-of-somebody"})
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=SECONDS)

    lines = [json.loads(line) for line in said.splitlines()]
    assert {"at", "level", "logger", "message"} <= set(lines[0])
    assert any("/healthz" in line["message"] for line in lines)
    assert "secret-of-somebody" not in said


def test_what_a_query_holds_is_not_logged(tmp_path: Path) -> None:
    with started(tmp_path) as (url, process):
        httpx.get(f"{url}/healthz?token=secret-of-somebody&another-secret")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=SECONDS)

    assert '"GET /healthz?… HTTP/1.1" 200' in said
    assert "secret" not in said


def test_no_answer_repeats_the_host_that_the_caller_names(tmp_path: Path) -> None:
    with started(tmp_path) as (url, _):
        answers = [
            httpx.get(f"{url}{path}", headers={"Host": "evil.example.com"})
            for path in ("/healthz/", "/api/v1/dataset/", "/docs/", "//healthz", "/openapi.json", "/docs")
        ]

    assert all(answer.status_code < 300 or answer.status_code in (401, 404) for answer in answers)
    assert not any("evil.example.com" in answer.text + str(answer.headers) for answer in answers)


def test_an_address_in_use_is_a_clear_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with started(tmp_path, port=taken.getsockname()[1]) as (_, process):
            _, said = process.communicate(timeout=SECONDS)

    assert process.returncode == 1
    assert "(Address already in use): choose another port with --port" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("compression", [None, HttpCompression.GZIP], ids=["plain", "gzip"])
def test_the_openlineage_client_reports_a_run_and_the_catalog_has_it(
    tmp_path: Path, catalog: Catalog, token: str, compression: HttpCompression | None
) -> None:
    with started(tmp_path) as (url, _):
        given = {"url": url, "auth": ApiKeyTokenProvider({"api_key": token}), "compression": compression}
        client = OpenLineageClient(transport=HttpTransport(HttpConfig(**given)))  # type: ignore[arg-type]
        client.emit(told(RunState.START, "2026-02-15T07:00:00Z"))
        client.emit(told(RunState.COMPLETE, "2026-02-15T07:05:00Z"))
        client.close()

    run = catalog.lineage.run(RUN)
    assert (run.status, run.process_key, run.seconds) == (State.COMPLETED, "airflow/load.orders", 300)
    assert {(use.full_name, use.role) for use in run.datasets} == {
        ("postgres://shop/public.orders", "INPUT"),
        ("ds://sales/orders", "OUTPUT"),
    }
    page = catalog.lineage.dataset_page("ds://sales/orders")
    assert page.dataset.owner_team == "sales"
    assert [(column.name, column.type) for column in page.columns] == [("id", "bigint"), ("total", "decimal(10,2)")]
    assert page.latest is not None
    assert (page.latest.row_count, page.latest.byte_count) == (12, 340)
    [hit] = catalog.lineage.column_impact("postgres://shop/public.orders", "amount").hits
    assert (hit.dataset, hit.column) == ("ds://sales/orders", "total")


def test_the_openlineage_client_reports_a_failure_with_its_message(
    tmp_path: Path, catalog: Catalog, token: str
) -> None:
    facet = error_message_run.ErrorMessageRunFacet(message="disk full", programmingLanguage="PYTHON")
    with started(tmp_path) as (url, _):
        client = OpenLineageClient(
            transport=HttpTransport(HttpConfig(url=url, auth=ApiKeyTokenProvider({"api_key": token})))
        )
        client.emit(told(RunState.FAIL, "2026-02-15T07:05:00Z", errorMessage=facet))
        client.close()

    assert (catalog.lineage.run(RUN).status, catalog.lineage.run(RUN).error_message) == (State.FAILED, "disk full")


def told(state: RunState, at: str, **facets: object) -> RunEvent:
    """As an Airflow task would, by the client's own classes."""
    columns = [
        schema_dataset.SchemaDatasetFacetFields("id", "bigint"),
        schema_dataset.SchemaDatasetFacetFields("total", "decimal(10,2)"),
    ]
    source = column_lineage_dataset.InputField("postgres://shop", "public.orders", "amount")
    output = {
        "schema": schema_dataset.SchemaDatasetFacet(fields=columns),
        "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(
            fields={"total": column_lineage_dataset.Fields(inputFields=[source])}
        ),
        "ownership": ownership_dataset.OwnershipDatasetFacet(owners=[ownership_dataset.Owner(name="team:sales")]),
    }
    size = {
        "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=12, size=340)
    }
    return RunEvent(
        eventType=state,
        eventTime=at,
        run=Run(runId=RUN, facets=facets),  # type: ignore[arg-type]
        job=Job(namespace="airflow", name="load.orders"),
        producer="https://example.net/airflow/3",
        inputs=[InputDataset(namespace="postgres://shop", name="public.orders")],
        outputs=[OutputDataset(namespace="ds://sales", name="orders", facets=output, outputFacets=size)],  # type: ignore[arg-type]
    )


def big_event(folder: Path, megabytes: int) -> bytes:
    """Of case C35: 3,000 columns with lineage to 50 inputs, and a plan for the rest."""
    script = case_file("C35", "make_big_event.py")
    subprocess.run([sys.executable, str(script), str(megabytes)], cwd=folder, check=True, timeout=SECONDS)  # noqa: S603
    return (folder / "big_event.json").read_bytes()


def test_case_35_a_big_event_is_kept_within_the_limit_and_refused_with_it(
    tmp_path: Path, catalog: Catalog, token: str
) -> None:
    big, bigger = big_event(tmp_path, 12), big_event(tmp_path, 30)
    with (
        started(tmp_path) as (url, process),
        httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=SECONDS) as client,
    ):
        kept = client.post("/api/v1/lineage", content=big)
        refused = client.post("/api/v1/lineage", content=bigger)
        memory = [_resident_kib(process.pid)]
        for _ in range(5):
            assert client.post("/api/v1/lineage", content=big).json()["stored"] is False
            assert client.post("/api/v1/lineage", content=bigger).status_code == 413
        memory.append(_resident_kib(process.pid))

    assert kept.status_code == 201
    assert refused.status_code == 413
    assert refused.json()["limit"] == 16 * 1_048_576
    assert "16777216 bytes" in refused.json()["detail"]
    # five more of 12 MB, and of the 16 MB that are read of a larger one, would be 140 MB if they were kept
    assert memory[1] - memory[0] < 70_000
    [hit] = catalog.lineage.column_impact("s3://lake/in_7", "f7", depth=1).hits[:1]
    assert hit.dataset == "s3://lake/out"


def _resident_kib(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])
