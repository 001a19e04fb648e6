"""OpenLineage's own Spark listener, unchanged, reports another team's Spark job to the service."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from data_platform.catalog import Catalog
from data_platform.model.access import Role
from data_platform.model.lineage import NodeType, RunState
from data_platform_tests.api.served import served
from data_platform_tests.catalog.template import new_catalog

LISTENER = "io.openlineage:openlineage-spark_2.13:1.53.0"
SECONDS = 300  # the first time on a machine the listener's jar is fetched

JOB = """
import sys
from data_platform.lake.delta_jars import DELTA_PACKAGE
from data_platform.lake.session import SparkOptions, open_session

folder, url, token = sys.argv[1:]
spark = open_session(
    SparkOptions(
        master="local[1]",
        driver_memory="1g",
        extra={
            "spark.jars.packages": f"{DELTA_PACKAGE},LISTENER",
            "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
            "spark.driver.extraJavaOptions": "--add-opens java.base/java.security=ALL-UNNAMED",
            "spark.openlineage.namespace": "foreign",
            "spark.openlineage.transport.type": "http",
            "spark.openlineage.transport.url": url,
            "spark.openlineage.transport.auth.type": "api_key",
            "spark.openlineage.transport.auth.apiKey": token,
        },
    )
)
spark.createDataFrame([(1, 5), (2, 7)], "id int, amount int").write.format("delta").save(f"{folder}/orders")
orders = spark.read.format("delta").load(f"{folder}/orders")
orders.selectExpr("id", "amount * 2 AS doubled").write.format("delta").save(f"{folder}/doubled")
spark.stop()
"""


def test_the_stock_spark_listener_is_understood(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB.replace("LISTENER", LISTENER))
    with new_catalog(tmp_path / "catalog.db") as catalog, served(catalog) as url:
        now = datetime.now(UTC)
        _, token = catalog.access.create_token(
            "spark", Role.DATA_OWNER, actor="test", actor_role="PLATFORM_ADMIN", now=now
        )
        command = [sys.executable, str(script), str(tmp_path / "lake"), url, token]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603

        assert done.returncode == 0, done.stderr[-2000:]
        _is_told(catalog, tmp_path / "lake")


def _is_told(catalog: Catalog, lake: Path) -> None:
    orders, doubled = f"file/{lake}/orders", f"file/{lake}/doubled"

    hits = catalog.lineage.impact(orders, only=NodeType.DATASET).hits.items
    assert doubled in [hit.node.name for hit in hits]
    columns = {(hit.dataset, hit.column) for hit in catalog.lineage.column_impact(orders, "amount").hits}
    assert (doubled, "doubled") in columns
    page = catalog.lineage.dataset_page(doubled)
    assert [(column.name, column.type) for column in page.columns] == [("id", "integer"), ("doubled", "integer")]
    assert page.latest is not None
    assert page.latest.run_status is RunState.COMPLETED
    run = catalog.lineage.run(page.latest.run_uuid or "")
    assert run.process_key.startswith("foreign/")
    assert run.parent_run_uuid is not None
