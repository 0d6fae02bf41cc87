//! Malicious workbooks: bombs, forged sizes, endless names, broken order. Each must be refused with its code,
//! in bounded memory, and without crashing the process.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "file_hostile/xls.rs"]
mod xls;

use std::io::{Cursor, Write};

use proptest::prelude::*;
use upload::file::{self, Cell, FileError, Limits, RawRow};
use zip::write::SimpleFileOptions;

const HEADER: [&str; 4] = ["Delivery Doc", "Shipment no.", "Customer Name", "Dispatch"];
const SST: &str = "<sst><si><t>Shared &amp; <![CDATA[<kept>]]></t></si></sst>";

fn texts(row: u32, values: &[&str]) -> String {
    let cells: String =
        values.iter().map(|v| format!("<c t=\"inlineStr\"><is><t>{v}</t></is></c>")).collect();
    format!("<row r=\"{row}\">{cells}</row>")
}

fn sheet(rows: &str) -> String {
    format!(
        "<worksheet><dimension ref=\"A1:D9\"/><sheetData>{}{rows}</sheetData></worksheet>",
        texts(1, &HEADER)
    )
}

/// Builds a workbook of one sheet, with additional or replaced parts.
fn book(sheet: &str, others: &[(&str, &str)]) -> Vec<u8> {
    let rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let link = |id: &str, kind: &str, target: &str| {
        format!(
            "<Relationships><Relationship Id=\"{id}\" Type=\"{rel}/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let root = link("r", "officeDocument", "xl/workbook.xml");
    let links = link("s", "worksheet", "worksheets/sheet1.xml");
    let mut parts = vec![
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &root),
        ("xl/_rels/workbook.xml.rels", &links),
        ("xl/workbook.xml", "<workbook><sheets><sheet name=\"A\" r:id=\"s\"/></sheets></workbook>"),
        (
            "xl/styles.xml",
            "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"22\"/></cellXfs></styleSheet>",
        ),
        ("xl/sharedStrings.xml", SST),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    for (name, part) in others {
        parts.retain(|(n, _)| n != name);
        parts.push((name, part));
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(part.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn read(bytes: &[u8]) -> Result<Vec<RawRow>, FileError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let limits = Limits { max_unpacked_bytes: 8 << 20, max_kept_bytes: 16 << 20, ..Limits::default() };
    let mut rows = file::open(file.path(), "march.xlsx", &limits)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(row);
    }
    assert_eq!(rows.bytes_read(), bytes.len() as u64);
    Ok(all)
}

fn code(bytes: &[u8]) -> &'static str {
    read(bytes).map_or_else(|e| e.code, |_| "")
}

#[test]
fn cells_of_every_kind() {
    let cells = "<row r=\"3\"><c r=\"A3\"><v>80001234</v></c><c r=\"B3\" s=\"1\"><v>46085.354166666664</v></c>\
        <c r=\"C3\" t=\"s\"><v>0</v></c><c r=\"D3\" t=\"e\"><v>#REF!</v></c><c r=\"F3\" t=\"b\"><v>1</v></c></row>\
        <row r=\"4\"><c r=\"A4\" s=\"1\"/><c r=\"XFD4\" s=\"1\"/></row>\
        <row r=\"9\"><c r=\"A9\" t=\"str\"><f>1+1</f><v>two</v></c><c r=\"B9\" s=\"1\"><v>0.5</v></c>\
        <c r=\"C9\"><v>nan</v></c><c r=\"D9\" t=\"d\"><v>2026-03-04T08:30:00</v></c></row>";
    let rows = read(&book(&sheet(cells), &[])).unwrap();
    assert_eq!(rows.iter().map(|r| r.line).collect::<Vec<_>>(), [3, 9]);
    let at = |text: &str| Cell::DateTime(text.parse().unwrap());
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(
        rows[0].cells,
        [Cell::Number(80_001_234.0), at("2026-03-04T08:30:00"), text("Shared & <kept>"), text("#REF!")]
    );
    assert_eq!(
        rows[1].cells,
        [text("two"), at("1899-12-31T12:00:00"), text("NaN"), text("2026-03-04T08:30:00")]
    );
}

/// Sheets that are not read are named. Otherwise deliveries would look complete without the items on a second
/// sheet.
#[test]
fn other_sheets_with_content_are_named() {
    let rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let sheets = ["Deliveries", "Items", "Blank", "Lists"];
    let names: String = sheets
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let state = if at == 3 { "hidden" } else { "visible" };
            format!("<sheet name=\"{name}\" state=\"{state}\" r:id=\"s{at}\"/>")
        })
        .collect();
    let links: String = (0..sheets.len())
        .map(|at| format!("<Relationship Id=\"s{at}\" Type=\"{rel}\" Target=\"worksheets/sheet{at}.xml\"/>"))
        .collect();
    let one = "<row r=\"2\"><c r=\"A2\"><v>1</v></c></row>";
    let blank =
        "<worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"str\"><v> </v></c></row></sheetData></worksheet>";
    let bytes = book(
        "",
        &[
            ("xl/workbook.xml", &format!("<workbook><sheets>{names}</sheets></workbook>")),
            ("xl/_rels/workbook.xml.rels", &format!("<Relationships>{links}</Relationships>")),
            ("xl/worksheets/sheet0.xml", &sheet(one)),
            ("xl/worksheets/sheet1.xml", &sheet(one)),
            ("xl/worksheets/sheet2.xml", blank),
            ("xl/worksheets/sheet3.xml", &sheet(one)),
        ],
    );
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&bytes).unwrap();
    let mut rows = file::open(file.path(), "march.xlsx", &Limits::default()).unwrap();
    while rows.next().unwrap().is_some() {}
    let told = rows.warnings();
    assert_eq!(told.iter().map(|it| it.code).collect::<Vec<_>>(), ["SHEET_NOT_READ"], "{told:?}");
    assert!(told[0].text.contains("“Items”"), "{told:?}");
}

