use super::*;
use crate::file::row::{RowContext, check};

const HEADER: [&str; 6] =
    ["Delivery Doc", "Shipment no.", "Customer Name", "Delivery Date", "Quantity", "Time Window Start"];

fn mapping() -> Mapping {
    Mapping::new(&HEADER.map(str::to_owned), 1).unwrap()
}

/// Returns rows from line 2 on with these dates and quantities.
fn rows(values: &[(&str, &str)]) -> Vec<RawRow> {
    let text = |value: &str| Cell::text(value.to_owned());
    let row = |(at, (date, quantity)): (usize, &(&str, &str))| RawRow {
        line: at as u32 + 2,
        cells: vec![text("D"), text("S"), text("C"), text(date), text(quantity)],
    };
    values.iter().enumerate().map(row).collect()
}

fn decide(rows: &[RawRow], setting: DateOrder) -> Result<(Columns, Vec<Warning>), FileError> {
    let mapping = mapping();
    let mut evidence = Evidence::default();
    for row in rows {
        evidence.add(row, &mapping);
    }
    evidence.decide(&mapping, setting, Chosen::default())
}

/// Returns month and day of these dates, read with the given setting.
fn days(values: &[&str], setting: DateOrder) -> Vec<String> {
    let values: Vec<_> = values.iter().map(|date| (*date, "1")).collect();
    let rows = rows(&values);
    let (columns, _) = decide(&rows, setting).unwrap();
    let context = RowContext { timezone: chrono_tz::UTC, columns, earliest: None };
    let read = rows.iter().map(|row| check(row, &mapping(), &context).unwrap());
    let day = |row: proto::deliveries::v1::ImportRow| proto::instant(row.scheduledatetime.unwrap()).unwrap();
    read.map(|row| day(row).format("%m-%d").to_string()).collect()
}

/// Half of a column must never be read day first and the other half month first.
#[test]
fn one_date_that_shows_the_order_decides_for_the_column() {
    for setting in [DateOrder::Mdy, DateOrder::Dmy] {
        let european = ["30/11/2026", "01/12/2026", "02/12/2026", "06/12/2026"];
        assert_eq!(days(&european, setting), ["11-30", "12-01", "12-02", "12-06"], "{setting:?}");
        let american = ["12/01/2026", "12/02/2026", "11/30/2026"];
        assert_eq!(days(&american, setting), ["12-01", "12-02", "11-30"], "{setting:?}");
    }
}

#[test]
fn a_column_that_shows_both_orders_is_refused_with_both_examples() {
    let rows = rows(&[("01/12/2026", "1"), ("23/11/2026", "1"), ("11/24/2026", "1")]);
    let error = decide(&rows, DateOrder::Mdy).unwrap_err();
    assert_eq!(error.code, "FILE_DATES_CONTRADICT");
    for part in ["“Delivery Date”", "“23/11/2026” on line 3", "“11/24/2026” on line 4", "2026-11-23"]
    {
        assert!(error.text.contains(part), "{error}");
    }
}

#[test]
fn a_column_that_shows_no_order_follows_the_setting_and_says_so() {
    let ambiguous = rows(&[("2026-11-23", "1"), ("03/04/2026", "1")]);
    let (columns, warnings) = decide(&ambiguous, DateOrder::Dmy).unwrap();
    assert_eq!(columns.date(Field::ScheduleDate), DateOrder::Dmy);
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!((warning.code, warning.line), ("DATES_AMBIGUOUS", Some(3)));
    assert_eq!(warning.column.as_deref(), Some("Delivery Date"));
    assert!(warning.text.contains("“03/04/2026” on line 3 is April 3, 2026"), "{warning:?}");
    let decided: Vec<_> = columns.decided().collect();
    assert_eq!(decided, [(Field::ScheduleDate, Decision::Dates(DateOrder::Dmy))]);

    let plain = rows(&[("2026-11-23", "12"), ("23-Nov-2026", "1")]);
    let (columns, warnings) = decide(&plain, DateOrder::Dmy).unwrap();
    assert_eq!((columns.decided().count(), warnings.len()), (0, 0), "nothing was open");
}

#[test]
fn a_column_without_a_sign_of_its_own_is_read_as_the_others_of_the_file() {
    let mut rows = rows(&[("23/11/2026", "1")]);
    rows[0].cells.push(Cell::text("03/12/2026 08:00".to_owned()));
    let (columns, warnings) = decide(&rows, DateOrder::Mdy).unwrap();
    assert_eq!(columns.date(Field::TimeWindowStart), DateOrder::Dmy);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].text.contains("as in the file's other columns"), "{:?}", warnings[0]);
}

