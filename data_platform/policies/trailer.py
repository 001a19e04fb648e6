"""Can the declared columns and the delimiter satisfy the trailers, header records and layout of ``source``?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from data_platform.model.fixed_layout import FixedLayout
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.policies.document import Document


def trailer_problems(policy: DatasetPolicy, bundle: PolicyBundle, document: Document) -> Iterator[Problem]:
    source = policy.files
    if source is None:
        return
    trailer = source.declared_trailer
    for name, part in (("trailer", trailer), ("header_record", source.header_record)):
        if part and source.delimiter in part.prefix:
            text = f"{part.prefix!r} contains the delimiter, but must be the whole first field of the record"
            yield document.problem(("source", name, "prefix"), text)
    names = bundle.schema_.declared.names
    for name, part in (("trailer", trailer), ("header_record", source.header_record)):
        yield from _unknown_totals((name,), part.totals if part else (), names, document)
    if source.layout:
        for key, record in source.layout.control_records.items():
            yield from _unknown_totals(("layout", key), record.totals, names, document)
        yield from _missing_fields(source.layout, names, document)


def _unknown_totals(
    place: tuple[str, ...], totals: Iterable[str], names: Sequence[str], document: Document
) -> Iterator[Problem]:
    declared = {name.lower() for name in names}
    for name in totals if names else ():
        if name.lower() not in declared:
            text = f"{name} is not declared in schema.constraints{did_you_mean(name, names)}"
            yield document.problem(("source", *place, "totals", name), text)


def _missing_fields(layout: FixedLayout, names: Sequence[str], document: Document) -> Iterator[Problem]:
    """Declared columns that no file can have, because the layout has no field for them."""
    fields = {name.lower() for name in layout.fields}
    for name in names:
        if name.lower() not in fields:
            text = f"no field for {name}, which schema.constraints declares{did_you_mean(name, layout.fields)}"
            yield document.problem(("source", "layout", "fields"), text)
