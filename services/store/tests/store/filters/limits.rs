//! The largest requests: orders that no index has, and as many filters as are allowed.

use std::time::Duration;

use kit::Kind;
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use sea_orm::ConnectionTrait;
use store::filter::{Field, FieldKind, MAX_FILTERS, MAX_VALUES};
use store::list::{Bounds, Listing};
use store::{Db, on_both};
use uuid::Uuid;

use super::tables::*;
use super::{Thing, ask, compare, matches, write};

/// A view that has more rows than anybody can wait for.
mod endless {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "endless")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub kind: i64,
        pub number: i64,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

const ENDLESS: Listing<endless::Entity> = Listing {
    fields: &[
        Field::new("id", endless::Column::Id, FieldKind::Number),
        Field::new("kind", endless::Column::Kind, FieldKind::Number),
        Field::new("number", endless::Column::Number, FieldKind::Number),
    ],
    key: &[endless::Column::Id],
    default: ("id", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

on_both!(an_order_that_no_index_has_is_ended_without_filters_too, Migrator, |db: Db| async move {
    let tx = db.begin().await.unwrap();
    let view = "CREATE VIEW endless AS WITH RECURSIVE one(id) AS \
         (SELECT CAST(1 AS BIGINT) UNION ALL SELECT id + 1 FROM one WHERE id < 1000000000000) \
         SELECT id, id % 7 AS kind, id % 5 AS number FROM one";
    tx.execute_unprepared(view).await.unwrap();
    tx.commit().await.unwrap();
    let by = |key: &str, direction: SortDirection| Sort { key: key.to_owned(), direction: direction.into() };
    let orders = [
        vec![by("kind", SortDirection::Asc), by("number", SortDirection::Asc)],
        vec![by("kind", SortDirection::Asc), by("id", SortDirection::Desc)],
    ];
    for sort in orders {
        let page = Page { sort, limit: 1, ..Page::default() };
        let listed = tokio::time::timeout(Duration::from_secs(20), ENDLESS.page(&db, &page)).await;
        let error = listed.expect("the list has no time limit").unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "LIST_TOO_BROAD"));
    }
});

/// Things whose names are, begin with, end with or contain what is looked for, or neither.
fn things() -> Vec<Thing> {
    let name = |at: i64| match at % 6 {
        0 => Some(format!("v{at:04}")),
        1 => Some(format!("v{at:04}x")),
        2 => Some(format!("xv{at:04}")),
        3 => Some(format!("xv{at:04}x")),
        4 => Some(format!("other {at}")),
        _ => None,
    };
    let thing = |at: i64| Thing {
        row: Model {
            id: at,
            name: name(at),
            name_key: name(at),
            kind: KINDS[at as usize % KINDS.len()].to_owned(),
            tags: if at % 2 == 0 {
                format!("|{}|", TAGS[at as usize / 2 % TAGS.len()])
            } else {
                String::new()
            },
            active: at % 2 == 0,
            number: at,
            owner: (at % 3 > 0).then(|| Uuid::from_u128(at.unsigned_abs().into())),
            at: None,
            until: None,
        },
        remarks: vec![(name(at), KINDS[at as usize % KINDS.len()]); at as usize % 2],
    };
    (0..24).map(thing).collect()
}

/// Returns as many filters as are allowed, each with as many values as are allowed.
fn full(keys: &[&str], operator: &str, value: impl Fn(usize) -> String) -> Vec<Filter> {
    let filter = |at: usize| Filter {
        key: keys[at % keys.len()].to_owned(),
        operator: operator.to_owned(),
        values: (at * MAX_VALUES..(at + 1) * MAX_VALUES).map(&value).collect(),
    };
    (0..MAX_FILTERS).map(filter).collect()
}

/// Checks the condition and the list against the plain evaluation.
async fn check(db: &Db, things: &[Thing], r#where: Vec<Filter>, sort: Vec<Sort>) {
    let mut expected: Vec<&Thing> = things.iter().filter(|it| matches(it, &r#where)).collect();
    expected.sort_by(|a, b| compare(&a.row, &b.row, &sort));
    let expected: Vec<i64> = expected.iter().map(|it| it.row.id).collect();
    let about = format!("{} {} by {sort:?}", r#where[0].key, r#where[0].operator);
    let page = Page { r#where, sort, limit: 100, ..Page::default() };
    assert_eq!(ask(db, &page).await, expected, "{about}");
    // Other load on the machine may make a request exceed its time limit.
    let mut tries = 0;
    let (rows, more) = loop {
        match LIST.page(db, &page).await {
            Ok(listed) => break listed,
            Err(error) => assert!(error.reason == "LIST_TOO_BROAD" && tries < 3, "{about}: {error:?}"),
        }
        tries += 1;
    };
    assert!(!more);
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), expected, "{about}");
}

on_both!(as_many_filters_as_are_allowed_answer_like_the_plain_evaluation, Migrator, |db: Db| async move {
    let things = things();
    write(&db, &things).await;
    let by = |key: &str| vec![Sort { key: key.to_owned(), direction: SortDirection::Asc.into() }];
    let texts = ["contains", "!contains", "equals", "!equals", "startsWith", "endsWith"];
    for operator in texts {
        for key in ["name", "searched", "listed", "remark"] {
            let filters = full(&[key], operator, |at| format!("v{at:04}"));
            check(&db, &things, filters, by("id")).await;
        }
    }
    for operator in ["contains", "!equals"] {
        for key in ["kind", "tags", "remarkKind"] {
            let spellings = if key == "tags" { TAGS } else { KINDS };
            // All but the last, so that negated filters let something pass.
            let spelling = |at: usize| spellings[at % (spellings.len() - 1)].to_owned();
            check(&db, &things, full(&[key], operator, spelling), by("id")).await;
        }
    }
    for operator in ["equals", "!equals"] {
        check(&db, &things, full(&["number"], operator, |at| (at * 2).to_string()), by("id")).await;
        let owner = |at: usize| Uuid::from_u128(2 * at as u128).to_string();
        check(&db, &things, full(&["owner"], operator, owner), by("id")).await;
        check(&db, &things, full(&["active"], operator, |_| "Active".to_owned()), by("id")).await;
    }
    // Two keys, each with the same 500 ranges.
    let value = |at: usize| format!("v{:04}", at / (2 * MAX_VALUES) * MAX_VALUES + at % MAX_VALUES);
    let two = full(&["name", "listed"], "startsWith", value);
    check(&db, &things, two, by("id")).await;
    // With fewer values, the index would be read once for each kind.
    let mut merged = full(&["name"], "startsWith", |at| format!("v{at:04}"));
    let kinds = vec!["Pending".to_owned(), "Rejected".to_owned()];
    merged[0] = Filter { key: "kind".to_owned(), operator: "equals".to_owned(), values: kinds };
    check(&db, &things, merged, by("number")).await;
    // In the order of the field that is filtered.
    check(&db, &things, full(&["name"], "startsWith", |at| format!("v{at:04}")), by("name")).await;
});
