"""Writes small workbooks as Excel does: a zip of XML files."""

import io
import zipfile
from collections.abc import Mapping

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = """<numFmts count="2"><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy;@"/>
<numFmt numFmtId="165" formatCode="[Red]0.00&quot; days&quot;"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/>
<xf numFmtId="46"/></cellXfs>"""


def workbook(
    sheets: Mapping[str, str],
    *,
    shared: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
    starts_in_1904: bool = False,
    extra: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """``sheets`` maps a name to the XML of its rows and of what follows them; styles are 1 (day) to 5 (hours)."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}" state="{"hidden" if name in hidden else "visible"}"/>'
        for n, name in enumerate(sheets, start=1)
    )
    relations = "".join(f'<Relationship Id="r{n}" Target="worksheets/s{n}.xml"/>' for n in range(1, len(sheets) + 1))
    texts = "".join(f"<si>{text}</si>" for text in shared)
    first = '<workbookPr date1904="1"/>' if starts_in_1904 else ""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{first}<sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{STYLES}</styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{texts}</sst>',
        **{f"xl/worksheets/s{n}.xml": sheet(xml) for n, xml in enumerate(sheets.values(), start=1)},
        **(extra or {}),
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def sheet(xml: str) -> str:
    """``xml`` are rows, and after a bar what follows them."""
    rows, _, after = xml.partition("|")
    return f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>'


def row(number: int, *cells: str, attributes: str = "") -> str:
    return f'<row r="{number}" {attributes}>{"".join(cells)}</row>'


def text(reference: str, value: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'


def number(reference: str, value: str, style: int = 0) -> str:
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'
