"""Why an incident happened: fixed rules over what the catalog knows, from the signal upstream to what changed first.

``gather`` reads the facts, ``explain`` concludes from them alone, ``rule`` has the rules, each with its reason.
"""

from data_platform.signals.root_cause.explain import explain

__all__ = ["explain"]
