//! Random rows, filters, orders and pages: both databases return the same as a plain evaluation of the
//! filters.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use sea_orm::ActiveValue::Set;
use sea_orm::{EntityTrait, IntoActiveModel, QueryFilter, QuerySelect};
use sea_orm_migration::prelude::*;
use store::Db;
use store::filter::{condition, fold};
use store::page::{apply, order, window};
use store::testing::{Backend, TestDb};
use uuid::Uuid;

mod limits;
mod ranges;
mod tables;

use tables::*;

fn text() -> impl Strategy<Value = String> {
    let letters = [
        "a",
        "A",
        "b",
        "é",
        "É",
        "ñ",
        "Ñ",
        "ß",
        "İ",
        "e\u{301}",
        "\u{301}",
        "ﬁ",
        "Ｋ",
        "Σ",
        "ς",
        "ｶﾞ",
        "%",
        "_",
        "\\",
        "'",
        "\"",
        " ",
        "1",
        "-",
        "\u{D7FF}",
        "\u{E000}",
        "\u{10FFFF}",
        "🚚",
    ];
    prop::collection::vec(prop::sample::select(letters.to_vec()), 0..6).prop_map(|parts| parts.concat())
}

fn instant() -> impl Strategy<Value = DateTime<Utc>> {
    // Few instants, so that they collide. Some have fractions of a second, because instants that are stored
    // as text could then be sorted wrongly.
    (0_i64..6, prop::sample::select(vec![0_u32, 500_000_000, 500_001_000]))
        .prop_map(|(second, nanos)| DateTime::from_timestamp(1_800_000_000 + second, nanos).unwrap())
}

fn owner() -> impl Strategy<Value = Uuid> {
    (1_u128..4).prop_map(Uuid::from_u128)
}

fn row() -> impl Strategy<Value = Model> {
    (
        prop::option::weighted(0.9, text()),
        prop::sample::select(KINDS.to_vec()),
        prop::sample::subsequence(TAGS.to_vec(), 0..=TAGS.len()),
        any::<bool>(),
        0_i64..4,
        prop::option::of(owner()),
        prop::option::of(instant()),
        prop::option::of(instant()),
    )
        .prop_map(|(name, kind, tags, active, number, owner, at, until)| Model {
            id: 0,
            name_key: name.as_deref().map(fold),
            name,
            kind: kind.to_owned(),
            tags: tags
                .iter()
                .map(|tag| format!("|{tag}"))
                .chain((!tags.is_empty()).then(|| "|".to_owned()))
                .collect(),
            active,
            number,
            owner,
            at,
            until,
        })
}

/// The remarks about a thing: none, one or several.
fn remarks() -> impl Strategy<Value = Vec<(Option<String>, &'static str)>> {
    let one = (prop::option::weighted(0.8, text()), prop::sample::select(KINDS.to_vec()));
    prop::collection::vec(one, 0..3)
}

fn filter() -> impl Strategy<Value = Filter> {
    let make = |key: &'static str, operators: Vec<&'static str>, values: BoxedStrategy<Vec<String>>| {
        (prop::sample::select(operators), values).prop_map(move |(operator, values)| Filter {
            key: key.to_owned(),
            operator: operator.to_owned(),
            values,
        })
    };
    let texts = ["contains", "!contains", "equals", "!equals", "startsWith", "endsWith"];
    let equal = ["equals", "!equals"];
    let some = |values: BoxedStrategy<String>| prop::collection::vec(values, 1..3).boxed();
    prop_oneof![
        4 => make("name", texts.to_vec(), some(text().boxed())),
        2 => make("searched", texts.to_vec(), some(text().boxed())),
        2 => make("listed", texts.to_vec(), some(text().boxed())),
        3 => make("remark", texts.to_vec(), some(text().boxed())),
        1 => make("remarkKind", equal.to_vec(), some(prop::sample::select(KINDS.to_vec()).prop_map(str::to_owned).boxed())),
        1 => make("remarkKind", vec!["contains", "!contains"], some(prop::sample::select(vec!["e", "zz"]).prop_map(str::to_owned).boxed())),
        2 => make("kind", vec!["equals", "!equals"], some(prop::sample::select(vec!["pending", "Rejected", "COMPLETE_NO_VARIANCE"]).prop_map(str::to_owned).boxed())),
        1 => make("kind", vec!["contains", "startsWith", "endsWith"], some(prop::sample::select(vec!["e", "p", "d"]).prop_map(str::to_owned).boxed())),
        2 => make("tags", equal.to_vec(), some(prop::sample::select(vec!["plan", "Planner", "a_b"]).prop_map(str::to_owned).boxed())),
        1 => make("tags", texts[..2].iter().chain(&texts[4..]).copied().collect(), some(prop::sample::select(vec!["plan", "n", "_", "r|a", "zz"]).prop_map(str::to_owned).boxed())),
        1 => make("active", equal.to_vec(), some(prop::sample::select(vec!["Active", "disabled", "true"]).prop_map(str::to_owned).boxed())),
        1 => make("number", equal.to_vec(), some((0_i64..5).prop_map(|n| n.to_string()).boxed())),
        1 => make("owner", equal.to_vec(), some(owner().prop_map(|id| id.to_string()).boxed())),
        4 => make("", vec!["isEmpty", "!isEmpty"], Just(Vec::new()).boxed()).prop_flat_map(|empty| {
            let keys = ["name", "searched", "listed", "remark", "remarkKind", "tags", "owner", "at"];
            prop::sample::select(keys.to_vec()).prop_map(move |key| Filter { key: key.to_owned(), ..empty.clone() })
        }),
        1 => make("due", vec!["inDateRange"], (instant(), instant()).prop_map(|(a, b)| vec![a.to_rfc3339(), b.to_rfc3339()]).boxed()),
        2 => make("at", vec!["inDateRange"], (instant(), instant()).prop_map(|(a, b)| vec![a.to_rfc3339(), b.to_rfc3339()]).boxed()),
    ]
}

