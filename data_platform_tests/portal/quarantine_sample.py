"""A command that prints a document as ``data-platform quarantine show --json`` does, without a lake."""

import sys
from typing import Any

from data_platform.api.quarantine_command import QuarantineCommand


def printing(document: dict[str, Any]) -> QuarantineCommand:
    return QuarantineCommand("show", (sys.executable, "-c", f"import json\nprint(json.dumps({document!r}))"))