#[test]
fn bombs_that_say_so_and_bombs_that_do_not() {
    let zeros = "0".repeat(1 << 20);
    let padding = format!("<a>{zeros}</a>").repeat(9);
    let bytes = book(&format!("{padding}{}", sheet("")), &[]);
    assert!(bytes.len() < 100_000);
    assert_eq!(code(&bytes), "FILE_UNPACKED_TOO_LARGE");
    // The limit applies to a part that is never read, too.
    assert_eq!(code(&book(&sheet(""), &[("xl/media/a.bin", &zeros.repeat(9))])), "FILE_UNPACKED_TOO_LARGE");
    // The same file with a declared size of one kilobyte, in both places that declare it.
    let mut lying = bytes.clone();
    let real = (padding.len() + sheet("").len()) as u32;
    let mut at = 0;
    let mut found = 0;
    while let Some(next) = lying[at..].windows(4).position(|w| w == real.to_le_bytes()) {
        lying[at + next..at + next + 4].copy_from_slice(&1024u32.to_le_bytes());
        at += next + 4;
        found += 1;
    }
    assert!(found >= 1, "no declared size found");
    assert!(["FILE_UNPACKED_TOO_LARGE", "FILE_NOT_READABLE"].contains(&code(&lying)), "{}", code(&lying));
    // One shared string in very many cells.
    let long = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(10_000));
    let cells = "<c t=\"s\"><v>0</v></c>".repeat(100);
    let rows: String = (2..102).map(|r| format!("<row r=\"{r}\">{cells}</row>")).collect();
    assert_eq!(code(&book(&sheet(&rows), &[("xl/sharedStrings.xml", &long)])), "FILE_UNPACKED_TOO_LARGE");
}

#[test]
fn what_would_fill_the_memory() {
    let of = |name, part: &str| code(&book(&sheet(""), &[(name, part)]));
    assert_eq!(
        of("xl/sharedStrings.xml", &format!("<sst>{}</sst>", "<si/>".repeat(300_000))),
        "FILE_TOO_COMPLEX"
    );
    assert_eq!(of("xl/sharedStrings.xml", "<sst uniqueCount=\"9999999999999\"></sst>"), "FILE_TOO_COMPLEX");
    assert_eq!(
        of(
            "xl/sharedStrings.xml",
            &format!("<sst><si>{}</si></sst>", "<r><t>xxxxxxxx</t></r>".repeat(60_000))
        ),
        "FILE_TOO_COMPLEX"
    );
    assert_eq!(
        of(
            "xl/styles.xml",
            &format!("<styleSheet><cellXfs>{}</cellXfs></styleSheet>", "<xf/>".repeat(20_000))
        ),
        "FILE_TOO_COMPLEX"
    );
    assert_eq!(
        code(&book(&sheet(&format!("<row r=\"2\"><c><v>{}</v></c></row>", "1".repeat(3 << 20))), &[])),
        "FILE_TOO_COMPLEX"
    );
    let names: Vec<String> = (0..10_000).map(|i| format!("xl/{i}")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), "")).collect();
    assert_eq!(code(&book(&sheet(""), &parts)), "FILE_TOO_COMPLEX");
}

