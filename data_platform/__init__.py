"""A data platform that shows data only when it has passed: Dagster, Spark and Delta Lake.

Package map, top to bottom; a package imports only from lines below its own
(``[tool.importlinter]`` in ``pyproject.toml`` checks it)::

    definitions | server | cli     the Dagster code location; the catalog's service; the command `data-platform`
    demo | starter | faultlab      real flights into a landing folder; a new repository for a team's own datasets;
                                   made-up faults with known causes
    portal | mcp_service           the pages of the service; the API's routes as tools of assistants (MCP)
    orchestration | api            Dagster only: assets, checks, I/O manager, sensors; the service's routes
    parity | onboarding | signals | backup
                                   a legacy job's output compared with our certified version; new datasets, from their
                                   deliveries to an approved policy; incidents, causes, alerts; catalog and lake saved
    stage | arrival                bronze, silver, gold, certified, their driver and writer; what has arrived
    quarantine                     rows that failed a gate
    installation                   the opened settings, policies, catalog and Spark session
    job_guard                      a frame of a job outside the platform, judged before the job writes it
    home | evidence_bus | frame | review
                                   permissions of the folders below the home; evidence on its way to Kafka; a user's own
                                   frame judged by the contract of a dataset; proposed policies on their way to approval
    policies | settings            policy files; the settings, which the environment gives
    ingestion | gates | transform | catalog | legacy
                                   deliveries and their records; one module a gate; declarative SQL; the catalog of
                                   datasets, runs and verdicts; Autosys' JIL, the client and wrapper of legacy jobs
    lake | sql | openlineage       the Spark session, Delta tables; the SQL that policies may contain; run events
    model                          frozen values: datasets, policies, schemas, verdicts, evidence, certification
    errors | environment           our exceptions; variables of other programs, such as Java's

Importing any of it does nothing: no I/O, no environment read, no Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime
    from typing import Any

    from data_platform.catalog import Catalog
    from data_platform.frame.contract import DatasetContract
    from data_platform.job_guard.guarded import Guarded
    from data_platform.model.certification import Certification
    from data_platform.model.publication import PublishedVersion
    from data_platform.settings import Settings

__all__ = ["certified", "certified_group", "contract", "guard"]


def certified(urn: str, *, as_of: datetime | date | str | None = None) -> Certification:
    """The version of ``ds://zone/name`` that consumers may see: ``.path``, ``.version``, ``.certified_at``.

    With ``as_of`` the version that they saw at that time. A date means the end of that day in the dataset's time zone,
    and is the only case in which the policies are read. Needs no Spark: read the version with
    ``deltalake.DeltaTable(c.path, version=c.version)``, or in Spark with
    ``spark.read.format("delta").option("versionAsOf", c.version).load(c.path)``.

    Raises:
        UsageError: ``urn`` is not a dataset's, or ``as_of`` has no zone or is in the future.
        NotCertifiedError: No version of the dataset has ever passed its gates, or none had at ``as_of``.
        UnreadableVersionError: Files of the version that consumers saw at ``as_of`` are gone.
    """
    from data_platform.catalog import open_catalog
    from data_platform.errors import NotCertifiedError, UsageError
    from data_platform.model.dataset import DatasetId
    from data_platform.settings import read_settings

    try:
        name = DatasetId.parse(urn).urn
    except ValueError as error:
        raise UsageError(str(error)) from None
    settings = read_settings()
    with open_catalog(settings.catalog_url) as catalog:
        if as_of is not None:
            return _certified_at(settings, catalog, name, as_of)
        found = catalog.certifications.get(name)
    if found is None or found.version is None:
        raise NotCertifiedError(f"{name} has no certified version yet: run it until its gates pass")
    return found


def certified_group(name: str) -> dict[str, PublishedVersion]:
    """The versions of all members of a publish group, which belong together: URN to ``.version``, ``.path``.

    They are read in one statement, so a publication is in all of them or in none. Read each version as ``certified``
    says; a certified view of a Spark session follows its own pointer, so two views may be of different publications.

    Raises:
        UsageError: No policy declares such a group.
        NotCertifiedError: The group was never published; the message has the members without a version.
    """
    from data_platform.catalog import open_catalog
    from data_platform.errors import NotCertifiedError
    from data_platform.policies import load_policies
    from data_platform.settings import read_settings

    settings = read_settings()
    group = load_policies(settings.policies, check_rules=False).group(name)
    with open_catalog(settings.catalog_url) as catalog:
        versions = {one.dataset_urn: one for one in catalog.publications.versions(group.members)}
    if missing := [urn for urn, one in versions.items() if one.version is None]:
        raise NotCertifiedError(f"publish group {name} has no certified version yet of {', '.join(missing)}")
    return versions


def _certified_at(settings: Settings, catalog: Catalog, urn: str, as_of: datetime | date | str) -> Certification:
    from datetime import UTC, datetime

    from data_platform.errors import UnreadableVersionError, UsageError
    from data_platform.lake.presence import find_damage
    from data_platform.model.as_of import instant_of, read_as_of

    def zone() -> str:
        from data_platform.policies import load_policies

        return load_policies(settings.policies, check_rules=False).dataset(urn).policy.zone

    try:
        moment = read_as_of(as_of) if isinstance(as_of, str) else as_of
        found = catalog.certifications.at(urn, instant_of(moment, now=datetime.now(UTC), zone=zone))
    except ValueError as error:
        raise UsageError(str(error)) from None
    assert found.version is not None, "a past certification has a version"  # noqa: S101
    if damage := find_damage(found.path, found.version):
        raise UnreadableVersionError(
            f"consumers saw v{found.version} of {urn} at {found.as_of:%Y-%m-%d %H:%M:%S} UTC, which cannot be read "
            f"any more: {damage}"
        )
    return found


def contract(urn: str) -> DatasetContract:
    """The contract of ``ds://zone/name`` for your own frames and tests: ``contract(urn).validate(frame)``.

    It judges frames of pandas and of Spark; ``.pandas()`` is a schema of pandera. Needs the policies, and no catalog.

    Raises:
        UsageError: No dataset has this name.
        PolicyError: The policies are wrong.
    """
    from data_platform.frame.contract import DatasetContract
    from data_platform.policies import load_policies
    from data_platform.settings import read_settings

    return DatasetContract(load_policies(read_settings().policies).dataset(urn))


def guard(
    frame: Any,
    urn: str,
    *,
    partition: str | None = None,
    process: str | None = None,
    references: Mapping[str, Any] | None = None,
) -> Guarded:
    """Judges ``frame`` by the approved policy of ``ds://zone/name`` before you write it: ``guard(…).accepted.write``.

    ``frame`` is a frame of pandas or Spark; the policies are files, so no service is needed. The verdicts are reported
    to the service for ``partition``, a day, and ``process``, such as ``AUTOSYS/BOX/JOB``; while it is down they wait in
    the spool. ``references`` maps URNs of other datasets to Spark frames of the rows that this one may refer to.

    Raises:
        FrameHeldError: A gate did not pass, and the enforcement mode of the dataset blocks. Nothing was written.
        UsageError: No dataset has this name, its policy is not approved, or ``frame`` is no frame.
        PolicyError: The policies are wrong.
    """
    from data_platform.job_guard import guarded
    from data_platform.policies import load_policies
    from data_platform.settings import read_settings

    settings = read_settings()
    if not settings.guards:
        return guarded.unguarded(urn, frame)
    dataset = load_policies(settings.policies).dataset(urn)
    given = references or {}
    return guarded.guard(settings, dataset, frame, partition=partition, process=process, references=given)
