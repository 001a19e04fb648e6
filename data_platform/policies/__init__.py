"""Policy files: reads them, validates them as a whole, and describes them for editors.

Everything here is about files that people write. All problems of all files are reported at once, each with its file,
line and key, and nothing is guessed. The classes in ``data_platform.model`` define what the files mean;
``data_platform.gates`` checks a dataset's rows.
"""

from data_platform.policies.catalog import Dataset, PlatformPolicy, Policies
from data_platform.policies.editor import json_schemas, write_schemas
from data_platform.policies.layout import stamp_of
from data_platform.policies.load import load_policies, problems_at
from data_platform.policies.mapping import load_mappings

__all__ = [
    "Dataset",
    "PlatformPolicy",
    "Policies",
    "json_schemas",
    "load_mappings",
    "load_policies",
    "problems_at",
    "stamp_of",
    "write_schemas",
]