fn sort() -> impl Strategy<Value = Sort> {
    (prop::sample::select(vec!["name", "kind", "number", "at", "searched"]), any::<bool>()).prop_map(
        |(key, desc)| Sort {
            key: key.to_owned(),
            direction: if desc { SortDirection::Desc } else { SortDirection::Asc }.into(),
        },
    )
}

/// A thing with its remarks.
#[derive(Debug, Clone)]
struct Thing {
    row: Model,
    remarks: Vec<(Option<String>, &'static str)>,
}

/// Evaluates the filters without SQL.
fn matches(row: &Thing, filters: &[Filter]) -> bool {
    let keys: std::collections::BTreeSet<&str> = filters.iter().map(|it| it.key.as_str()).collect();
    keys.into_iter().all(|key| {
        let (negative, positive): (Vec<_>, Vec<_>) =
            filters.iter().filter(|it| it.key == key).partition(|it| it.operator.starts_with('!'));
        (positive.is_empty() || positive.iter().any(|it| hits(row, it)))
            && !negative.iter().any(|it| hits(row, it))
    })
}

fn hits(Thing { row, remarks }: &Thing, filter: &Filter) -> bool {
    let operator = filter.operator.trim_start_matches('!');
    if operator == "isEmpty" {
        let blank = |text: Option<&str>| text.is_none_or(|text| fold(text).is_empty());
        return match filter.key.as_str() {
            "remark" => remarks.iter().all(|(text, _)| blank(text.as_deref())),
            "remarkKind" => remarks.is_empty(),
            "tags" => row.tags.is_empty(),
            "owner" => row.owner.is_none(),
            "at" => row.at.is_none(),
            _ => blank(row.name.as_deref()),
        };
    }
    let any = |text: &str| filter.values.iter().any(|wanted| compares(operator, &fold(text), &fold(wanted)));
    match filter.key.as_str() {
        "remark" => return remarks.iter().any(|(text, _)| text.as_deref().is_some_and(any)),
        "remarkKind" => return remarks.iter().any(|(_, kind)| any(kind)),
        _ => {}
    }
    if filter.key == "at" || filter.key == "due" {
        let bound = |at: usize| DateTime::parse_from_rfc3339(&filter.values[at]).unwrap();
        let at = if filter.key == "due" { row.until.or(row.at) } else { row.at };
        return at.is_some_and(|at| bound(0) <= at && at < bound(1));
    }
    if filter.key == "tags" {
        let tags = row.tags.split('|').filter(|tag| !tag.is_empty()).map(fold);
        return tags
            .into_iter()
            .any(|tag| filter.values.iter().any(|wanted| compares(operator, &tag, &fold(wanted))));
    }
    let value = match filter.key.as_str() {
        "name" | "searched" | "listed" => row.name.clone(),
        "kind" => Some(row.kind.clone()),
        "active" => Some(row.active.to_string()),
        "number" => Some(row.number.to_string()),
        _ => row.owner.map(|id| id.to_string()),
    };
    let Some(value) = value.map(|text| fold(&text)) else { return false };
    filter.values.iter().any(|wanted| {
        let wanted = match (filter.key.as_str(), fold(wanted).as_str()) {
            ("active", "active") => "true".to_owned(),
            ("active", "disabled") => "false".to_owned(),
            (_, other) => other.to_owned(),
        };
        compares(operator, &value, &wanted)
    })
}

fn compares(operator: &str, value: &str, wanted: &str) -> bool {
    match operator {
        "contains" => value.contains(wanted),
        "equals" => value == wanted,
        "startsWith" => value.starts_with(wanted),
        "endsWith" => value.ends_with(wanted),
        other => panic!("{other}"),
    }
}

fn compare(a: &Model, b: &Model, sorts: &[Sort]) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    // Orders missing values last ascending and first descending, as if they were the greatest.
    fn missing_last<T: Ord>(a: Option<T>, b: Option<T>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
    for sort in sorts {
        let by = match sort.key.as_str() {
            "name" | "searched" => missing_last(
                a.name_key.as_deref().map(str::as_bytes),
                b.name_key.as_deref().map(str::as_bytes),
            ),
            "kind" => a.kind.cmp(&b.kind),
            "number" => a.number.cmp(&b.number),
            _ => missing_last(a.at, b.at),
        };
        let by = if sort.direction() == SortDirection::Desc { by.reverse() } else { by };
        if by != Ordering::Equal {
            return by;
        }
    }
    let last = sorts.last().is_some_and(|sort| sort.direction() == SortDirection::Desc);
    // The index on `kind` continues with `number`, and so does the order.
    let then =
        sorts.last().is_some_and(|sort| sort.key == "kind") && !sorts.iter().any(|it| it.key == "number");
    let by = if then { a.number.cmp(&b.number) } else { Ordering::Equal }.then(a.id.cmp(&b.id));
    if last { by.reverse() } else { by }
}

async fn ask(db: &Db, page: &Page) -> Vec<i64> {
    let condition = condition(FIELDS, &page.r#where).unwrap();
    let columns = order(FIELDS, &page.sort, (Column::Id, sea_orm::Order::Asc), Column::Id).unwrap();
    let window = window(page).unwrap();
    let query = Entity::find().select_only().column(Column::Id).filter(condition);
    let query = apply(query, &columns, db.backend()).limit(window.limit).offset(window.offset);
    query.into_tuple().all(db.read()).await.unwrap()
}

async fn write(db: &Db, things: &[Thing]) {
    let tx = db.begin().await.unwrap();
    Entity::delete_many().exec(&*tx).await.unwrap();
    word::Entity::delete_many().exec(&*tx).await.unwrap();
    remark::Entity::delete_many().exec(&*tx).await.unwrap();
    let rows = things.iter().map(|it| it.row.clone().into_active_model());
    Entity::insert_many(rows).exec_without_returning(&*tx).await.unwrap();
    let words: BTreeSet<String> = things.iter().filter_map(|it| it.row.name_key.clone()).collect();
    let words = words.into_iter().map(|word_key| word::ActiveModel { word_key: Set(word_key) });
    word::Entity::insert_many(words).exec_without_returning(&*tx).await.unwrap();
    let all = things.iter().flat_map(|it| it.remarks.iter().map(move |remark| (it.row.id, remark)));
    let remarks = all.zip(0..).map(|((thing, (text, kind)), id)| remark::ActiveModel {
        id: Set(id),
        thing: Set(thing),
        text_key: Set(text.as_deref().map(fold)),
        kind: Set((*kind).to_owned()),
    });
    remark::Entity::insert_many(remarks).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// Returns all rows of a list, a few at a time.
async fn in_stretches(db: &Db, page: &Page) -> Vec<i64> {
    let (mut ids, mut last) = (Vec::new(), None);
    loop {
        let rows = LIST.stretch(db, page, last.as_ref(), 4).await.unwrap();
        ids.extend(rows.iter().map(|row| row.id));
        match rows.last() {
            Some(row) => last = Some(row.clone()),
            None => return ids,
        }
    }
}

fn sql_equals_the_plain_evaluation(backend: Backend) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let test = runtime.block_on(TestDb::migrated::<Migrator>(backend));
    let cases = std::env::var("WAYBILL_FILTER_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(300);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let thing = (row(), remarks()).prop_map(|(row, remarks)| Thing { row, remarks });
    let input = (
        prop::collection::vec(thing, 0..40),
        prop::collection::vec(filter(), 0..5),
        prop::collection::vec(sort(), 0..3),
        1_u32..12,
        0_u64..6,
    );
    let outcome = runner.run(&input, |(mut things, filters, sorts, limit, offset)| {
        for (at, thing) in things.iter_mut().enumerate() {
            thing.row.id = at as i64;
        }
        let mut matching: Vec<&Thing> = things.iter().filter(|it| matches(it, &filters)).collect();
        matching.sort_by(|a, b| compare(&a.row, &b.row, &sorts));
        let matching: Vec<i64> = matching.iter().map(|it| it.row.id).collect();
        let expected: Vec<i64> =
            matching.iter().skip(offset as usize).take(limit as usize).copied().collect();
        let more = matching.len() as u64 > offset + u64::from(limit);

        let page = Page { r#where: filters, sort: sorts, limit, offset };
        let (plain, (listed, there_is_more), count, stretches) = runtime.block_on(async {
            write(&test.db, &things).await;
            (
                ask(&test.db, &page).await,
                LIST.page(&test.db, &page).await.unwrap(),
                LIST.count(&test.db, &page.r#where).await.unwrap(),
                in_stretches(&test.db, &page).await,
            )
        });
        prop_assert_eq!(&plain, &expected);
        let listed: Vec<i64> = listed.iter().map(|row| row.id).collect();
        prop_assert_eq!(&listed, &expected);
        prop_assert_eq!(there_is_more, more);
        // A count that did not look at every row is a lower bound.
        if things.len() as u64 <= SEEN {
            prop_assert!(count.exact);
        }
        if count.exact {
            prop_assert_eq!(count.total, matching.len() as u64);
        }
        prop_assert!(count.total <= matching.len() as u64);
        prop_assert_eq!(&stretches, &matching);
        Ok(())
    });
    runtime.block_on(test.close());
    outcome.unwrap();
}

#[test]
fn sqlite() {
    sql_equals_the_plain_evaluation(Backend::Sqlite);
}

#[test]
fn postgres() {
    sql_equals_the_plain_evaluation(Backend::Postgres);
}

fn refused(filter: (&str, &str, &[&str])) -> String {
    let (key, operator, values) = filter;
    let filter = Filter {
        key: key.into(),
        operator: operator.into(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    let error = condition(FIELDS, &[filter]).unwrap_err();
    assert_eq!(error.kind, kit::Kind::InvalidInput);
    assert!(error.fields.contains_key("where"));
    error.reason
}

#[test]
fn what_makes_no_sense_is_named_and_refused() {
    assert_eq!(refused(("secret", "equals", &["1"])), "FIELD_UNKNOWN");
    assert_eq!(refused(("name; DROP TABLE thing", "equals", &["1"])), "FIELD_UNKNOWN");
    assert_eq!(refused(("name", "like", &["1"])), "FILTER_OPERATOR_UNKNOWN");
    assert_eq!(refused(("at", "contains", &["1"])), "FILTER_OPERATOR_UNSUITED");
    assert_eq!(refused(("number", "startsWith", &["1"])), "FILTER_OPERATOR_UNSUITED");
    assert_eq!(refused(("name", "inDateRange", &["a", "b"])), "FILTER_OPERATOR_UNSUITED");
    assert_eq!(refused(("name", "equals", &[])), "FILTER_VALUES");
    assert_eq!(refused(("name", "isEmpty", &["a"])), "FILTER_VALUES");
    assert_eq!(refused(("number", "isEmpty", &[])), "FILTER_OPERATOR_UNSUITED");
    assert_eq!(refused(("kind", "equals", &["Lost"])), "FILTER_VALUE_UNKNOWN");
    assert_eq!(refused(("tags", "equals", &["pla"])), "FILTER_VALUE_UNKNOWN");
    assert_eq!(refused(("tags", "inDateRange", &["a", "b"])), "FILTER_OPERATOR_UNSUITED");
    assert_eq!(refused(("at", "inDateRange", &["2026-01-01T00:00:00Z"])), "FILTER_DATE_RANGE");
    assert_eq!(refused(("at", "inDateRange", &["yesterday", "today"])), "FILTER_VALUE");
    assert_eq!(refused(("owner", "equals", &["7"])), "FILTER_VALUE");
    assert_eq!(refused(("name", "equals", &[&"x".repeat(201)])), "FILTER_VALUE_TOO_LONG");
    let many = vec![Filter { key: "name".into(), operator: "equals".into(), values: vec!["a".into()] }; 21];
    assert_eq!(condition(FIELDS, &many).unwrap_err().reason, "TOO_MANY_FILTERS");
}

#[test]
fn pages_have_bounds() {
    assert!(window(&Page { limit: 100, ..Page::default() }).is_ok());
    assert_eq!(window(&Page::default()).unwrap().limit, 25);
    assert!(window(&Page { limit: 101, ..Page::default() }).is_err());
    assert!(window(&Page { offset: 1_000_001, ..Page::default() }).is_err());
    let by_owner = [Sort { key: "owner".into(), direction: 1 }];
    assert!(order(FIELDS, &by_owner, (Column::Id, sea_orm::Order::Asc), Column::Id).is_err());
}
