//! Lists over a seeded database: with every paging strategy, each filter of the screens must select the
//! right rows.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use kit::Role;
use proto::common::v1::{BatchGetRequest, Filter, Page, Sort, SortDirection};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::{Delivery, GetDeliveryRequest, ListDeliveriesRequest};

use super::office::{Office, as_expected, by, outcome, two_items};
use super::*;
use crate::domain::reason::Catalogue;
use crate::entity::{removed_delivery, variance};
use crate::queries::{columns, fields};
use ::store::list::{Bounds, Listing};
use sea_orm::sea_query::Query;
use sea_orm::{ConnectionTrait, FromQueryResult};

/// Small thresholds, so that all paging strategies are used.
const LIST: Listing<delivery::Entity> =
    Listing { bounds: Bounds { few: 30, near: 120, ..Bounds::DEFAULT }, ..queries::deliveries::LIST };

pub fn filter(key: &str, operator: &str, values: &[&str]) -> Filter {
    Filter {
        key: key.into(),
        operator: operator.into(),
        values: values.iter().map(|it| (*it).to_owned()).collect(),
    }
}

pub fn sort(key: &str, direction: SortDirection) -> Sort {
    Sort { key: key.into(), direction: direction.into() }
}

/// Creates a thousand deliveries, and a variance for every fifth of them.
pub async fn seeded(db: &Db) -> Vec<delivery::Model> {
    let clock = Clock::fixed(office::seeded_at());
    crate::seed::run(db, &clock, chrono_tz::Asia::Manila, 1_000).await.unwrap();
    let mut all = delivery::Entity::find().all(db.read()).await.unwrap();
    all.sort_by(|a, b| a.id_key.cmp(&b.id_key));
    let tx = db.begin().await.unwrap();
    variance::Entity::delete_many().exec(&*tx).await.unwrap();
    use variance::Column as C;
    let mut insert = Query::insert().into_table(variance::Entity).to_owned();
    insert.columns([
        C::Id,
        C::DeliveryKey,
        C::Attempt,
        C::Reason,
        C::ReasonKey,
        C::Kind,
        C::Expected,
        C::Actual,
        C::Difference,
        C::ReportedBy,
        C::OccurredAt,
    ]);
    for (at, row) in all.iter().enumerate().filter(|(at, _)| at % 5 == 0) {
        let reason = if at % 10 == 0 { "Damaged in transit" } else { "Wrong item" };
        insert.values_panic([
            new_id().into(),
            row.id_key.as_str().into(),
            1.into(),
            reason.into(),
            fold(reason).into(),
            "other".into(),
            0_i64.into(),
            0_i64.into(),
            0_i64.into(),
            "office".into(),
            row.updated_at.into(),
        ]);
    }
    tx.execute(&insert).await.unwrap();
    tx.commit().await.unwrap();
    all
}

/// One column of a row.
#[derive(FromQueryResult)]
struct Id {
    id: String,
}