/// A spreadsheet program that is set to the other date order swaps day and month where the result is a date.
/// It leaves the other values as texts, and only these texts reveal the swap.
#[test]
fn dates_beside_texts_that_were_never_dates_are_pointed_at() {
    let mut mixed = rows(&[("23/11/2026", "1"), ("", "1")]);
    let typed = |day| chrono::NaiveDate::from_ymd_opt(2026, 12, day).unwrap().and_hms_opt(0, 0, 0).unwrap();
    mixed[1].cells[3] = Cell::DateTime(typed(3));
    let codes = |rows: &[RawRow]| {
        let (_, warnings) = decide(rows, DateOrder::Dmy).unwrap();
        warnings.into_iter().map(|it| it.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&mixed), ["DATES_PARTLY_TEXT"]);
    mixed[1].cells[3] = Cell::DateTime(typed(23));
    assert_eq!(codes(&mixed), [""; 0], "the twenty-third was not exchanged");
}

#[test]
fn one_number_that_shows_the_sign_decides_for_the_column() {
    let quantities = |values: &[&str]| {
        let values: Vec<_> = values.iter().map(|quantity| ("2026-11-23", *quantity)).collect();
        let rows = rows(&values);
        let (columns, warnings) = decide(&rows, DateOrder::Mdy)?;
        let context = RowContext { timezone: chrono_tz::UTC, columns, earliest: None };
        let read =
            |row: &RawRow| check(row, &mapping(), &context).map(|it| it.item.unwrap().quantity_thousandths);
        let read: Vec<_> = rows.iter().map(|row| read(row).map_err(|all| all[0].code)).collect();
        Ok::<_, FileError>((read, warnings.into_iter().map(|it| it.code).collect::<Vec<_>>()))
    };
    let none: [&str; 0] = [];
    let (read, warnings) = quantities(&["452,125", "1.204,50", "1.234", "12"]).unwrap();
    assert_eq!(read, [Ok(452_125), Ok(1_204_500), Ok(1_234_000), Ok(12_000)]);
    assert_eq!(warnings, none);
    let (read, _) = quantities(&["452,125", "1,204.50"]).unwrap();
    assert_eq!(read, [Ok(452_125_000), Ok(1_204_500)]);
    // No value shows the decimal sign: a comma is ambiguous, a point is read as a decimal point.
    let (read, warnings) = quantities(&["452,125", "3"]).unwrap();
    assert_eq!((read, warnings), (vec![Err("NUMBER_AMBIGUOUS"), Ok(3_000)], vec![]));
    let (read, warnings) = quantities(&["1.234", "3"]).unwrap();
    assert_eq!((read, warnings), (vec![Ok(1_234), Ok(3_000)], vec!["NUMBERS_AMBIGUOUS"]));

    let error = quantities(&["12,5", "12.75"]).unwrap_err();
    assert_eq!(error.code, "FILE_NUMBERS_CONTRADICT");
    assert!(error.text.contains("“12,5” on line 2 and “12.75” on line 3"), "{error}");
}

#[test]
fn what_somebody_chose_decides_where_the_values_do_not() {
    let mapping = mapping();
    let read = |values: &[(&str, &str)], chosen: Chosen| {
        let mut evidence = Evidence::default();
        for row in &rows(values) {
            evidence.add(row, &mapping);
        }
        evidence.decide(&mapping, DateOrder::Mdy, chosen)
    };
    let chosen = Chosen { date_order: Some(DateOrder::Dmy), decimal_sign: Some(DecimalSign::Comma) };
    let (columns, warnings) = read(&[("03/04/2026", "1.234")], chosen).unwrap();
    assert_eq!(columns.date(Field::ScheduleDate), DateOrder::Dmy);
    assert_eq!(columns.decimal(Field::Quantity), Some(DecimalSign::Comma));
    assert_eq!(warnings, [], "nothing is ambiguous any more");
    let error = read(&[("03/04/2026", "1"), ("11/23/2026", "1")], chosen).unwrap_err();
    assert_eq!(error.code, "FILE_DATES_CONTRADICT");
    for part in ["“11/23/2026” on line 3", "“Delivery Date”", "Choose month first"] {
        assert!(error.text.contains(part), "{error}");
    }
    let error = read(&[("2026-04-03", "1,204.50")], chosen).unwrap_err();
    assert_eq!(error.code, "FILE_NUMBERS_CONTRADICT");
    assert!(error.text.contains("“1,204.50” on line 2"), "{error}");
}
