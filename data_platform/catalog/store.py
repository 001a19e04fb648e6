"""The catalog's public interface: one part for each subject. Each method is one transaction.

No part reads the clock: each time is an argument with its time zone, and is returned in UTC. A method that raises an
error leaves no change in the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.access.store import Access
from data_platform.catalog.alert.maintenance import Maintenance
from data_platform.catalog.alert.store import Alerts
from data_platform.catalog.arrival.store import Arrivals
from data_platform.catalog.cause.store import CauseReader
from data_platform.catalog.certification_store import Certifications
from data_platform.catalog.database import open_database
from data_platform.catalog.deployment_store import Deployments
from data_platform.catalog.evidence.chain import EvidenceChain
from data_platform.catalog.evidence.relay import EvidenceRelay
from data_platform.catalog.evidence.store import EvidenceLog
from data_platform.catalog.incident.store import Incidents, Signals
from data_platform.catalog.lease_store import Leases
from data_platform.catalog.legacy.store import LegacyScans
from data_platform.catalog.lineage.event_store import Events
from data_platform.catalog.lineage.graph_source import Graphs
from data_platform.catalog.lineage.process_store import Processes
from data_platform.catalog.lineage.store import Lineage
from data_platform.catalog.migration import is_current, migrate
from data_platform.catalog.onboarding_store import Onboardings
from data_platform.catalog.publication.store import Publications
from data_platform.catalog.quarantine_store import Quarantine
from data_platform.catalog.registry import Registry
from data_platform.catalog.run_store import Runs
from data_platform.catalog.scheduler import Scheduler
from data_platform.catalog.source_interval import SourceIntervals
from data_platform.catalog.timeliness_store import Timeliness
from data_platform.catalog.waiver_store import Waivers

if TYPE_CHECKING:
    from types import TracebackType

    from data_platform.catalog.database import Database
    from data_platform.model.evidence_key import EvidenceKeys


def open_catalog(url: str, evidence_keys: EvidenceKeys | None = None) -> Catalog:
    """Opens the catalog at ``url``, and creates or upgrades it if needed; two processes may do so at once.

    Without ``evidence_keys`` no evidence can be added or verified.

    Raises:
        UsageError: ``url`` is neither ``sqlite:////folder/catalog.db`` nor ``postgresql://…``.
        EnvironmentProblem: The database cannot be used, or newer code has upgraded it.
        SourceUnavailableError: The server did not answer.
    """
    database = open_database(url)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return Catalog(database, evidence_keys)


class Catalog:
    """Several threads may share one catalog.

    ``runs`` has results of stages and their verdicts, ``certifications`` the pointers of certified views,
    ``publications`` the groups whose pointers move together, ``evidence`` the chained log of gate decisions,
    ``evidence_relay`` how far a Kafka topic has it, ``quarantine`` the failed rows, ``leases`` the current writers.
    ``registry`` has datasets and processes, ``lineage`` their dependencies, ``events`` run events of any producer,
    ``arrivals`` deliveries and reports of legacy jobs, ``legacy`` scans of JIL, ``access`` tokens and the audit log,
    ``waivers`` accepted failures, ``timeliness`` what is there of recent partitions, what runs and what failed,
    ``scheduler`` when Dagster's daemon last ticked,
    ``signals`` what was noticed of it, ``incidents`` signals with one root cause and what people did about them,
    ``alerts`` messages about incidents, ``maintenance`` the windows that hold them,
    ``deployments`` which code was deployed, ``cause_records`` what is around an incident, ``onboardings`` proposed
    policies of new datasets, ``source_intervals`` what each partition reads of a table with changes.
    """

    def __init__(self, database: Database, evidence_keys: EvidenceKeys | None = None) -> None:
        self._database, chain, graphs = database, EvidenceChain(evidence_keys), Graphs()
        self.runs = Runs(database, chain)
        self.certifications = Certifications(database, chain)
        self.publications = Publications(database, chain)
        self.evidence = EvidenceLog(database, chain)
        self.evidence_relay = EvidenceRelay(database)
        self.quarantine = Quarantine(database)
        self.leases = Leases(database)
        self.registry = Registry(database)
        self.lineage = Lineage(database, graphs)
        self.processes = Processes(database)
        self.events = Events(database)
        self.arrivals = Arrivals(database)
        self.legacy = LegacyScans(database)
        self.access = Access(database)
        self.waivers = Waivers(database)
        self.timeliness = Timeliness(database)
        self.scheduler = Scheduler(database)
        self.signals = Signals(database)
        self.incidents = Incidents(database)
        self.alerts = Alerts(database)
        self.maintenance = Maintenance(database)
        self.deployments = Deployments(database)
        self.onboardings = Onboardings(database)
        self.source_intervals = SourceIntervals(database)
        self.cause_records = CauseReader(database, graphs)

    def __enter__(self) -> Catalog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def is_current(self) -> bool:
        """Whether the database has the schema of this code.

        Raises:
            SourceUnavailableError: The server did not answer.
        """
        return is_current(self._database)
