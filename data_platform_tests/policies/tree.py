"""Policies folders for tests: small right ones, to which a test adds what is wrong."""

from collections.abc import Mapping
from pathlib import Path

from data_platform.errors import PolicyError
from data_platform.policies import Policies, load_policies

ORDERS = "datasets/shop/orders"
CUSTOMERS = "datasets/shop/customers"
TOTALS = "datasets/shop/totals"


def dataset_yaml(urn: str, *lines: str) -> str:
    return "\n".join([f"urn: {urn}", "owner_team: shop", "tier: TIER_2", *lines]) + "\n"


def bundle_yaml(columns: str, *lines: str) -> str:
    """``columns`` is ``order_id BIGINT, total DECIMAL``."""
    pairs = [column.split() for column in columns.split(",")]
    constraints = [f"    - {{field: {name}, type: {kind}}}" for name, kind in pairs]
    return "\n".join(["schema:", "  constraints:", *constraints, *lines]) + "\n"


def landed(*bundle_lines: str, columns: str = "order_id BIGINT, total DOUBLE") -> dict[str, str]:
    """Orders that have a source."""
    return {
        f"{ORDERS}/dataset.yaml": dataset_yaml(
            "ds://shop/orders", "source: {format: csv, path: orders, producer: shop}"
        ),
        f"{ORDERS}/policy_bundle.yaml": bundle_yaml(columns, *bundle_lines),
    }


def derived(*steps: str, inputs: str = "ds://shop/orders") -> dict[str, str]:
    """Orders, and totals that a process makes of them. ``steps`` are SQL, named one, two, three."""
    names = ("one", "two", "three")
    lines = [f"  - {{name: {name}, sql: {step!r}}}" for name, step in zip(names, steps, strict=False)]
    process = [
        "name: totals",
        "owner_team: shop",
        "output: ds://shop/totals",
        f"inputs: [{{dataset: '{inputs}'}}]",
        "steps:",
        *(lines or ["  - {name: one, sql: SELECT order_id FROM orders}"]),
    ]
    return {
        **landed(),
        f"{TOTALS}/dataset.yaml": dataset_yaml("ds://shop/totals", "process: totals"),
        f"{TOTALS}/policy_bundle.yaml": bundle_yaml("order_id BIGINT"),
        "processes/totals.yaml": "\n".join(process) + "\n",
    }


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The root of a policies folder with ``files``, by their paths below it."""
    root = folder / "policies"
    root.mkdir(exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def load(folder: Path, files: Mapping[str, str | bytes]) -> Policies:
    return load_policies(write(folder, files))


def problems(folder: Path, files: Mapping[str, str | bytes]) -> tuple[str, ...]:
    """What is wrong; nothing, if the files load."""
    try:
        load(folder, files)
    except PolicyError as error:
        return error.problems
    return ()
