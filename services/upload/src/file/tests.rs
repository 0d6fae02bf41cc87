use super::columns::Columns;
use super::row::{DateOrder, RowContext, check};
use super::*;
use proptest::prelude::*;
use std::io::Write;

const HEADER: &str = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Instructions\n";

fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<RawRow>, FileError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut rows = open(file.path(), "march.csv", limits)?;
    let (mut all, mut last) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        assert!(rows.bytes_read() >= last);
        last = rows.bytes_read();
        all.push(row);
    }
    assert_eq!(rows.bytes_read(), bytes.len() as u64);
    assert_eq!(rows.next(), Ok(None));
    Ok(all)
}

fn code(bytes: &[u8]) -> &'static str {
    read(bytes, &Limits::default()).map_or_else(|e| e.code, |_| "")
}

#[test]
fn files_that_are_no_text_are_named() {
    assert_eq!(code(b""), "FILE_EMPTY");
    assert_eq!(code(b"\n\r\n  ,,\n"), "FILE_EMPTY");
    assert_eq!(code(b"\xEF\xBB\xBF"), "FILE_EMPTY");
    for bytes in [
        &b"%PDF-1.7 ..."[..],
        b"\x89PNG\r\n\x1a\n....",
        b"\xFF\xD8\xFF\xE0....",
        b"PK\x03\x04 and nothing more",
        b"\x00\x01\x02\x03\x04\x05 binary",
        b"\x01\x02\x03\x04\x05",
        b"  <html><table><tr><td>Delivery Doc</td></tr></table></html>",
        b"\xEF\xBB\xBF<?xml version=\"1.0\"?><Workbook/>",
    ] {
        assert_eq!(code(bytes), "FILE_TYPE_UNKNOWN", "{bytes:?}");
    }
    assert_eq!(code(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and nothing more"), "FILE_NOT_READABLE");
    let error = read(b"%PDF", &Limits::default()).unwrap_err();
    assert!(error.text.contains("“march.csv” is a PDF"), "{error}");
}

#[test]
fn limits_hold() {
    let limits = Limits { max_bytes: 400, max_rows: 2, max_cell_chars: 24, ..Limits::default() };
    let good = format!("{HEADER}1,2,Peñafrancia Movers of Naga,3,4\n\n,,\n2\n");
    let rows = read(good.as_bytes(), &limits).unwrap();
    assert_eq!(rows.iter().map(|r| r.line).collect::<Vec<_>>(), [2, 5]);
    assert_eq!(rows[0].cells[2], Cell::Text("Peñafrancia Movers of Na".into()));
    let error = read(format!("{good}3\n").as_bytes(), &limits).unwrap_err();
    assert_eq!((error.code, error.line), ("FILE_TOO_MANY_ROWS", Some(6)));
    let error = read(&[b'a'; 401], &limits).unwrap_err();
    assert_eq!(error.code, "FILE_TOO_LARGE");
    let wide = format!("{HEADER}{}x\n", ",".repeat(200));
    assert_eq!(code(wide.as_bytes()), "FILE_TOO_MANY_COLUMNS");
}

#[test]
fn headers_are_found_or_told() {
    let rows =
        read(format!("sep=,\nDeliveries of March\n\n{HEADER}1,2,3,4,5\n").as_bytes(), &Limits::default());
    assert_eq!(rows.unwrap()[0].line, 5);
    assert_eq!(code("x\n".repeat(10).as_bytes()), "HEADER_MISSING_COLUMNS");
    assert_eq!(code(format!("{}{HEADER}", "x\n".repeat(10)).as_bytes()), "HEADER_MISSING_COLUMNS");
    assert_eq!(code(format!("{}{HEADER}", "x\n".repeat(9)).as_bytes()), "");
    let twice = HEADER.replace("Instructions", "Delivery Doc");
    assert_eq!(code(twice.as_bytes()), "HEADER_REPEATED_COLUMN");
}

#[test]
fn utf16_without_a_mark_and_a_late_byte_of_windows() {
    let text = format!("{HEADER}1,2,Peña,4,5\n");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let utf8 = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(read(&little, &Limits::default()).unwrap(), utf8);
    assert_eq!(read(&big, &Limits::default()).unwrap(), utf8);
    // The first non-ASCII byte comes long after the first piece, or its character is split between two
    // pieces.
    for pad in [70_000, 65_534 - HEADER.len(), 65_535 - HEADER.len()] {
        let mut long = format!("{HEADER}{}", "1,2,3,4,5\n".repeat(pad / 10)).into_bytes();
        long.resize(HEADER.len() + pad, b'9');
        let mut windows = long.clone();
        windows.extend(b",2,Pe\xF1a,4,5\n");
        long.extend(",2,Peña,4,5\n".as_bytes());
        let name = |bytes: &[u8]| read(bytes, &Limits::default()).unwrap().pop().unwrap().cells[2].clone();
        assert_eq!(name(&windows), Cell::Text("Peña".into()));
        assert_eq!(name(&long), Cell::Text("Peña".into()));
    }
}

/// A file that mixes encodings is refused: in either encoding, names in some lines would be stored garbled.
#[test]
fn a_file_with_lines_in_two_encodings_is_refused_by_its_lines() {
    let mixed = |newline: &str| {
        let lines = [&b"1,2,Pe\xC3\xB1a,4,5"[..], b"2,2,3,4,5", b"3,2,Pe\xF1a,4,5", b"4,2,Pe\xF1a,4,5"];
        let header = HEADER.trim_end().as_bytes();
        [&[header][..], &lines].concat().join(newline.as_bytes())
    };
    for newline in ["\n", "\r\n", "\r"] {
        let error = read(&mixed(newline), &Limits::default()).unwrap_err();
        assert_eq!(error.code, "FILE_MIXES_ENCODINGS");
        assert!(error.text.contains("lines 2 are in UTF-8 and lines 4, 5 are not"), "{error}");
    }
    // A capital letter before a closing quotation mark: the two bytes happen to be one character in UTF-8.
    let windows = [HEADER.as_bytes(), b"1,2,CAF\xC9\x94,4,5\n2,2,Pe\xF1a,4,5\n"].concat();
    let rows = read(&windows, &Limits::default()).unwrap();
    assert_eq!(rows[0].cells[2], Cell::Text("CAFÉ”".into()));
    // A run of non-ASCII bytes so long that it is judged in pieces, and one piece ends within a character.
    let chinese = format!("{HEADER}1,2,3,4,{}\n", "x".to_owned() + &"\u{4e2d}".repeat(5_000));
    assert_eq!(code(chinese.as_bytes()), "");
    assert_eq!(code(&[chinese.as_bytes(), b"2,2,Pe\xF1a,4,5\n"].concat()), "FILE_MIXES_ENCODINGS");
}

/// A column with an unknown name is not imported, and that must be reported.
#[test]
fn headings_that_are_not_used_are_told_but_not_those_of_our_download() {
    let header = HEADER.replace("Instructions", "Plate No.,Refused Row,Refused because");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(format!("{header}1,2,3,4,5,6,7\n").as_bytes()).unwrap();
    let mut rows = open(file.path(), "x", &Limits::default()).unwrap();
    while rows.next().unwrap().is_some() {}
    let told: Vec<_> = rows.warnings().into_iter().map(|it| (it.code, it.column)).collect();
    assert_eq!(told, [("HEADING_NOT_USED", Some("Plate No.".to_owned()))]);
}

/// Bytes of Cyrillic letters are letters in Windows-1252, too: only a person sees that the names are wrong.
#[test]
fn an_assumed_encoding_is_a_warning_with_an_example() {
    let warnings = |bytes: &[u8]| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut rows = open(file.path(), "x", &Limits::default()).unwrap();
        while rows.next().unwrap().is_some() {}
        rows.warnings()
    };
    let dash = b"1,2,3,4,Gate \x96\n";
    let cyrillic = encoding_rs::WINDOWS_1251.encode("2,2,ООО Москва-Опт,4,–\n").0.into_owned();
    for (row, example) in [(&b""[..], "“–” on line 2"), (&cyrillic[..], "“ÎÎÎ” on line 3")] {
        let found = warnings(&[HEADER.as_bytes(), dash, row].concat());
        assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), ["ENCODING_ASSUMED"]);
        assert!(found[0].text.contains(example), "{found:?}");
    }
    // In UTF-8 and UTF-16, nothing is assumed.
    for encoding in 0..4 {
        assert_eq!(warnings(&encode(&format!("{HEADER}1,2,Москва-Опт,4,5\n"), encoding)), []);
    }
}

