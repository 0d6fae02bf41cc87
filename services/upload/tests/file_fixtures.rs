//! Reads the fixtures, most of them written by LibreOffice, from header to last row, and compares them with
//! the values computed when the fixtures were made.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashSet;
use std::path::PathBuf;

use proto::deliveries::v1::ImportRow;
use serde_json::Value;
use upload::file::columns::Evidence;
use upload::file::ordinals::Ordinals;
use upload::file::row::{DateOrder, Message, RowContext, check};
use upload::file::{self, Limits};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn expected(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(path(name)).unwrap()).unwrap()
}

struct Read {
    good: Vec<ImportRow>,
    bad: Vec<(u32, Vec<Message>)>,
    header_line: u32,
}

/// Returns how the columns of a file are read, judging by all of its values.
fn context(name: &str) -> RowContext {
    let mut rows = file::open(&path(name), name, &Limits::default()).unwrap();
    let mut evidence = Evidence::default();
    while let Some(row) = rows.next().unwrap() {
        evidence.add(&row, rows.mapping());
    }
    let (columns, _) = evidence.decide(rows.mapping(), DateOrder::Mdy, Default::default()).unwrap();
    RowContext { timezone: chrono_tz::Asia::Manila, columns, earliest: None }
}

fn read(name: &str) -> Read {
    let context = context(name);
    let size = std::fs::metadata(path(name)).unwrap().len();
    let mut rows = file::open(&path(name), name, &Limits::default()).unwrap();
    let mut ordinals = Ordinals::new();
    let mut read = Read { good: Vec::new(), bad: Vec::new(), header_line: rows.header_line() };
    let mut progress = 0;
    while let Some(row) = rows.next().unwrap() {
        assert!((progress..=size).contains(&rows.bytes_read()));
        progress = rows.bytes_read();
        match check(&row, rows.mapping(), &context) {
            Ok(mut good) => {
                ordinals.number(&good.delivery_id.to_lowercase(), &mut good);
                read.good.push(good);
            }
            Err(messages) => read.bad.push((row.line, messages)),
        }
    }
    assert!(progress * 10 > size * 9, "{name}: {progress} of {size}");
    assert_eq!(rows.bytes_read(), size);
    read
}

fn instant(row: &ImportRow) -> String {
    proto::instant(row.scheduledatetime.unwrap()).unwrap().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn ten_thousand(name: &str, line: &str) -> Vec<ImportRow> {
    let expected = expected("deliveries-10000.expected.json");
    let read = read(name);
    assert_eq!(read.bad, []);
    let distinct = |of: fn(&ImportRow) -> &str| read.good.iter().map(of).collect::<HashSet<_>>().len();
    assert_eq!(read.good.len(), expected["rows"]);
    assert_eq!(distinct(|r| &r.delivery_id), expected["deliveries"]);
    assert_eq!(distinct(|r| &r.shipmentnumber), expected["shipments"]);
    assert_eq!(distinct(|r| &r.customername), expected["customers"]);
    let quantity: i64 = read.good.iter().map(|r| r.item.as_ref().unwrap().quantity_thousandths).sum();
    assert_eq!(quantity, expected["quantity_thousandths"]);
    for spot in expected["spots"].as_array().unwrap() {
        let row = read.good.iter().find(|r| r.line == spot[line]).unwrap();
        let item = row.item.as_ref().unwrap();
        assert_eq!(row.delivery_id, spot["delivery_id"]);
        assert_eq!(row.shipmentnumber, spot["shipmentnumber"]);
        assert_eq!(row.customername, spot["customername"]);
        assert_eq!(instant(row), spot["scheduledatetime"]);
        assert_eq!(item.item_number, spot["item_number"]);
        assert_eq!(item.quantity_thousandths, spot["quantity_thousandths"]);
        assert_eq!(row.instructions.as_deref(), spot["instructions"].as_str());
    }
    read.good
}

fn without_lines(rows: Vec<ImportRow>) -> Vec<ImportRow> {
    rows.into_iter().map(|row| ImportRow { line: 0, ..row }).collect()
}

#[test]
fn ten_thousand_deliveries_are_the_same_as_csv_and_as_workbook() {
    let csv = ten_thousand("deliveries-10000.csv", "csv_line");
    let sheet = ten_thousand("deliveries-10000.xlsx", "xlsx_row");
    assert!(without_lines(csv) == without_lines(sheet));
}

#[test]
fn exactly_the_bad_lines_are_refused() {
    let expected = expected("deliveries-200-bad.expected.json");
    for (name, line) in [("deliveries-200-bad.csv", "csv_line"), ("deliveries-200-bad.xlsx", "xlsx_row")] {
        let read = read(name);
        assert_eq!((read.good.len(), read.bad.len()), (1_800, 200), "{name}");
        let mut codes = HashSet::new();
        for ((at, messages), expected) in read.bad.iter().zip(expected.as_array().unwrap()) {
            assert_eq!(*at, expected[line], "{name}");
            let found: HashSet<_> = messages.iter().map(|m| (m.column.as_deref().unwrap(), m.code)).collect();
            let wanted = expected["messages"].as_array().unwrap();
            let wanted: HashSet<_> =
                wanted.iter().map(|m| (m["column"].as_str().unwrap(), m["code"].as_str().unwrap())).collect();
            assert_eq!(found, wanted, "{name} line {at}");
            codes.extend(messages.iter().map(|m| m.code));
        }
        assert!(codes.len() >= 12, "{codes:?}");
    }
}

#[test]
fn every_encoding_and_separator_reads_the_same() {
    let first = read("small-utf8-comma.csv");
    assert_eq!((first.good.len(), first.bad.len()), (20, 0));
    let note = first.good[3].instructions.as_deref();
    assert_eq!(note, Some("Gate 1; then \"B\", 2nd door\tleft\nñ, é – “ü” €"));
    for encoding in ["utf8", "utf8-bom", "utf16le", "utf16be", "windows-1252"] {
        for separator in ["comma", "semicolon", "tab"] {
            let other = read(&format!("small-{encoding}-{separator}.csv"));
            assert_eq!(other.good, first.good, "{encoding} {separator}");
            assert_eq!(other.bad, []);
        }
    }
}

#[test]
fn titles_hidden_sheets_and_other_date_systems() {
    let plain = without_lines(read("small-utf8-comma.csv").good);
    for kind in ["xlsx", "xls"] {
        let titled = read(&format!("title-above-header.{kind}"));
        assert_eq!(titled.header_line, 4, "{kind}");
        assert_eq!(titled.good[0].line, 5, "{kind}");
        assert!(without_lines(titled.good) == plain, "{kind}");
        assert!(without_lines(read(&format!("dates-1904.{kind}")).good) == plain, "{kind}");
    }
}