#[test]
fn entities_other_encodings_and_odd_links() {
    let laughs = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>";
    assert_eq!(
        code(&book(&format!("{laughs}{}", sheet("<row r=\"2\"><c t=\"str\"><v>&b;</v></c></row>")), &[])),
        "FILE_NOT_READABLE"
    );
    assert_eq!(
        code(&book(&format!("<?xml version=\"1.0\" encoding=\"iso-2022-jp\"?>{}", sheet("")), &[])),
        "FILE_NOT_READABLE"
    );
    let links =
        "<Relationships><Relationship Id=\"s\" Type=\"x/worksheet\" Target=\"media/a.png\"/></Relationships>";
    assert_eq!(code(&book(&sheet(""), &[("xl/_rels/workbook.xml.rels", links)])), "FILE_NOT_READABLE");
}

#[test]
fn columns_rows_and_order() {
    let wide: String = (0..16_384).map(|_| "<c><v>1</v></c>").collect();
    let error = read(&book(&sheet(&format!("<row r=\"2\">{wide}</row>")), &[])).unwrap_err();
    assert_eq!((error.code, error.line), ("FILE_TOO_MANY_COLUMNS", Some(2)));
    let far = "<row r=\"5\"><c r=\"XFD5\"><v>1</v></c></row>";
    assert_eq!(code(&book(&sheet(far), &[])), "FILE_TOO_MANY_COLUMNS");
    for rows in [
        "<row r=\"3\"><c><v>1</v></c></row><row r=\"2\"><c><v>1</v></c></row>",
        "<row r=\"99999999999999999999\"><c r=\"A4294967295\"><v>1</v></c></row>",
        "<row r=\"2\"><c r=\"A0\"><v>1</v></c></row>",
        "<row r=\"2\"><c><v>1</v>",
        "<row r=\"2\"><c t=\"s\"><v>7</v></c></row>",
        "<row r=\"2\"><c t=\"e\"><v>#ODD!</v></c></row>",
    ] {
        assert_eq!(code(&book(&sheet(rows), &[])), "FILE_NOT_READABLE", "{rows}");
    }
}

#[test]
fn empty_and_hidden_sheets_and_other_zips() {
    assert_eq!(code(&book("<worksheet><sheetData/></worksheet>", &[])), "FILE_EMPTY");
    let hidden = "<workbook><sheets><sheet name=\"A\" state=\"hidden\" r:id=\"s\"/></sheets></workbook>";
    assert_eq!(code(&book(&sheet(""), &[("xl/workbook.xml", hidden)])), "FILE_EMPTY");
    assert_eq!(code(&book(&sheet(""), &[("xl/workbook.bin", "")])), "FILE_TYPE_UNKNOWN");
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("march.csv", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"Delivery Doc").unwrap();
    let bytes = zip.finish().unwrap().into_inner();
    assert!(read(&bytes).unwrap_err().text.contains("packed file"));
    // Set the encryption flag of each part, in its local header and in its directory entry.
    let mut locked = book(&sheet(""), &[]);
    for at in 0..locked.len() - 8 {
        if locked[at..].starts_with(b"PK\x03\x04") {
            locked[at + 6] |= 1;
        } else if locked[at..].starts_with(b"PK\x01\x02") {
            locked[at + 8] |= 1;
        }
    }
    assert_eq!(code(&locked), "FILE_PROTECTED");
}

#[test]
fn rows_dropped_early_end_the_reading() {
    let rows: String = (2..5_000).map(|r| texts(r, &HEADER)).collect();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&book(&sheet(&rows), &[])).unwrap();
    let mut rows = file::open(file.path(), "march.xlsx", &Limits::default()).unwrap();
    assert!(rows.next().unwrap().is_some());
    drop(rows);
    drop(file);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn damaged_workbooks_are_rows_or_a_refusal(at in 0.0f64..1.0, with in proptest::collection::vec(any::<u8>(), 1..12), cut in proptest::option::of(0.0f64..1.0)) {
        let mut bytes = book(&sheet(&texts(2, &["1", "2", "3", "4"])), &[]);
        let at = ((bytes.len() - with.len()) as f64 * at) as usize;
        bytes[at..at + with.len()].copy_from_slice(&with);
        if let Some(cut) = cut {
            bytes.truncate((bytes.len() as f64 * cut) as usize);
        }
        let _ = code(&bytes);
    }

    #[test]
    fn odd_xml_is_rows_or_a_refusal(rows in "(<(/)?(row|c|v|is|t|f)( [rst]=\"[A-D0-9bensrt]{0,4}\")?(/)?>|[0-9a#&;]{0,4}){0,30}") {
        let _ = code(&book(&sheet(&rows), &[]));
        let _ = code(&book(&sheet(""), &[("xl/sharedStrings.xml", &rows), ("xl/styles.xml", &rows)]));
    }
}