#[test]
fn a_quote_never_closed_loses_no_rows_in_silence() {
    let text = format!("{HEADER}1,2,3,4,5\n2,2,\"3,4,5\n3,2,3,4,5\n");
    let error = read(text.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!((error.code, error.line), ("FILE_QUOTE_NOT_CLOSED", Some(3)));
}

fn encode(text: &str, encoding: usize) -> Vec<u8> {
    match encoding {
        0 => text.as_bytes().to_vec(),
        1 => format!("\u{feff}{text}").into_bytes(),
        2 => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
        3 => format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => encoding_rs::WINDOWS_1252.encode(text).0.into_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn what_is_written_is_read(
        rows in proptest::collection::vec(proptest::collection::vec("[a-zñéü\", ;\t\n]{0,9}", 1..6), 0..12),
        encoding in 0usize..5, separator in 0usize..3, newline in 0usize..3,
    ) {
        let separator = [',', ';', '\t'][separator];
        let newline = ["\n", "\r\n", "\r"][newline];
        let mut text = HEADER.replace(',', &separator.to_string());
        let (mut line, mut expected) = (2, Vec::new());
        for row in &rows {
            let mut quoted: Vec<String> = row.iter().map(|v| format!("\"{}\"", v.replace('"', "\"\""))).collect();
            // Leave some values that need no quotes without them.
            for (value, quoted) in row.iter().zip(&mut quoted) {
                if value.chars().all(char::is_alphabetic) && value.len().is_multiple_of(2) {
                    quoted.clone_from(value);
                }
            }
            text.push_str(&quoted.join(&separator.to_string()));
            text.push('\n');
            if row.iter().any(|v| !v.trim().is_empty()) {
                expected.push(RawRow { line, cells: row.iter().map(|v| Cell::text(v.clone())).collect() });
            }
            line += 1 + row.iter().map(|v| v.matches('\n').count() as u32).sum::<u32>();
        }
        let bytes = encode(&text.replace('\n', newline), encoding);
        prop_assert_eq!(read(&bytes, &Limits::default()).unwrap(), expected);
    }

    #[test]
    fn any_bytes_are_rows_or_a_refusal(bytes in proptest::collection::vec(any::<u8>(), 0..600), head in 0usize..4) {
        let limits = Limits { max_bytes: 2_000, max_rows: 5, max_columns: 6, max_cell_chars: 20, ..Limits::default() };
        let start = [&b""[..], HEADER.as_bytes(), b"\xFF\xFE", b"PK\x03\x04"][head];
        let context = RowContext { timezone: chrono_tz::Asia::Manila, columns: Columns::undecided(DateOrder::Dmy), earliest: None };
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[start, &bytes].concat()).unwrap();
        if let Ok(mut rows) = open(file.path(), "x", &limits) {
            let mut given = 0;
            while let Ok(Some(row)) = rows.next() {
                given += 1;
                prop_assert!(given <= 5 && row.cells.len() <= 6);
                for cell in &row.cells {
                    if let Cell::Text(text) = cell {
                        prop_assert!(text.chars().count() <= 20);
                    }
                }
                let _ = check(&row, rows.mapping(), &context);
            }
        }
    }
}
