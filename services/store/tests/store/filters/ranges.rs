//! Ranges of several values, and ranges of times at the end of the years.

use chrono::{DateTime, Utc};
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use store::{Db, on_both};

use super::tables::*;
use super::{Thing, ask, compare, matches, write};

fn thing(id: i64, kind: &str, name: &str, at: Option<DateTime<Utc>>) -> Thing {
    Thing {
        row: Model {
            id,
            name: Some(name.to_owned()),
            name_key: Some(name.to_owned()),
            kind: kind.to_owned(),
            tags: String::new(),
            active: true,
            number: id,
            owner: None,
            at,
            until: None,
        },
        remarks: Vec::new(),
    }
}

fn filter(key: &str, operator: &str, values: &[&str]) -> Filter {
    Filter {
        key: key.to_owned(),
        operator: operator.to_owned(),
        values: values.iter().map(|it| (*it).to_owned()).collect(),
    }
}

on_both!(ranges_are_merged_before_another_filter_applies, Migrator, |db: Db| async move {
    // There are more pending things than are scanned at most, and the first ones do not match. Rejected things match
    // everywhere.
    let of_number = |at: i64| {
        let is_rejected = at % 4 == 3;
        let name = if is_rejected || at >= 20 { "x" } else { "y" };
        thing(at, if is_rejected { "Rejected" } else { "Pending" }, name, None)
    };
    let things: Vec<Thing> = (0..40).map(of_number).collect();
    write(&db, &things).await;
    let filters =
        vec![filter("kind", "equals", &["Pending", "Rejected"]), filter("name", "contains", &["x"])];
    for direction in [SortDirection::Asc, SortDirection::Desc] {
        let sort = vec![Sort { key: "number".to_owned(), direction: direction.into() }];
        let mut expected: Vec<&Thing> = things.iter().filter(|it| matches(it, &filters)).collect();
        expected.sort_by(|a, b| compare(&a.row, &b.row, &sort));
        let expected: Vec<i64> = expected.iter().map(|it| it.row.id).collect();
        assert_eq!(expected.len(), 25);
        for offset in 0..expected.len() {
            let page = Page { r#where: filters.clone(), sort: sort.clone(), limit: 3, offset: offset as u64 };
            let right: Vec<i64> = expected.iter().skip(offset).take(3).copied().collect();
            let (rows, more) = LIST.page(&db, &page).await.unwrap();
            let listed: Vec<i64> = rows.iter().map(|row| row.id).collect();
            assert_eq!(listed, right, "{direction:?} from {offset}");
            assert_eq!(more, expected.len() > offset + 3, "{direction:?} from {offset}");
            assert_eq!(ask(&db, &page).await, right, "{direction:?} from {offset}");
        }
    }
});

on_both!(a_range_of_times_may_end_with_the_last_year, Migrator, |db: Db| async move {
    let at = "2027-01-15T08:00:00.123456Z";
    write(&db, &[thing(7, "Pending", "x", Some(at.parse().unwrap()))]).await;
    // In UTC, the first of these is in the year 0, and the last in the year 10000.
    let (first, last) = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-08:00");
    let finer = "2027-01-15T08:00:00.1234567Z";
    for (from, to, expected) in [
        (at, last, &[7][..]),
        (first, last, &[7]),
        (first, at, &[]),
        (last, last, &[]),
        // Both databases keep microseconds.
        (finer, last, &[7]),
        (first, finer, &[]),
    ] {
        let page = Page { r#where: vec![filter("at", "inDateRange", &[from, to])], ..Page::default() };
        assert_eq!(ask(&db, &page).await, expected, "{from} to {to}");
        let (rows, _) = LIST.page(&db, &page).await.unwrap();
        assert!(rows.iter().map(|row| &row.id).eq(expected), "{from} to {to}");
    }
});
