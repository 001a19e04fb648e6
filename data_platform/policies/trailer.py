"""Can the declared columns and the delimiter satisfy the trailers and header records of ``source``?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies.document import Document


def trailer_problems(policy: DatasetPolicy, bundle: PolicyBundle, document: Document) -> Iterator[Problem]:
    source = policy.source
    if source is None:
        return
    trailer = source.declared_trailer
    for name, part in (("trailer", trailer), ("header_record", source.header_record)):
        if part and source.delimiter in part.prefix:
            text = f"{part.prefix!r} contains the delimiter, but must be the whole first field of the record"
            yield document.problem(("source", name, "prefix"), text)
    names = bundle.schema_.declared.names
    declared = {name.lower() for name in names}
    for name in trailer.totals if trailer and names else ():
        if name.lower() not in declared:
            text = f"{name} is not declared in schema.constraints{did_you_mean(name, names)}"
            yield document.problem(("source", "trailer", "totals", name), text)
