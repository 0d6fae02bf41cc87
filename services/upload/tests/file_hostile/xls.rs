//! Malicious and unusual old Excel workbooks, built record by record.

use proptest::prelude::*;
use upload::file::{Cell, RawRow};

use super::{HEADER, code, read};

const FREE: u32 = 0xFFFF_FFFF;
const END: u32 = 0xFFFF_FFFE;
const TABLE: u32 = 0xFFFF_FFFD;

fn bytes(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn shorts(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Packs a stream into a container of sectors of 512 bytes: tables, directory, stream.
fn compound(stream: &[u8]) -> Vec<u8> {
    let mut content = stream.to_vec();
    content.resize(stream.len().max(4096).next_multiple_of(512), 0);
    let sectors = (content.len() / 512) as u32;
    let tables = (sectors + 1).div_ceil(127);
    let first = tables + 1;
    let mut follows = vec![TABLE; tables as usize];
    follows.push(END);
    follows.extend(first + 1..first + sectors);
    follows.push(END);
    follows.resize(128 * tables as usize, FREE);
    let mut file = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    file.resize(24, 0);
    file.extend(shorts(&[0x3E, 3, 0xFFFE, 9, 6, 0, 0, 0]));
    file.extend(bytes(&[0, tables, tables, 0, 4096, END, 0, END, 0]));
    file.extend(bytes(&(0..tables).collect::<Vec<_>>()));
    file.resize(512, 0xFF);
    file.extend(bytes(&follows));
    file.extend(entry("Root Entry", 5, 1, END, 0));
    file.extend(entry("Workbook", 2, FREE, first, content.len() as u32));
    file.resize(file.len().next_multiple_of(512), 0);
    file.extend(content);
    file
}

fn entry(name: &str, kind: u8, child: u32, first: u32, length: u32) -> Vec<u8> {
    let mut entry = shorts(&name.encode_utf16().collect::<Vec<_>>());
    let named = entry.len() as u16 + 2;
    entry.resize(64, 0);
    entry.extend(named.to_le_bytes());
    entry.extend([kind, 1]);
    entry.extend(bytes(&[FREE, FREE, child]));
    entry.resize(116, 0);
    entry.extend(bytes(&[first, length, 0]));
    entry
}

fn record(kind: u16, body: &[u8]) -> Vec<u8> {
    [&shorts(&[kind, body.len() as u16]), body].concat()
}

fn begin(kind: u16) -> Vec<u8> {
    record(0x0809, &shorts(&[0x0600, kind, 0, 0, 0, 0, 0, 0]))
}

fn end() -> Vec<u8> {
    record(0x000A, &[])
}

/// A text that the cell holds itself.
fn text(row: u16, column: u16, text: &str) -> Vec<u8> {
    record(0x0204, &[&shorts(&[row, column, 0, text.len() as u16])[..], &[0], text.as_bytes()].concat())
}

/// A text that is shared by cells.
fn shared(row: u16, column: u16, index: u32) -> Vec<u8> {
    record(0x00FD, &[shorts(&[row, column, 0]), bytes(&[index])].concat())
}

/// Whole numbers side by side from the first column on.
fn numbers(row: u16, count: u16) -> Vec<u8> {
    let cells: Vec<u8> = (0..count).flat_map(|_| [0, 0, 7 << 2 | 2, 0, 0, 0]).collect();
    record(0x00BD, &[shorts(&[row, 0]), cells, shorts(&[count - 1])].concat())
}

fn number(row: u16, column: u16, format: u16, value: f64) -> Vec<u8> {
    record(0x0203, &[&shorts(&[row, column, format])[..], &value.to_le_bytes()].concat())
}

fn header() -> Vec<u8> {
    (0..).zip(HEADER).flat_map(|(column, heading)| text(0, column, heading)).collect()
}

/// Builds a stream with records of the workbook and as many sheets that all are the given one.
fn stream(of_book: &[u8], cells: &[u8], sheets: usize) -> Vec<u8> {
    let before = begin(5).len() + of_book.len();
    let at = (before + sheets * 13 + end().len()) as u32;
    let sheet = record(0x0085, &[&bytes(&[at])[..], &[0, 0, 1, 0, b'A']].concat());
    [begin(5), of_book.to_vec(), sheet.repeat(sheets), end(), begin(0x10), cells.to_vec(), end()].concat()
}

/// Builds a file with one sheet that has a header and further cells.
fn book(of_book: &[u8], cells: &[u8]) -> Vec<u8> {
    compound(&stream(of_book, &[header(), cells.to_vec()].concat(), 1))
}

fn cells(of_book: &[u8], cells: &[u8]) -> Vec<RawRow> {
    read(&book(of_book, cells)).unwrap()
}

fn is(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

#[test]
fn shared_texts_go_on_in_other_records() {
    let first = [bytes(&[4, 4]), vec![4, 0, 0], b"Ac".to_vec()].concat();
    // The rest of "Acme" in 16 bits, then a text with fonts and phonetics, cut before its characters.
    let second = [vec![1], shorts(&[u16::from(b'm'), u16::from(b'e')]), vec![2, 0, 0x0C, 1, 0], bytes(&[3])];
    let third = [b"\0Pe\0\0\0\0abc".to_vec(), shorts(&[1])].concat();
    let strings = [
        record(0x00FC, &first),
        record(0x3C, &second.concat()),
        record(0x3C, &third[..5]),
        record(0x3C, &third[5..]),
    ];
    let last = record(0x3C, &[1, 0x71, 0x67, 0, 0, 0]);
    let rows = [shared(1, 0, 0), shared(1, 1, 1), shared(1, 2, 2), shared(1, 3, 3)].concat();
    let rows = cells(&[strings.concat(), last].concat(), &rows);
    assert_eq!(rows[0].cells, [is("Acme"), is("Pe"), is("東")]);
}

#[test]
fn numbers_of_every_form_and_texts_of_formulas() {
    let rk = |column, bits: u32| record(0x027E, &[shorts(&[1, column, 0]), bytes(&[bits])].concat());
    let formula =
        record(0x0006, &[shorts(&[2, 0, 0]), vec![0, 0, 0, 0, 0, 0, 0xFF, 0xFF], vec![0; 8]].concat());
    let result = record(0x0207, &[&shorts(&[2])[..], &[0], b"OK"].concat());
    let formats: Vec<u8> = [0, 22, 46].iter().flat_map(|id| record(0x00E0, &shorts(&[0, *id, 0]))).collect();
    let rows = [
        rk(0, (-12_345_i32 << 2) as u32 | 3),
        rk(1, (1.5_f64.to_bits() >> 32) as u32),
        number(1, 2, 1, 46_085.354_166_666_664),
        number(1, 3, 2, 1.5),
        formula,
        // A chart and a shared formula may come before the text of a formula.
        [begin(0x20), text(2, 1, "chart"), end()].concat(),
        record(0x04BC, &[0; 10]),
        result,
        number(2, 1, 0, f64::NAN),
        number(2, 2, 9_999, 7.0),
        numbers(3, 2),
    ];
    let rows = cells(&formats, &rows.concat());
    let at = Cell::DateTime("2026-03-04T08:30:00".parse().unwrap());
    assert_eq!(rows[0].cells, [Cell::Number(-123.45), Cell::Number(1.5), at, Cell::Number(1.5)]);
    assert_eq!(rows[1].cells, [is("OK"), is("NaN"), Cell::Number(7.0)]);
    assert_eq!(rows[2].cells, [Cell::Number(7.0), Cell::Number(7.0)]);
}

#[test]
fn bombs_and_claims() {
    let long = [shorts(&[10_000]), vec![0], vec![b'x'; 8_000]].concat();
    let rest = [vec![0], vec![b'x'; 2_000]].concat();
    let strings = [record(0x00FC, &[bytes(&[1, FREE]), long].concat()), record(0x3C, &rest)].concat();
    let many: Vec<u8> =
        (1..10).flat_map(|row| (0..100).flat_map(move |column| shared(row, column, 0))).collect();
    assert_eq!(cells(&strings, &many[..14 * 100])[0].cells[3], is(&"x".repeat(10_000)));
    assert_eq!(code(&book(&strings, &many)), "FILE_UNPACKED_TOO_LARGE");
    let nothing = record(0x3C, &[0; 60_000]);
    let empty = [record(0x00FC, &bytes(&[1, FREE])), nothing.repeat(60)].concat();
    assert_eq!(code(&book(&empty, &[])), "FILE_TOO_COMPLEX");
    let claims = record(0x00FC, &[bytes(&[1, 1]), vec![1, 0, 0x04], bytes(&[FREE]), vec![b'x']].concat());
    assert_eq!(code(&book(&claims, &[])), "FILE_NOT_READABLE");
    assert_eq!(code(&compound(&stream(&[], &header(), 1_001))), "FILE_TOO_COMPLEX");
    let blank = record(0x0201, &shorts(&[0, 0, 0])).repeat(20_000);
    assert_eq!(code(&compound(&stream(&[], &blank, 100))), "FILE_UNPACKED_TOO_LARGE");
}

#[test]
fn cells_in_no_order_are_sorted_or_refused() {
    let backward: Vec<u8> = (1..50).rev().flat_map(|row| numbers(row, 4)).collect();
    let lines: Vec<u32> = cells(&[], &backward).iter().map(|row| row.line).collect();
    assert_eq!(lines, (2..51).collect::<Vec<_>>());
    let backward: Vec<u8> = (1..2_000).rev().flat_map(|row| numbers(row, 200)).collect();
    assert_eq!(code(&book(&[], &backward)), "FILE_TOO_COMPLEX");
    let forward: Vec<u8> = (1..2_000).flat_map(|row| numbers(row, 200)).collect();
    assert_eq!(cells(&[], &forward).len(), 1_999);
    assert_eq!(code(&book(&[], &numbers(1, 201))), "FILE_TOO_MANY_COLUMNS");
}

#[test]
fn loops_and_places_that_are_not_there() {
    let whole = book(&[], &numbers(1, 4));
    assert_eq!(code(&whole), "");
    let with = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        code(&bytes)
    };
    // The table, the directory, and the stream from sector 2 on.
    let (follows, directory) = (|sector: usize| 512 + 4 * sector, 1024);
    for (at, value, expected) in [
        (48, 70_000, "FILE_NOT_READABLE"),
        (76, 70_000, "FILE_NOT_READABLE"),
        (76, FREE, "FILE_NOT_READABLE"),
        (follows(1), 1, "FILE_NOT_READABLE"),
        (follows(4), 3, "FILE_NOT_READABLE"),
        (follows(4), 70_000, "FILE_NOT_READABLE"),
        // The root is in itself; the stream is beside itself, and beside one that is not there.
        (directory + 76, 0, "FILE_TYPE_UNKNOWN"),
        (directory + 128 + 68, 1, "FILE_NOT_READABLE"),
        (directory + 128 + 72, 70_000, "FILE_NOT_READABLE"),
    ] {
        assert_eq!(with(at, value), expected, "{value} at {at}");
    }
    let elsewhere = |at: u32| record(0x0085, &[&bytes(&[at])[..], &[0, 0, 1, 0, b'A']].concat());
    for at in [0, 3, 20, 90_000, FREE] {
        assert_eq!(code(&compound(&stream(&elsewhere(at), &header(), 1))), "FILE_NOT_READABLE", "{at}");
    }
    for cells in [
        shared(1, 0, 0),
        record(0x00BD, &[]),
        record(0x0203, &[1, 0]),
        record(0x0204, &[1, 0, 0, 0, 0, 0, 9]),
    ] {
        assert_eq!(code(&book(&[], &cells)), "FILE_NOT_READABLE");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn damaged_old_workbooks_are_rows_or_a_refusal(
        at in 0.0f64..1.0,
        with in proptest::collection::vec(any::<u8>(), 1..12),
        cut in proptest::option::of(0.0f64..1.0),
        within in any::<bool>(),
    ) {
        let strings = record(0x00FC, &[bytes(&[2, 2]), vec![1, 0, 0, b'x', 2, 0, 1, 0x71, 0x67, 0, 1]].concat());
        let cells = [header(), shared(1, 0, 0), shared(1, 1, 1), number(1, 2, 0, 0.5), numbers(2, 4)].concat();
        let stream = stream(&strings, &cells, 2);
        let mut bytes = compound(&stream);
        // Damage the records, or anything.
        let from = if within { 1536 } else { 0 };
        let room = if within { stream.len() } else { bytes.len() };
        let at = from + ((room - with.len()) as f64 * at) as usize;
        bytes[at..at + with.len()].copy_from_slice(&with);
        if let Some(cut) = cut.filter(|_| !within) {
            bytes.truncate((bytes.len() as f64 * cut) as usize);
        }
        let _ = code(&bytes);
    }
}
