"""Files as Excel saves them: encodings, separators, workbooks."""

import json
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from command import here

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import open_data_set, run

HEADER = ("id", "answer", "context")
ROWS = [("1", "Das Café öffnet um 9.", "Das Café öffnet um 9."), ("2", "Über 7 €.", "Über 7 €.")]


def table(separator: str, rows: list[tuple[str, ...]]) -> str:
    quoted = [[f'"{c}"' if set(c) & set(',;|\t"') else c for c in row] for row in rows]
    return "\r\n".join([*map(separator.join, quoted), ""])


def cells(source: Any, **options: Any) -> list[tuple[str, ...]]:
    rows = list(open_data_set(source, **options).rows())
    assert [row.problem for row in rows if row.problem] == []
    return [(row.case_id, row.fields["answer"], row.fields["context"]) for row in rows]


def workbook(path: Path, sheets: dict[str, list[list[Any]]], hidden: tuple[str, ...] = ()) -> Path:
    """A file of Excel, with its texts in the cells."""
    ns = "http://schemas.openxmlformats.org"
    listed, related, types = "", "", ""
    with zipfile.ZipFile(path, "w") as file:
        for number, (name, rows) in enumerate(sheets.items(), 1):
            state = ' state="hidden"' if name in hidden else ""
            listed += f'<sheet name="{name}" sheetId="{number}"{state} r:id="rId{number}"/>'
            office = f"{ns}/officeDocument/2006/relationships"
            related += f'<Relationship Id="rId{number}" Type="{office}/worksheet" Target="worksheets/sheet{number}.xml"/>'
            kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
            types += f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{kind}.worksheet+xml"/>'
            lines = "".join(
                f'<row r="{r}">{"".join(cell(f"{chr(65 + c)}{r}", v) for c, v in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
            )
            body = f'<worksheet xmlns="{ns}/spreadsheetml/2006/main"><sheetData>{lines}</sheetData></worksheet>'
            file.writestr(f"xl/worksheets/sheet{number}.xml", body)
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{ns}/spreadsheetml/2006/main" xmlns:r="{ns}/officeDocument/2006/relationships"><sheets>{listed}</sheets></workbook>',
        )
        rels = f'<Relationships xmlns="{ns}/package/2006/relationships">'
        file.writestr("xl/_rels/workbook.xml.rels", f"{rels}{related}</Relationships>")
        file.writestr(
            "_rels/.rels",
            f'{rels}<Relationship Id="rId1" Type="{ns}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{ns}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>{types}</Types>',
        )
    return path


