"""The content of one dataset's folder, and of one process's file, each read by itself.

An entry keeps its documents, so that a later problem between files has a line. An entry whose files are wrong has no
policy, and still counts as existing: no problem reports it as missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.model.baseline import Baseline
from data_platform.model.freshness import Freshness, FreshnessDocument
from data_platform.model.policy import DatasetPolicy
from data_platform.model.policy_bundle import BaselineRule, PolicyBundle
from data_platform.model.process import Process
from data_platform.policies.document import Document, read_document, read_text
from data_platform.policies.problem import Problem, did_you_mean
from data_platform.policies.shape import Model, validate
from data_platform.policies.trailer import trailer_problems

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.model.process import Step
    from data_platform.policies.layout import Layout

BASELINE = "baseline.json"
REQUIRED_BASELINE = "missing, and policy_bundle.yaml has `baseline: required`; restore it, or change the key"


@dataclass(frozen=True)
class DatasetEntry:
    """``bundle`` is empty if there is no policy_bundle.yaml, and None if that file is wrong."""

    urn: str
    document: Document
    policy: DatasetPolicy | None
    bundle_document: Document
    bundle: PolicyBundle | None
    baseline: Baseline | None

    @property
    def baseline_file(self) -> str:
        """The name of ``baseline.json`` in problems, whether it exists or not."""
        return f"{self.document.name.rpartition('/')[0]}/{BASELINE}"


@dataclass(frozen=True)
class ProcessEntry:
    """``process`` contains its queries; ``files`` maps a step's position to the file of its query."""

    name: str
    document: Document
    process: Process | None
    files: dict[int, str] = field(default_factory=dict)


def read_dataset(layout: Layout, folder: Path, problems: list[Problem]) -> DatasetEntry:
    document, policy = _read(layout, folder / "dataset.yaml", DatasetPolicy, problems)
    bundle_document, bundle = _read_optional(layout, folder / "policy_bundle.yaml", PolicyBundle, problems)
    baseline_document, baseline = _read_optional(layout, folder / BASELINE, Baseline, problems)
    if bundle and bundle.baseline is BaselineRule.REQUIRED and not baseline_document.name:
        problems.append(Problem(layout.name(folder / BASELINE), 0, "", REQUIRED_BASELINE))
    freshness_document, freshness = _read_optional(layout, folder / "freshness.yaml", FreshnessDocument, problems)
    urn = f"ds://{folder.parent.name}/{folder.name}"
    if policy and policy.urn != urn:
        problems.append(document.problem(("urn",), f"found {policy.urn}, but the folder is that of {urn}; correct one"))
    if policy and freshness:
        if freshness.dataset != policy.urn:
            text = f"found {freshness.dataset}, but the urn in dataset.yaml is {policy.urn}; correct one"
            problems.append(freshness_document.problem(("dataset",), text))
        policy = _with_freshness(policy, freshness.freshness_policy, freshness_document, problems)
    if not bundle_document.name:
        bundle = PolicyBundle()
    if policy and bundle:
        problems.extend(trailer_problems(policy, bundle, document))
    return DatasetEntry(policy.urn if policy else urn, document, policy, bundle_document, bundle, baseline)


def read_process(layout: Layout, path: Path, problems: list[Problem]) -> ProcessEntry:
    document, process = _read(layout, path, Process, problems)
    if process is None:
        return ProcessEntry(path.stem, document, None)
    if process.name != path.stem:
        text = f"found {process.name}, but the file is named {path.name}; correct one"
        problems.append(document.problem(("name",), text))
    queries = {query.name: query for query in layout.queries}
    steps: list[Step] = []
    files: dict[int, str] = {}
    for position, step in enumerate(process.steps):
        sql: str | None = step.sql
        if step.sql_file in queries:
            files[position] = layout.name(queries[step.sql_file])
            sql = read_text(queries[step.sql_file], files[position], problems)
        elif step.sql_file:
            text = f"{step.sql_file} is not a .sql file beside this one{did_you_mean(step.sql_file, queries)}"
            problems.append(document.problem(("steps", position, "sql_file"), text))
            sql = None
        if sql is not None:
            steps.append(step.model_copy(update={"sql": sql, "sql_file": ""}))
    if len(steps) < len(process.steps):
        return ProcessEntry(process.name, document, None, files)
    return ProcessEntry(process.name, document, process.model_copy(update={"steps": tuple(steps)}), files)


def _read(layout: Layout, path: Path, model: type[Model], problems: list[Problem]) -> tuple[Document, Model | None]:
    name = layout.name(path)
    document = read_document(path, name, problems)
    if document is None:
        return Document(name, "", {}), None
    return document, validate(document, model, problems)


def _read_optional(
    layout: Layout, path: Path, model: type[Model], problems: list[Problem]
) -> tuple[Document, Model | None]:
    return _read(layout, path, model, problems) if path.exists() else (Document("", "", {}), None)


def _with_freshness(
    policy: DatasetPolicy, freshness: Freshness, document: Document, problems: list[Problem]
) -> DatasetPolicy:
    """Merges the two; what both declare must be the same."""
    declared = policy.slo.freshness
    declared_values = {name: getattr(declared, name) for name in declared.model_fields_set} if declared else {}
    added = {name: getattr(freshness, name) for name in freshness.model_fields_set}
    for name, value in added.items():
        if declared_values.get(name, value) != value:
            text = f"found {value}, but slo.freshness in dataset.yaml is {declared_values[name]}; leave one of the two"
            problems.append(document.problem(("freshness_policy", name), text))
    merged = Freshness.model_validate({**declared_values, **added})
    return policy.model_copy(update={"slo": policy.slo.model_copy(update={"freshness": merged})})
