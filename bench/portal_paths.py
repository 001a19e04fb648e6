"""The paths that ``portal`` measures, with places for names of the catalog."""

from dataclasses import dataclass

from sqlalchemy import select

from data_platform.catalog import Catalog
from data_platform.catalog.evidence_table import EVIDENCE
from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.model.quarantine_filter import QuarantineFilter

PAGES = {
    "today": "/",
    "today, one owner": "/?owner=team7",
    "datasets": "/datasets",
    "datasets, last page": "/datasets?page=200",
    "datasets, held": "/datasets?state=held",
    "datasets, words": "/datasets?q=d_77",
    "datasets, a word of all": "/datasets?q=daily",
    "dataset": "/datasets/{dataset}",
    "dataset, ten years": "/datasets/{long}",
    "why": "/why/{dataset}",
    "lineage": "/lineage/{dataset}",
    "lineage, 3 hops": "/lineage/{dataset}?hops=3",
    "processes": "/processes",
    "processes, last page": "/processes?page=100",
    "processes, words": "/processes?q=risk",
    "processes, failed": "/processes?state=FAILED",
    "process": "/processes/{process}",
    "run": "/runs/{run}",
    "incidents": "/incidents",
    "incidents, resolved": "/incidents?state=RESOLVED",
    "incident": "/incidents/19990",
    "kpis": "/kpis",
    "kpis, a year": "/kpis?days=365",
    "backtest": "/backtest/{dataset}",
    "backtest, ten years": "/backtest/{long}",
    "evidence": "/evidence",
    "evidence, a dataset": "/evidence?dataset={dataset}",
    "evidence, a day": "/evidence?day=2025-05-20",
    "evidence, FAIL": "/evidence?result=FAIL",
    "evidence, FAIL of a day": "/evidence?result=FAIL&day=2025-05-20",
    "evidence, FAIL of a gate": "/evidence?result=FAIL&gate=G4_CONTRACT",
    "evidence, nothing": "/evidence?result=FAIL&gate=G5_PII",
    "evidence, a gate and a day": "/evidence?gate=G5_PII&day=2025-05-20",
    "evidence, a day without records": "/evidence?day=2024-05-20",
    "evidence record": "/evidence/{record}",
    "quarantine": "/quarantine",
    "quarantine, closed": "/quarantine?state=RESOLVED",
    "quarantine batch": "/quarantine/{batch}",
    "approvals": "/approvals",
    "waivers": "/waivers",
    "onboarding": "/onboarding",
}
API = {
    "dataset": "/api/v1/dataset/{dataset}",
    "dataset, versions": "/api/v1/dataset/{dataset}/versions",
    "dataset, lineage": "/api/v1/dataset/{dataset}/lineage",
    "dataset, impact": "/api/v1/dataset/{dataset}/impact",
    "dataset, consumers": "/api/v1/dataset/{dataset}/consumers",
    "dataset, certifications": "/api/v1/dataset/{dataset}/certifications",
    "dataset, why": "/api/v1/dataset/{dataset}/why",
    "dataset, last run": "/api/v1/dataset/{dataset}/last_successful_run",
    "process": "/api/v1/process/{process}",
    "process, runs": "/api/v1/process/{process}/runs",
    "run": "/api/v1/run/{run}",
    "incidents": "/api/v1/incidents",
    "incident": "/api/v1/incidents/19990",
    "root cause": "/api/v1/incidents/19990/rca",
    "signals": "/api/v1/signals",
    "signals, ended": "/api/v1/signals?active=false",
    "quarantine": "/api/v1/quarantine",
    "quarantine, closed": "/api/v1/quarantine?closed=true",
    "registrations": "/api/v1/registrations",
    "waivers": "/api/v1/waivers",
    "deployments": "/api/v1/deployments",
    "alerts": "/api/v1/alerts",
    "audit": "/api/v1/audit",
    "lifecycle": "/api/v1/events/lifecycle",
    "lifecycle, a dataset": "/api/v1/events/lifecycle?dataset_urn={dataset}",
    "SLA": "/api/v1/sla/status",
    "search, a word": "/api/v1/search?q=daily",
    "search, a name": "/api/v1/search?q=d_777",
    "search, a slip": "/api/v1/search?q=dayly",
    "metrics": "/metrics",
    "ready": "/readyz",
}


@dataclass(frozen=True)
class Places:
    """Names that fill the paths, encoded."""

    dataset: str
    long: str
    process: str
    run: str
    record: str
    batch: str

    @classmethod
    def of(cls, catalog: Catalog) -> "Places":
        with catalog._database.reading() as connection:
            names = connection.execute(
                select(DATASET.c.full_name).order_by(DATASET.c.dataset_id).limit(3_000)
            ).scalars()
            datasets = [name.replace(":", "%3A").replace("/", "%2F") for name in names]
            process = connection.execute(select(PROCESS.c.process_key).limit(1)).scalar_one()
            run = connection.execute(select(PROCESS_RUN.c.run_uuid).limit(1)).scalar_one()
            newest = select(EVIDENCE.c.evidence_id).order_by(EVIDENCE.c.id.desc()).limit(1)
            record = connection.execute(newest).scalar_one()
        batch = catalog.quarantine.page(QuarantineFilter(), cursor=None, limit=1).items[0].entry.name
        return cls(datasets[len(datasets) // 4], datasets[0], process.replace("/", "%2F"), run, record, batch)