def cell(place: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "mac-roman", "utf-8-sig"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json"])
def test_a_file_is_read_in_the_encoding_that_is_named(tmp_path, encoding, suffix):
    file = tmp_path / f"cases{suffix}"
    rows = ROWS if encoding != "mac-roman" else [ROWS[0]]
    if suffix in (".csv", ".tsv"):
        text = table(";", [HEADER, *rows])
    else:
        lines = [json.dumps(dict(zip(HEADER, r, strict=True)), ensure_ascii=False) for r in rows]
        text = "\n".join(lines) if suffix == ".jsonl" else f"[{','.join(lines)}]"
    file.write_bytes(text.encode(encoding))
    assert cells(file, encoding=encoding) == rows


@pytest.mark.parametrize("name", ["grade", "estimate", "batch"])
def test_a_file_of_excel_of_which_no_row_can_be_read_is_refused_and_then_read(tmp_path, name):
    file, hint = tmp_path / "cases.csv", "name its encoding: --encoding cp1252"
    rows = [(str(n), f"Der Zug Nr. {n} fährt.", f"Der Zug Nr. {n} fährt.") for n in range(3)]
    file.write_bytes(table(";", [HEADER, *rows]).encode("cp1252"))
    more = ("--run", tmp_path / "good", "--quiet") if name == "batch" else ()
    done = here(name, file, *more)
    assert (done.returncode, (done.stdout + done.stderr).count(hint)) == (2, 1)
    wrong = "none of the first 3 records can be read. line 2: not UTF-8 text: byte 0xe4"
    assert wrong in done.stderr
    for _ in range(2):  # a run has the same input then, and goes on
        assert here(name, file, "--encoding", "cp1252", *more).returncode == 0


def test_an_encoding_that_cannot_be_is_told(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(table(",", [HEADER, ("1", "\u0430", "b")]).encode())
    for encoding in ("cp9999", "base64", "rot13", "", "x\0y", 7):
        with pytest.raises(ConfigError, match=r"^encoding: unknown"):
            open_data_set(file, encoding=encoding)
    with pytest.raises(ConfigError, match="is not ascii text"):
        open_data_set(file, encoding="ascii")
    with pytest.raises(ConfigError, match="encoding: only for a file"):
        open_data_set([], encoding="cp1252")
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(ConfigError, match="encoding: only for text files"):
        open_data_set(tmp_path / "a.parquet", encoding="cp1252")


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("more", ["note, long", "a\tb", "a,b;c,d;e"])
def test_a_separator_is_found_whatever_the_name_ends_in(tmp_path, suffix, separator, more):
    file = tmp_path / f"a{suffix}"
    rows = [(*HEADER, more), ("1", "a, b; c\td", "c", "x"), ("2", 'say "x"', "c\nd", "")]
    quoted = separator.join(f'"{more}"' if separator in more else more for _ in [0])
    lines = [separator.join((*HEADER, quoted))]
    lines += [separator.join(f'"{c}"'.replace('say "x"', 'say ""x""') for c in r) for r in rows[1:]]
    text = "\n".join(lines)
    file.write_text(text, newline="")
    data_set = open_data_set(file)
    rows_read = list(data_set.rows())
    assert [row.columns for row in rows_read] == [{more: "x"}, {more: ""}]
    assert [row.fields["answer"] for row in rows_read] == ["a, b; c\td", 'say "x"']


def test_a_workbook_is_graded_from_its_first_visible_sheet_with_cases(tmp_path):
    pytest.importorskip("python_calamine")
    rows = [[], [*HEADER, "n", None], [7, "It opens at 9.", '["It opens at 9.", "x"]', 1.5], [None]]
    rows += [["x", "Ü, ;", "Ü, ;", True]]
    sheets = {"old": [HEADER, "abc"], "notes": [["by"], ["me"]], "Cases": rows, "more": rows}
    file = workbook(tmp_path / "a.xlsx", sheets, ("old",))
    data_set = open_data_set(file)
    first, second = data_set.rows()
    assert (first.case_id, first.fields["context"]) == ("7", ["It opens at 9.", "x"])
    assert (first.columns, second.columns) == ({"n": "1.5"}, {"n": "TRUE"})
    assert data_set.notes == ["read is the sheet 'Cases', not 'notes', 'more'"]
    done = here("grade", file)
    assert (done.returncode, "read is the sheet 'Cases'" in done.stderr) == (0, True)
    for _ in range(2):
        assert run(file, tmp_path / "run", progress=False).summary.passed == 2


def test_a_workbook_that_cannot_be_read_is_refused(tmp_path):
    pytest.importorskip("python_calamine")
    file = tmp_path / "a.xlsx"
    for content in (b"", b"PK\x03\x04", b"answer,context\na,c\n"):
        file.write_bytes(content)
        with pytest.raises(ConfigError, match="not a file of Excel that can be read"):
            open_data_set(file)
    with pytest.raises(ConfigError, match="read is the sheet 'note', not 'data'"):
        open_data_set(workbook(file, {"note": [["by"], ["me"]], "data": [["x"], ["y"]]}))
    for sheets in ({"a": []}, {"a": [list(HEADER)]}, {"a": [["answer", "docs"], ["a", "c"]]}):
        with pytest.raises(ConfigError, match=r"no column for|contains no cases"):
            open_data_set(workbook(file, sheets))


@pytest.mark.parametrize("far", ["XFD1048576", "ZZ200000"])
def test_a_cell_far_away_is_an_error_and_does_not_end_the_process(tmp_path, far):
    pytest.importorskip("python_calamine")
    file = workbook(tmp_path / "a.xlsx", {"a": [list(HEADER), ["a", "c"]]})
    with zipfile.ZipFile(file) as whole:
        parts = {name: whole.read(name).decode() for name in whole.namelist()}
    row = f'<row r="{far.lstrip("XFDZ")}"><c r="{far}"><v>1</v></c></row>'
    with zipfile.ZipFile(file, "w") as changed:
        for name, text in parts.items():
            changed.writestr(name, text.replace("</sheetData>", f"{row}</sheetData>"))
    with pytest.raises(ConfigError, match="more than 800 MB of memory or 7 seconds"):
        open_data_set(file)
