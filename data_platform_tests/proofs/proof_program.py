"""Runs a proof on SQLite, and on the PostgreSQL of the tests if there is one, and prints one JSON summary."""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform_tests.catalog.conftest import POSTGRES_URL
from data_platform_tests.catalog.template import copied_database, copy_template

if TYPE_CHECKING:
    from collections.abc import Callable


def prove_stores(description: str, prove: Callable[[str, Path, int], dict[str, Any]]) -> int:
    """``prove`` gets the URL of an empty catalog, a folder, and the number of reads; it raises if a promise breaks."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--reads", type=int, default=10_000, help="reads for each database")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), help="only this database")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    summary = {}
    if asked.store != "postgresql":
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "catalog.db"
            copy_template(file)
            summary["sqlite"] = prove(f"sqlite:///{file}", Path(folder), asked.reads)
    if asked.store != "sqlite" and POSTGRES_URL:
        with tempfile.TemporaryDirectory() as folder, copied_database(POSTGRES_URL) as url:
            summary["postgresql"] = prove(url, Path(folder), asked.reads)
    print(json.dumps(summary, indent=2))
    return 0
