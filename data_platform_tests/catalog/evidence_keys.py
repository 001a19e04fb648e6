"""One key of evidence for all tests of the catalog, also in processes that a test starts."""

import os
import tempfile
from pathlib import Path

from data_platform.model.evidence_key import EvidenceKeys

KEYS = EvidenceKeys(Path(tempfile.gettempdir()) / f"data-platform-tests-{os.getuid()}" / "evidence.key")
