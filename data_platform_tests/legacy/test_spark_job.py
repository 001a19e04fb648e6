"""A real Spark program under the wrapper: what it reads and writes reaches the service, and its exit code counts."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_platform.legacy.client import service_of
from data_platform.legacy.forward import forward_within
from data_platform.legacy.spark_listener import VARIABLE
from data_platform_tests.legacy.remote_service import HANG, RemoteService, remote_service
from data_platform_tests.legacy.wrapped_job import ROOT, environment, python, wrapped

JOB = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = builder.appName("nightly load").getOrCreate()
spark.range(10).withColumnRenamed("id", "order_id").write.parquet("lake/orders")
spark.read.parquet("lake/orders").groupBy().count().write.parquet("lake/counts")
spark.stop()
sys.exit(3)
"""
"""It fails after Spark has ended, when the listener has reported COMPLETE."""
LIMIT_SECONDS = 300


@pytest.fixture(scope="module")
def jar() -> str:
    """The listener, which is downloaded once for a machine."""
    code = "from data_platform.cli.main import app; app()"
    command = [sys.executable, "-c", code, "legacy", "spark-listener", "--json"]
    done = subprocess.run(  # noqa: S603
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True, timeout=LIMIT_SECONDS
    )
    return str(json.loads(done.stdout)["jar"])


@pytest.fixture
def service() -> Iterator[RemoteService]:
    with remote_service() as opened:
        yield opened


def test_a_spark_job_reports_its_datasets_though_the_service_hangs(
    tmp_path: Path, jar: str, service: RemoteService
) -> None:
    spool = tmp_path / "spool"
    service.always = HANG
    job = subprocess.run(  # noqa: S603
        wrapped(*python(JOB), options=("--spark",)), env=environment(spool, service.url, **{VARIABLE: jar}),
        cwd=tmp_path, capture_output=True, check=False, timeout=LIMIT_SECONDS,
    )  # fmt: skip

    assert job.returncode == 3
    service.always = 201
    assert forward_within(service_of(service.url, spool=str(spool)), 60, hurry=False).problem == ""
    events = list(service.kept.values())
    [wrapper] = {one["run"]["runId"] for one in events if one["job"]["name"] == "NIGHT/LOAD"}
    ends: dict[str, list[str]] = {}
    for one in events:
        ends.setdefault(one["job"]["name"], []).append(one["eventType"])
    assert ends["NIGHT/LOAD"] == ["START", "FAIL"]
    assert ends["nightly_load"] == ["START", "COMPLETE", "FAIL"]
    parents = {one["run"]["facets"]["parent"]["run"]["runId"] for one in events if one["job"]["name"] == "nightly_load"}
    assert parents == {wrapper}
    read = {one["name"] for event in events for one in event["inputs"]}
    written = {one["name"] for event in events for one in event["outputs"]}
    orders, counts = (str(tmp_path / "lake" / name) for name in ("orders", "counts"))
    assert (read, written) == ({orders}, {orders, counts})
    assert not {kinds[-1] for kinds in ends.values()} - {"COMPLETE", "FAIL"}  # no run is left without its end