/// Checks the count and pages of the list against the rows that `passes` selects, in every sort order.
async fn expect(
    db: &Db,
    all: &[delivery::Model],
    filters: &[Filter],
    passes: impl Fn(&delivery::Model) -> bool,
) {
    let mut expected: Vec<&delivery::Model> = all.iter().filter(|row| passes(row)).collect();
    let about = format!("{filters:?}");
    let count = LIST.count(db, filters).await.unwrap();
    assert_eq!((count.total, count.exact), (expected.len() as u64, true), "{about}");
    type By = fn(&delivery::Model) -> (String, DateTime<Utc>, String);
    let orders: [(&str, By); 5] = [
        ("scheduledatetime", |it| (String::new(), it.scheduledatetime, it.id_key.clone())),
        ("id", |it| (it.id_key.clone(), DateTime::UNIX_EPOCH, String::new())),
        ("customername", |it| (it.customername_key.clone(), it.scheduledatetime, it.id_key.clone())),
        ("deliverystatus", |it| (it.deliverystatus.as_str().into(), it.scheduledatetime, it.id_key.clone())),
        // Unassigned deliveries come last.
        ("driverId", |it| {
            let driver = it.driver_id_key.clone().unwrap_or_else(|| "\u{10ffff}".into());
            (driver, it.scheduledatetime, it.id_key.clone())
        }),
    ];
    for (key, by) in orders {
        for direction in [SortDirection::Asc, SortDirection::Desc] {
            expected.sort_by_cached_key(|row| by(row));
            if direction == SortDirection::Desc {
                expected.reverse();
            }
            for offset in [0, 25, 60] {
                let page =
                    Page { r#where: filters.to_vec(), sort: vec![sort(key, direction)], limit: 25, offset };
                let (rows, more) = LIST.page(db, &page).await.unwrap();
                let there: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
                let right: Vec<&str> =
                    expected.iter().skip(offset as usize).take(25).map(|row| row.id.as_str()).collect();
                assert_eq!(there, right, "{about} by {key} {direction:?} from {offset}");
                assert_eq!(more, expected.len() as u64 > offset + 25, "{about} by {key}");
                if offset == 25 {
                    let (ids, also) = LIST.page_of::<Id>(db, &page, &[delivery::Column::Id]).await.unwrap();
                    assert!(
                        ids.iter().map(|row| &row.id).eq(right) && also == more,
                        "ids of {about} by {key}"
                    );
                }
            }
        }
    }
}

on_both!(every_filter_means_what_it_says, Migrator, |db: Db| async move {
    let all = seeded(&db).await;
    let some = all[500].clone();
    let db = &db;
    expect(db, &all, &[filter("id", "contains", &["dr-000004"])], |it| it.id_key.contains("dr-000004")).await;
    let empty = |key| [filter(key, "isEmpty", &[])];
    expect(db, &all, &empty("driverId"), |it| it.driver_id.is_none()).await;
    expect(db, &all, &[filter("driverId", "!isEmpty", &[])], |it| it.driver_id.is_some()).await;
    expect(db, &all, &empty("deliverydatetime"), |it| it.deliverydatetime.is_none()).await;
    let now = some.scheduledatetime;
    let until_now = ["1970-01-01T00:00:00Z", &now.to_rfc3339()];
    let late = [filter("deliverystatus", "equals", &["Pending"]), filter("dueAt", "inDateRange", &until_now)];
    let is_late = |it: &delivery::Model| it.time_window_end.unwrap_or(it.scheduledatetime) < now;
    expect(db, &all, &late, |it| {
        it.deliverystatus == crate::domain::delivery::Status::Pending && is_late(it)
    })
    .await;
    expect(db, &all, &[filter("conflict", "equals", &["Yes"])], |it| it.conflict).await;
    expect(db, &all, &[filter("id", "endsWith", &["7"])], |it| it.id_key.ends_with('7')).await;
    expect(db, &all, &[filter("id", "startsWith", &["Dr-0000"])], |_| true).await;
    expect(db, &all, &[filter("customername", "contains", &["STORE"])], |it| {
        it.customername_key.contains("store")
    })
    .await;
    let name = [filter("customername", "equals", &[&some.customername])];
    expect(db, &all, &name, |it| it.customername == some.customername).await;
    expect(db, &all, &[filter("customername", "!contains", &["a"])], |it| !it.customername_key.contains('a'))
        .await;
    expect(db, &all, &[filter("trucker", "contains", &["express"])], |it| it.trucker_key.contains("express"))
        .await;
    let number = &some.shipmentnumber_key;
    let part = &number[number.len() - 3..];
    expect(db, &all, &[filter("shipmentnumber", "contains", &[part])], |it| {
        it.shipmentnumber_key.contains(part)
    })
    .await;
    let reference = |it: &delivery::Model| it.referencedoc_key.as_ref().is_some_and(|it| it.contains("200"));
    expect(db, &all, &[filter("referencedoc", "contains", &["200"])], reference).await;
    expect(db, &all, &[filter("referencedoc", "!contains", &["200"])], |it| !reference(it)).await;
    expect(db, &all, &[filter("driverId", "equals", &[some.driver_id.as_deref().unwrap_or("x")])], |it| {
        it.driver_id_key == some.driver_id_key
    })
    .await;
    for status in crate::domain::delivery::Status::SPELLINGS {
        let filter = [filter("deliverystatus", "equals", &[status])];
        expect(db, &all, &filter, |it| it.deliverystatus.as_str() == *status).await;
    }
    expect(db, &all, &[filter("scanmode", "equals", &["yes"])], |it| it.scanmode.as_str() == "Yes").await;
    let absent = |it: &delivery::Model| it.outcome_reason.as_deref() == Some("recipient_absent");
    expect(db, &all, &[filter("outcomeReason", "equals", &["recipient_absent"])], absent).await;
    expect(db, &all, &[filter("outcomeReason", "isEmpty", &[])], |it| it.outcome_reason.is_none()).await;
    let source = some.source_id.unwrap().to_string();
    expect(db, &all, &[filter("sourceId", "equals", &[&source])], |it| it.source_id == some.source_id).await;
    let range = (some.scheduledatetime, some.scheduledatetime + chrono::TimeDelta::days(3));
    let (from, to) = (range.0.to_rfc3339(), range.1.to_rfc3339());
    expect(db, &all, &[filter("scheduledatetime", "inDateRange", &[&from, &to])], |it| {
        (range.0..range.1).contains(&it.scheduledatetime)
    })
    .await;
    expect(db, &all, &[filter("deliverydatetime", "inDateRange", &[&from, &to])], |it| {
        it.deliverydatetime.is_some_and(|at| (range.0..range.1).contains(&at))
    })
    .await;
    let both =
        [filter("customername", "contains", &["a"]), filter("deliverystatus", "!equals", &["Pending"])];
    expect(db, &all, &both, |it| {
        it.customername_key.contains('a') && it.deliverystatus.as_str() != "Pending"
    })
    .await;
    expect(db, &all, &[filter("id", "contains", &["no such"])], |_| false).await;
});

on_both!(several_states_are_merged_before_another_filter_applies, Migrator, |db: Db| async move {
    let all = seeded(&db).await;
    // Far fewer rows are scanned than there are complete deliveries, so that other states reach further.
    let list =
        Listing { bounds: Bounds { few: 5, near: 20, ..Bounds::DEFAULT }, ..queries::deliveries::LIST };
    for other in ["Pending", "Complete_With_Variance", "Undelivered", "Rejected"] {
        let states = ["Complete_No_Variance", other];
        let filters =
            [filter("deliverystatus", "equals", &states), filter("customername", "contains", &["a"])];
        let mut expected: Vec<&delivery::Model> = all
            .iter()
            .filter(|it| states.contains(&it.deliverystatus.as_str()) && it.customername_key.contains('a'))
            .collect();
        expected.sort_by_cached_key(|it| (it.scheduledatetime, it.id_key.clone()));
        for direction in [SortDirection::Asc, SortDirection::Desc] {
            for offset in (0..60).step_by(5) {
                let sort = vec![sort("scheduledatetime", direction)];
                let page = Page { r#where: filters.to_vec(), sort, limit: 5, offset };
                let (rows, _) = list.page(&db, &page).await.unwrap();
                let there: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
                let right: Vec<&str> =
                    expected.iter().skip(offset as usize).take(5).map(|row| row.id.as_str()).collect();
                assert_eq!(there, right, "{states:?} {direction:?} from {offset}");
            }
            expected.reverse();
        }
    }
});

on_both!(what_other_tables_say_can_be_asked_for, Migrator, |db: Db| async move {
    let all = seeded(&db).await;
    let db = &db;
    let reasons: std::collections::HashMap<String, String> = variance::Entity::find()
        .all(db.read())
        .await
        .unwrap()
        .into_iter()
        .map(|it| (it.delivery_key, it.reason_key.unwrap()))
        .collect();
    let has = |it: &delivery::Model, part: &str| reasons.get(&it.id_key).is_some_and(|at| at.contains(part));
    expect(db, &all, &[filter("reason", "contains", &["TRANSIT"])], |it| has(it, "transit")).await;
    expect(db, &all, &[filter("reason", "equals", &["Wrong item"])], |it| has(it, "wrong item")).await;
    expect(db, &all, &[filter("reason", "!equals", &["Wrong item"])], |it| !has(it, "wrong item")).await;
    let shipments: std::collections::HashMap<String, String> = shipment::Entity::find()
        .all(db.read())
        .await
        .unwrap()
        .into_iter()
        .map(|it| (it.shipmentnumber_key, it.shipmentstatus.as_str().to_owned()))
        .collect();
    for status in ["Pending", "Partial", "Completed"] {
        let is = |it: &delivery::Model| shipments[&it.shipmentnumber_key] == status;
        expect(db, &all, &[filter("shipmentstatus", "equals", &[status])], is).await;
        expect(db, &all, &[filter("shipmentstatus", "!equals", &[status])], |it| !is(it)).await;
    }
});

on_both!(a_driver_of_several_matching_deliveries_is_counted_once, Migrator, |db: Db| async move {
    let all = seeded(&db).await;
    let now = office::seeded_at();
    let late = [
        filter("deliverystatus", "equals", &["Pending"]),
        filter("dueAt", "inDateRange", &["1970-01-01T00:00:00Z", &now.to_rfc3339()]),
    ];
    let pending = |it: &&delivery::Model| it.deliverystatus == crate::domain::delivery::Status::Pending;
    let due = |it: &&delivery::Model| it.time_window_end.unwrap_or(it.scheduledatetime) < now;
    let of = |rows: Vec<&delivery::Model>| {
        let drivers = rows.iter().filter_map(|it| it.driver_id_key.as_deref());
        drivers.collect::<std::collections::BTreeSet<_>>().len() as u64
    };
    for (filters, expected) in
        [(&late[..], of(all.iter().filter(pending).filter(due).collect())), (&[], of(all.iter().collect()))]
    {
        assert!(expected > 0);
        let count = queries::deliveries::count_drivers(&db, filters).await.unwrap();
        assert_eq!((count.total, count.exact), (expected, true));
    }
});

on_both!(the_history_of_all_deliveries_is_a_list, Migrator, |db: Db| async move {
    seeded(&db).await;
    let all = history::Entity::find().all(db.read()).await.unwrap();
    let list =
        Listing { bounds: Bounds { few: 30, near: 120, ..Bounds::DEFAULT }, ..queries::histories::LIST };
    let expect = async |filter: Filter, passes: &dyn Fn(&history::Model) -> bool| {
        let mut expected: Vec<&history::Model> = all.iter().filter(|it| passes(it)).collect();
        expected.sort_by_cached_key(|it| (it.occurred_at, it.delivery_key.clone(), it.step));
        expected.reverse();
        let page = Page { r#where: vec![filter.clone()], limit: 100, ..Page::default() };
        let (rows, more) = list.page(&db, &page).await.unwrap();
        let ids = |rows: &[&history::Model]| rows.iter().map(|it| it.id).collect::<Vec<_>>();
        let right = &expected[..expected.len().min(100)];
        assert_eq!(ids(&rows.iter().collect::<Vec<_>>()), ids(right), "{filter:?}");
        assert_eq!(more, expected.len() > 100);
        let count = list.count(&db, &page.r#where).await.unwrap();
        assert_eq!(count.total, expected.len() as u64, "{filter:?}");
        assert!(!expected.is_empty(), "{filter:?} finds nothing here");
    };
    let some = all[700].clone();
    expect(filter("deliveryId", "contains", &["0042"]), &|it| it.delivery_key.contains("0042")).await;
    expect(filter("deliveryId", "equals", &[&some.delivery_id]), &|it| it.delivery_id == some.delivery_id)
        .await;
    expect(filter("shipmentnumber", "equals", &[&some.shipmentnumber]), &|it| {
        it.shipmentnumber == some.shipmentnumber
    })
    .await;
    let part = &fold(&some.shipmentnumber)[2..];
    expect(filter("shipmentnumber", "contains", &[part]), &|it| fold(&it.shipmentnumber).contains(part))
        .await;
    expect(filter("toStatus", "equals", &["Rejected"]), &|it| it.to_status.as_str() == "Rejected").await;
    expect(filter("fromStatus", "equals", &["Pending"]), &|it| {
        it.from_status.is_some_and(|it| it.as_str() == "Pending")
    })
    .await;
    expect(filter("actorName", "contains", &[&some.actor_name.to_uppercase()]), &|it| {
        fold(&it.actor_name).contains(&fold(&some.actor_name))
    })
    .await;
    expect(filter("actorType", "equals", &["driver"]), &|it| it.actor_type.as_str() == "driver").await;
    let (from, to) = (some.occurred_at, some.occurred_at + chrono::TimeDelta::days(2));
    expect(filter("occurredAt", "inDateRange", &[&from.to_rfc3339(), &to.to_rfc3339()]), &|it| {
        (from..to).contains(&it.occurred_at)
    })
    .await;
    // The history of a delivery that an undo removed stays.
    let gone = all.iter().find(|it| it.delivery_key.contains("0042")).unwrap();
    let removed = removed_delivery::Model {
        delivery_key: gone.delivery_key.clone(),
        delivery_id: gone.delivery_id.clone(),
        version: 2,
        last_step: 1,
        upload_log_id: new_id(),
        removed_by: "ana".into(),
        removed_at: gone.occurred_at,
        image: None,
    };
    let tx = db.begin().await.unwrap();
    delivery::Entity::delete_by_id(gone.delivery_key.clone()).exec(&*tx).await.unwrap();
    tables::removed_deliveries::keep(&tx, vec![removed]).await.unwrap();
    tx.commit().await.unwrap();
    expect(filter("deliveryId", "contains", &["0042"]), &|it| it.delivery_key.contains("0042")).await;
    expect(filter("deliveryId", "endsWith", &[&gone.delivery_id]), &|it| it.delivery_id == gone.delivery_id)
        .await;
    // This list has a key of two columns, so check deep pages too.
    let deep = Page { offset: 1_000, limit: 20, ..Page::default() };
    let ahead = Page { offset: 990, limit: 30, ..Page::default() };
    let (deep, _) = list.page(&db, &deep).await.unwrap();
    let (ahead, _) = list.page(&db, &ahead).await.unwrap();
    assert_eq!(deep[..], ahead[10..]);
});

/// Returns the fields of a delivery as the message prints them, by name.
fn printed(delivery: &Delivery) -> BTreeMap<String, String> {
    let text = format!("{delivery:#?}");
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines() {
        let field = line.strip_prefix("    ").filter(|it| it.starts_with(|c: char| c.is_ascii_lowercase()));
        if let Some((next, _)) = field.and_then(|field| field.split_once(": ")) {
            name = next.to_owned();
        }
        fields.entry(name.clone()).or_default().push_str(line);
    }
    fields
}

on_both!(a_list_of_some_fields_has_what_each_delivery_has, Migrator, |db: Db| async move {
    seeded(&db).await;
    let office = Office::open(&db);
    let list = async |fields: &[&str]| {
        let sort = vec![sort("scheduledatetime", SortDirection::Asc)];
        let page = Some(Page { limit: 40, sort, ..Page::default() });
        let fields = fields.iter().map(|name| (*name).to_owned()).collect();
        let ask = by(Role::Dispatcher, ListDeliveriesRequest { page, fields, ..Default::default() });
        office.service().list_deliveries(ask).await.unwrap().into_inner().deliveries
    };
    let whole = list(&[]).await;
    assert_eq!(whole.len(), 40);
    for delivery in &whole {
        assert_eq!(*delivery, office.get_as(Role::Dispatcher, &delivery.id).await);
    }
    assert!(whole.iter().any(|it| it.outcome_distance_m.is_some()));
    let printed_whole: Vec<_> = whole.iter().map(printed).collect();
    let names: Vec<&str> =
        printed_whole[0].keys().map(String::as_str).filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 40);
    for name in &names {
        for (some, whole) in list(&[*name]).await.iter().map(printed).zip(&printed_whole) {
            assert_eq!((&some["id"], &some[*name]), (&whole["id"], &whole[*name]), "{name}");
        }
    }
    let own: Vec<&str> =
        names.into_iter().filter(|name| columns::of(&[(*name).to_owned()]).is_some()).collect();
    assert!(own.len() > 40);
    assert_eq!(list(&own).await, whole);
    assert_eq!(list(&["id", "of_a_later_release"]).await, whole);
    // The others aren't read.
    let ids = list(&["id"]).await;
    assert!(ids.iter().all(|it| it.customername.is_empty() && it.allowed_actions.is_empty()));
});

on_both!(a_delivery_comes_with_the_items_and_history_that_batches_have, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    let get = async |items_up_to: u32, history: bool| {
        let ask = by(Role::Viewer, GetDeliveryRequest { id: "dr-1".into(), items_up_to, history });
        office.service().get_delivery(ask).await.unwrap().into_inner()
    };
    let whole = get(2, true).await;
    let of_it = by(Role::Viewer, BatchGetRequest { ids: vec!["DR-1".into()] });
    let items = office.service().batch_get_items(of_it).await.unwrap().into_inner().items;
    assert_eq!(items.len(), 2);
    assert_eq!(whole.items.unwrap().items, items);
    assert_eq!(whole.history.unwrap().history, office.history("DR-1").await);
    let few = get(1, false).await;
    assert_eq!((few.items, few.history), (None, None), "there are more items, and nobody asked for history");
    assert_eq!(get(0, false).await.items, None);
});

#[test]
fn the_codes_of_reasons_are_those_of_the_catalogue() {
    let catalogue = Catalogue::seed();
    let mut codes: Vec<&str> = catalogue.reasons().iter().map(|it| it.code.as_str()).collect();
    let mut known = fields::REASON_CODES.to_vec();
    codes.sort_unstable();
    codes.dedup();
    known.sort_unstable();
    assert_eq!(known, codes);
}

#[test]
fn the_screens_may_sort_by_what_has_an_index() {
    let of = |fields: Vec<(&'static str, bool)>| {
        fields.into_iter().filter_map(|(key, sortable)| sortable.then_some(key)).collect::<Vec<_>>()
    };
    let deliveries = of(fields::DELIVERIES.iter().map(|it| (it.key, it.sortable)).collect());
    assert_eq!(deliveries, ["id", "scheduledatetime", "deliverystatus", "driverId", "customername", "dueAt"]);
    let histories = of(fields::HISTORIES.iter().map(|it| (it.key, it.sortable)).collect());
    assert_eq!(histories, ["occurredAt"]);
}
