"""Links in the UI: policy files, quarantine tables, the dataset's page of our service, and the sources of columns.

The open-source UI never shows the metadata ``dagster/column_lineage``, so a table repeats it.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import dagster as dg

from data_platform.model.run import StageReport
from data_platform.policies import Dataset


def policy_files(dataset: Dataset, folder: Path | None) -> dict[str, Any]:
    """Code references to the files that declare ``dataset``; empty if the policies were not read from a folder."""
    if folder is None:
        return {}
    root = folder.absolute()
    home = root / "datasets" / dataset.id.zone / dataset.id.name
    files = [home / "dataset.yaml", home / "policy_bundle.yaml"]
    if dataset.process is not None:
        files.append(root / "processes" / f"{dataset.process.name}.yaml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        references: list[Any] = [
            dg.LocalFileCodeReference(file_path=str(file), line_number=1, label=file.relative_to(root).as_posix())
            for file in files
            if file.exists()
        ]
        value = dg.CodeReferencesMetadataValue(code_references=references)
    return {"dagster/code_references": value} if references else {}


def dataset_page(urn: str, service: str | None) -> dict[str, Any]:
    """The dataset's page in the portal, if the service has an address."""
    if not service:
        return {}
    return {"dataset_page": dg.MetadataValue.url(f"{service.rstrip('/')}/datasets/{quote(urn, safe='')}")}


def quarantine(report: StageReport) -> dict[str, Any]:
    """The quarantine table of the batch, and its path."""
    if not report.quarantine_table:
        return {}
    metadata: dict[str, Any] = {"quarantine_table": report.quarantine_table}
    if report.quarantine_path:
        metadata["quarantine_path"] = dg.MetadataValue.path(report.quarantine_path)
    return metadata


def column_table(lineage: Mapping[str, Sequence[dg.TableColumnDep]]) -> dg.MarkdownMetadataValue:
    """One line for each column, with a link to each asset that it comes from."""
    lines = [f"| `{name}` | {', '.join(map(_source, deps)) or 'no column'} |" for name, deps in lineage.items()]
    return dg.MetadataValue.md("\n".join(("| column | comes from |", "|---|---|", *lines)))


def _source(dep: dg.TableColumnDep) -> str:
    name = dep.asset_key.to_user_string()
    return f"[{name}](/assets/{name}) `{dep.column_name}`"
