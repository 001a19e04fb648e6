"""The only Dagster-side writer: it hands a candidate to the core, and keeps the report for the op.

Dagster cannot emit check results from an I/O manager, but it has finished here before the op's
generator goes on: so the op yields a ``Handover``, and reads its report from it afterwards.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

import dagster as dg

from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.run import StageReport
from data_platform.orchestration import failure
from data_platform.orchestration.resource import PLATFORM
from data_platform.orchestration.word import materialization_metadata
from data_platform.pipeline.candidate import Candidate
from data_platform.pipeline.certify import certify
from data_platform.pipeline.deliver import deliver
from data_platform.pipeline.platform import Platform
from data_platform.pipeline.telling import failures_told
from data_platform.policies import Dataset


@dataclass
class Handover:
    """A candidate on its way to the I/O manager (certification has none), and the report that comes back."""

    dataset: Dataset
    stage: Stage
    partition: date | None
    run_id: str
    candidate: Candidate | None
    report: StageReport | None = None


class DeltaDelivery(dg.IOManager):
    """Writes quarantine tables and advances certified views, through the core."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        if not isinstance(obj, Handover):
            raise dg.Failure(f"only the platform's own assets are written here, and this is a {type(obj).__name__}")
        place = (self.platform, obj.dataset, obj.stage, obj.partition, obj.run_id)
        with failure.told(), failures_told(*place):
            if obj.candidate is not None:
                obj.report = deliver(self.platform, obj.candidate)
            else:
                obj.report = certify(self.platform, obj.dataset, obj.partition, obj.run_id)
        context.add_output_metadata(materialization_metadata(self.platform, obj.dataset, obj.report))

    def load_input(self, context: dg.InputContext) -> Any:
        """The rows of an upstream asset, as a Spark frame: of a certified view exactly the certified version."""
        found, stage = DatasetId.of_asset_key(context.asset_key.path)
        dataset = self.platform.policies.dataset(found.urn)
        if stage is None:
            raise dg.Failure(f"{context.asset_key.to_user_string()} is a delivery, and no table: read its bronze stage")
        if stage is Stage.CERTIFIED:
            pointer = self.platform.certified(dataset.urn)
            assert pointer.version is not None  # noqa: S101 - certified() answers with one that has a version
            return self.platform.table(dataset, Stage.CERTIFIED).at(pointer.version)
        return self.platform.table(dataset, stage).rows()


@dg.io_manager(required_resource_keys={PLATFORM})
def delta_delivery(context: dg.InitResourceContext) -> DeltaDelivery:
    """The I/O manager of every stage."""
    return DeltaDelivery(getattr(context.resources, PLATFORM))
