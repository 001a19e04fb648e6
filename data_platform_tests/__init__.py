"""Tests, laid out as ``data_platform`` is; ``cases/`` holds trouble from public bug reports."""
