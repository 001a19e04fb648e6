"""Findings about policies that are valid and still promise too little. ``load_policies`` has the problems of files."""

from data_platform.policies.lint.check import check_policies
from data_platform.policies.lint.finding import CODES, Code, LintFinding
from data_platform.policies.lint.script import scan_scripts

__all__ = ["CODES", "Code", "LintFinding", "check_policies", "scan_scripts"]
