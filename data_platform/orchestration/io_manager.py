"""The only writer on Dagster's side: it makes the core run a stage, which writes its candidate and judges it.

A stage's op calls ``deliver`` itself, before it yields anything: Dagster records a materialization for every value that
an op yields, and a held candidate must not have one. Assets of other code read our tables through it.
"""

from dataclasses import dataclass
from typing import Any

import dagster as dg

from data_platform.installation import Platform
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport
from data_platform.orchestration.failure import as_dagster_failure
from data_platform.orchestration.resource import PLATFORM
from data_platform.policies import Dataset
from data_platform.signals.passing_look import look_in_passing
from data_platform.stage.driver import run_stage
from data_platform.stage.table_read import READER, rows_at


@dataclass(frozen=True)
class StageRun:
    """One stage of one partition of a dataset, in one run."""

    dataset: Dataset
    stage: Stage
    partition: PartitionKey | None
    run_id: str


class DeltaDelivery(dg.IOManager):
    """Writes quarantine tables and advances certified views, through the core."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    def deliver(self, work: StageRun) -> StageReport:
        """Runs the stage: reads, writes and judges its candidate, or certifies what gold holds.

        Raises:
            dagster.Failure: It could not be written, read or judged. A gate that holds it raises nothing.
        """
        goes_on = False
        try:
            with as_dagster_failure():
                report = run_stage(self.platform, work.dataset, work.stage, work.partition, work.run_id)
                goes_on = report.outcome.qualifies and work.stage is not Stage.CERTIFIED
                return report
        finally:
            # Between two stages that pass, a late day would look as if nobody went on with it.
            if not goes_on and not self.platform.stopping.is_set():
                look_in_passing(self.platform, work.dataset.urn)

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:  # noqa: ARG002 - as Dagster calls it
        """Raises: dagster.Failure, always: a stage's op calls ``deliver``, and yields no value."""
        raise dg.Failure(f"only the platform's own assets are written here, and this is a {type(obj).__name__}")

    def load_input(self, context: dg.InputContext) -> Any:
        """The rows of an upstream asset, as a Spark frame; of a certified view exactly the certified version."""
        dataset_id, stage = DatasetId.of_asset_key(context.asset_key.path)
        dataset = self.platform.policies.dataset(dataset_id.urn)
        if stage is None:
            raise dg.Failure(f"{context.asset_key.to_user_string()} is a delivery, and no table: read its bronze stage")
        if stage is Stage.CERTIFIED:
            pointer = self.platform.certified(dataset.urn)
            assert pointer.version is not None  # noqa: S101 - certified() returns one that has a version
            return rows_at(self.platform, dataset, Stage.CERTIFIED, pointer.version, READER)
        return self.platform.table(dataset, stage).rows()


@dg.io_manager(required_resource_keys={PLATFORM})
def delta_delivery(context: dg.InitResourceContext) -> DeltaDelivery:
    """The I/O manager of every stage."""
    return DeltaDelivery(getattr(context.resources, PLATFORM))
