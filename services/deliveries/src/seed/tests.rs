use std::collections::BTreeMap;

use ::store::{counter, on_both};
use chrono::{TimeDelta, TimeZone, Timelike};
use kit::blob::{Key, LocalBlob, LocalConfig};
use proto::deliveries::v1::FormContent;
use sea_orm::{EntityTrait, PaginatorTrait, QueryOrder};

use super::*;
use crate::domain::attachment::Kind;
use crate::domain::delivery::{ScanMode, ShipmentStatus, Status};
use crate::domain::shipment::Tally;
use crate::entity::{attachment, customer, form, history, item, shipment, variance};
use crate::tables::shipments;
use crate::tests::invariants::{holds, shipments_hold};

const COUNT: u64 = 3_000;

fn clock() -> Clock {
    Clock::fixed(Utc.with_ymd_and_hms(2026, 7, 15, 5, 30, 0).unwrap())
}

/// Returns a folder for files, which exists as long as the value is held.
fn folder(clock: &Clock) -> (tempfile::TempDir, Blob) {
    let root = tempfile::tempdir().unwrap();
    let secret = "a-key-that-signs-links-of-this-test".to_owned().into();
    let config = LocalConfig { root: root.path().to_owned(), public_url: None, secret };
    (root, Blob::Local(LocalBlob::new(config, clock.clone()).unwrap()))
}

async fn made(db_: &Db, clock: &Clock, count: u64) -> kit::Result<Made> {
    run(db_, clock, chrono_tz::Asia::Manila, count).await
}

async fn with_files(db_: &Db, clock: &Clock) -> Made {
    let (_root, blob) = folder(clock);
    run_with_files(db_, &blob, clock, chrono_tz::Asia::Manila, COUNT).await.unwrap()
}

async fn seeded(db_: &Db) -> String {
    made(db_, &clock(), COUNT).await.unwrap().sentence()
}

struct All {
    deliveries: Vec<delivery::Model>,
    items: Vec<item::Model>,
    steps: Vec<history::Model>,
    variances: Vec<variance::Model>,
    forms: Vec<form::Model>,
    shipments: Vec<shipment::Model>,
    customers: Vec<customer::Model>,
}

async fn all(db_: &Db) -> All {
    let it = db_.read();
    All {
        deliveries: delivery::Entity::find().order_by_asc(delivery::Column::IdKey).all(it).await.unwrap(),
        items: item::Entity::find()
            .order_by_asc(item::Column::DeliveryKey)
            .order_by_asc(item::Column::ItemKey)
            .all(it)
            .await
            .unwrap(),
        steps: history::Entity::find()
            .order_by_asc(history::Column::DeliveryKey)
            .order_by_asc(history::Column::Step)
            .all(it)
            .await
            .unwrap(),
        variances: variance::Entity::find().order_by_asc(variance::Column::Id).all(it).await.unwrap(),
        forms: form::Entity::find()
            .order_by_asc(form::Column::DeliveryKey)
            .order_by_asc(form::Column::FormVersion)
            .all(it)
            .await
            .unwrap(),
        shipments: shipment::Entity::find()
            .order_by_asc(shipment::Column::ShipmentnumberKey)
            .all(it)
            .await
            .unwrap(),
        customers: customer::Entity::find()
            .order_by_asc(customer::Column::CustomerNameKey)
            .all(it)
            .await
            .unwrap(),
    }
}

fn grouped<T>(rows: &[T], key: impl Fn(&T) -> &String) -> BTreeMap<&String, Vec<&T>> {
    let mut groups: BTreeMap<&String, Vec<&T>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups
}

on_both!(everything_agrees, crate::Migrator, |db: Db| async move {
    let sentence = seeded(&db).await;
    assert!(sentence.starts_with("Made 3000 deliveries in "), "{sentence}");
    let all = all(&db).await;
    assert_eq!(all.deliveries.len() as u64, COUNT);
    assert_eq!(counter::get(db.read(), COUNTER).await.unwrap(), COUNT);
    let now = clock().now();

    let items = grouped(&all.items, |it| &it.delivery_key);
    let steps = grouped(&all.steps, |it| &it.delivery_key);
    let sources: Vec<Uuid> =
        source::Entity::find().all(db.read()).await.unwrap().into_iter().map(|it| it.id).collect();
    for row in &all.deliveries {
        assert_eq!(row.linecount as usize, items[&row.id_key].len());
        assert!(row.source_id.is_some_and(|id| sources.contains(&id)));
        let steps = &steps[&row.id_key];
        for (step, number) in steps.iter().zip(1..) {
            assert_eq!(step.step, number, "no gap");
        }
        assert_eq!(row.version as usize, steps.len());
        let steps: Vec<_> = steps.iter().filter(|it| !it.superseded).collect();
        assert_eq!((steps[0].from_status, steps[0].to_status), (None, Status::Pending));
        assert_eq!(steps[0].occurred_at, row.created_at);
        for pair in steps.windows(2) {
            assert_eq!(pair[1].from_status, Some(pair[0].to_status));
            assert!(pair[0].occurred_at < pair[1].occurred_at && pair[1].received_at <= now);
            assert!(pair[0].attempt <= pair[1].attempt);
        }
        let last = steps.last().unwrap();
        assert_eq!((last.to_status, last.attempt), (row.deliverystatus, row.attempt));
        assert!(row.attempt <= row.max_attempts);
        let processed = (row.deliverystatus != Status::Pending).then_some(last.occurred_at);
        assert_eq!(row.deliverydatetime, processed);
        if row.deliverystatus == Status::Pending {
            assert_eq!(row.scanmode, ScanMode::No);
        } else {
            assert!(row.driver_id.is_some());
        }
    }
    assert_eq!(all.items.len(), items.values().map(Vec::len).sum::<usize>());

    let groups = grouped(&all.deliveries, |it| &it.shipmentnumber_key);
    assert_eq!(groups.len(), all.shipments.len());
    for row in &all.shipments {
        let group = &groups[&row.shipmentnumber_key];
        let tally = Tally {
            all: group.len() as i64,
            pending: group.iter().filter(|it| it.deliverystatus == Status::Pending).count() as i64,
            done: group.iter().filter(|it| it.deliverystatus.is_final(it.attempt, it.max_attempts)).count()
                as i64,
        };
        assert_eq!(Some(row.shipmentstatus), tally.status());
    }
    let names: Vec<&String> = all.customers.iter().map(|it| &it.customer_name_key).collect();
    assert!(all.deliveries.iter().all(|it| names.binary_search(&&it.customername_key).is_ok()));

    let forms = grouped(&all.forms, |it| &it.delivery_key);
    for row in &all.deliveries {
        let forms = forms.get(&row.id_key).map_or(0, Vec::len);
        assert_eq!(forms, row.form_version as usize, "a form for each version");
    }
    // Demo data satisfies the invariants that everything else in the product satisfies.
    for row in all.deliveries.iter().step_by(29) {
        holds(&db, &row.id).await;
    }
    shipments_hold(&db).await;

    // The stored shipments equal those that the product would compute.
    let numbers: Vec<String> = all.shipments.iter().map(|it| it.shipmentnumber.clone()).collect();
    let tx = db.begin().await.unwrap();
    shipments::roll_up(&tx, &numbers, false).await.unwrap();
    tx.commit().await.unwrap();
    let again = shipment::Entity::find()
        .order_by_asc(shipment::Column::ShipmentnumberKey)
        .all(db.read())
        .await
        .unwrap();
    assert_eq!(again, all.shipments);
});

on_both!(it_is_believable, crate::Migrator, |db: Db| async move {
    seeded(&db).await;
    let all = all(&db).await;
    let share = |which: &dyn Fn(&delivery::Model) -> bool| {
        all.deliveries.iter().filter(|it| which(it)).count() as f64 / COUNT as f64
    };
    let about = |what: &str, share: f64, expected: f64| {
        assert!((share - expected).abs() < 0.03, "{what}: {share}, not about {expected}");
    };
    // A tenth of the deliveries is due today or later, and mostly still open.
    about("complete", share(&|it| it.deliverystatus == Status::CompleteNoVariance), 0.80);
    about("with variance", share(&|it| it.deliverystatus == Status::CompleteWithVariance), 0.065);
    about("undelivered", share(&|it| it.deliverystatus == Status::Undelivered), 0.04);
    about("rejected", share(&|it| it.deliverystatus == Status::Rejected), 0.02);
    let now = clock().now();
    about("to come", share(&|it| it.scheduledatetime > now), 0.06);
    let items = all.items.len() as f64 / COUNT as f64;
    assert!((2.9..3.1).contains(&items), "{items} items each");
    let steps = all.steps.len() as f64 / COUNT as f64;
    assert!((2.2..2.7).contains(&steps), "{steps} changes of status each");
    assert!(all.items.iter().any(|it| it.quantity % 1_000 != 0), "some quantities have decimals");
    about("late", share(&|it| it.late), 0.015);
    about("where it was planned", share(&|it| it.outcome_lat.is_some() && it.address_lat.is_some()), 0.92);
    let reasons = grouped(&all.variances, |it| it.reason.as_ref().unwrap());
    assert!(reasons.len() > 15, "{:?}", reasons.keys());
    let partly = all.items.iter().filter(|it| it.delivered > 0 && it.delivered < it.quantity).count();
    assert!(partly > COUNT as usize / 30, "{partly} lines came short");
    let customers = grouped(&all.deliveries, |it| &it.customername_key);
    about(
        "the largest customer",
        customers.values().map(Vec::len).max().unwrap() as f64 / COUNT as f64,
        0.033,
    );
    let kinds = |status| all.shipments.iter().filter(|it| it.shipmentstatus == status).count();
    assert!(kinds(ShipmentStatus::Pending) > 0 && kinds(ShipmentStatus::Partial) > 0);
    assert!(kinds(ShipmentStatus::Completed) > kinds(ShipmentStatus::Partial));
    assert_eq!(all.customers.len(), 400);
});

on_both!(a_morning_finds_something_to_do, crate::Migrator, |db: Db| async move {
    let clock = clock();
    let made = made(&db, &clock, COUNT).await.unwrap();
    let (all, now) = (all(&db).await, clock.now());
    let count =
        |which: &dyn Fn(&delivery::Model) -> bool| all.deliveries.iter().filter(|it| which(it)).count();
    let pending = |it: &delivery::Model| it.deliverystatus == Status::Pending;
    let day = |at: DateTime<Utc>| at.with_timezone(&chrono_tz::Asia::Manila).date_naive();
    // Each of the list's predefined views has some deliveries, but not all.
    let today = count(&|it| day(it.scheduledatetime) == day(now));
    assert!((100..200).contains(&today), "{today}");
    let late = count(&|it| pending(it) && it.time_window_end.unwrap_or(it.scheduledatetime) < now);
    let unassigned = count(&|it| pending(it) && it.driver_id.is_none());
    let conflicts = count(&|it| it.conflict);
    for (view, found) in [("late", late), ("unassigned", unassigned), ("conflicts", conflicts)] {
        assert!((1..COUNT as usize / 10).contains(&found), "{found} {view}");
    }
    let set_aside: Vec<_> = all.steps.iter().filter(|it| it.superseded).collect();
    assert_eq!(set_aside.len(), conflicts);

    // Failures of the last seven days have several reasons, and one day is worse than all others.
    let week = now - TimeDelta::days(7);
    let failed = |it: &&history::Model| it.to_status == Status::Undelivered && it.received_at > week;
    let failures: Vec<_> = all.steps.iter().filter(failed).collect();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut days: BTreeMap<chrono::NaiveDate, usize> = BTreeMap::new();
    for step in failures {
        *reasons.entry(step.reason_code.as_deref().unwrap()).or_default() += 1;
        *days.entry(day(step.occurred_at)).or_default() += 1;
    }
    assert!(reasons.len() > 4, "{reasons:?}");
    // Leave out today, which has more deliveries than any other day.
    days.remove(&day(now));
    let worst = days.iter().max_by_key(|(_, count)| **count).unwrap();
    assert_eq!(*worst.0, calendar::worst_day(day(now)), "{days:?}");
    assert!(all.variances.iter().any(|it| it.occurred_at > week), "variances that are open");

    // Some customers send back more than others.
    let rejected = |refuses: bool| {
        let customers = Customers::make(400);
        let of: Vec<&str> =
            customers.all.iter().filter(|it| it.refuses == refuses).map(|it| &*it.name).collect();
        let theirs = |it: &delivery::Model| of.contains(&it.customername.as_str());
        let all = count(&theirs) as f64;
        count(&|it| theirs(it) && it.deliverystatus == Status::Rejected) as f64 / all
    };
    assert!(rejected(true) > 5.0 * rejected(false), "{} and {}", rejected(true), rejected(false));

    // Most trips leave early.
    let leave = |from: u32, to: u32| {
        let hour = |at: DateTime<Utc>| at.with_timezone(&chrono_tz::Asia::Manila).hour();
        let starts = all.shipments.iter().filter_map(|it| it.first_dispatch_at);
        starts.filter(|at| (from..to).contains(&hour(*at))).count()
    };
    assert!(leave(6, 9) > 3 * leave(9, 12), "{} and {}", leave(6, 9), leave(9, 12));

    // There are handovers of today and of yesterday, from which positions of drivers are generated.
    assert!(made.handovers.iter().all(|it| it.at > now - TimeDelta::hours(48) && it.at <= now));
    for ago in [0, 1] {
        let that = day(now) - chrono::Days::new(ago);
        assert!(made.handovers.iter().filter(|it| day(it.at) == that).count() > 10, "{that}");
    }
});

on_both!(outcomes_of_today_are_proved, crate::Migrator, |db: Db| async move {
    let clock = clock();
    let (_root, blob) = folder(&clock);
    run_with_files(&db, &blob, &clock, chrono_tz::Asia::Manila, COUNT).await.unwrap();
    let files = attachment::Entity::find().all(db.read()).await.unwrap();
    for kind in [Kind::Signature, Kind::Photo] {
        assert!(files.iter().filter(|it| it.kind == kind).count() > 10, "{kind:?}");
    }
    let all = all(&db).await;
    let forms = grouped(&all.forms, |it| &it.delivery_key);
    for it in &files {
        let key = Key::parse(&it.object_key).unwrap();
        assert_eq!(blob.key_of(&it.url).unwrap().as_str(), key.as_str());
        // The file exists, matches its row, and the product would have accepted it.
        let (_, bytes) =
            crate::attachments::storage::find(&blob, &key, &it.sha256, it.size_bytes as u64).await.unwrap();
        let seen = crate::attachments::file_type::examine(&bytes, it.kind).unwrap();
        let size = it.width.zip(it.height).map(|(width, height)| (width as u32, height as u32));
        assert_eq!((seen.content_type, seen.size), (it.content_type.as_str(), size));
        assert!(it.captured_at <= it.received_at && it.received_at <= clock.now());
        // A form of the delivery shows the file.
        let shown = forms[&it.delivery_key].iter().any(|form| {
            let content = <FormContent as prost::Message>::decode(form.content.as_slice()).unwrap();
            content.attachments.iter().any(|shown| shown.id == it.id.to_string() && shown.url == it.url)
        });
        assert!(shown, "{} of {}", it.filename, it.delivery_id);
    }
});

on_both!(not_into_a_database_in_use, crate::Migrator, |db: Db| async move {
    seeded(&db).await;
    let error = made(&db, &clock(), 10).await.unwrap_err();
    assert_eq!(error.kind, kit::Kind::FailedPrecondition);
    assert_eq!(delivery::Entity::find().count(db.read()).await.unwrap(), COUNT);
    let error = made(&db, &clock(), 0).await.unwrap_err();
    assert_eq!(error.kind, kit::Kind::InvalidInput);
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_on_both_databases() {
    use ::store::testing::{Backend, TestDb};
    let (one, two) = (
        TestDb::migrated::<crate::Migrator>(Backend::Sqlite).await,
        TestDb::migrated::<crate::Migrator>(Backend::Postgres).await,
    );
    let (made, again) = (with_files(&one.db, &clock()).await, with_files(&two.db, &clock()).await);
    assert_eq!((made.sentence(), made.handovers), (again.sentence(), again.handovers));
    let (first, second) = (all(&one.db).await, all(&two.db).await);
    assert_eq!(first.deliveries, second.deliveries);
    assert_eq!(first.items, second.items);
    assert_eq!(first.steps, second.steps);
    assert_eq!(first.variances, second.variances);
    assert_eq!(first.forms, second.forms);
    assert_eq!(first.shipments, second.shipments);
    assert_eq!(first.customers, second.customers);
    one.close().await;
    two.close().await;
}

/// An hour later, more is delivered, and everything else is unchanged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_of_day_changes_only_what_happened_since() {
    use ::store::testing::{Backend, TestDb};
    let mut found = Vec::new();
    for hours in [0, 1] {
        let test = TestDb::migrated::<crate::Migrator>(Backend::Sqlite).await;
        let clock = clock();
        clock.advance(chrono::TimeDelta::hours(hours));
        made(&test.db, &clock, COUNT).await.unwrap();
        found.push(all(&test.db).await);
        test.close().await;
    }
    let [before, after] = found.as_slice() else { panic!("two of them") };
    let goods = |all: &All| -> Vec<_> {
        all.items.iter().map(|it| (it.delivery_key.clone(), it.sku.clone(), it.quantity)).collect()
    };
    assert_eq!(goods(before), goods(after));
    assert_eq!(before.customers, after.customers);
    let same = before.deliveries.iter().zip(&after.deliveries).filter(|(one, other)| one == other).count();
    assert!(same < COUNT as usize && same > COUNT as usize * 85 / 100, "{same} are the same");
    for (one, other) in before.deliveries.iter().zip(&after.deliveries) {
        assert_eq!((&one.customername, one.source_id), (&other.customername, other.source_id));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stories_of_any_number_are_told() {
    use ::store::testing::{Backend, TestDb};
    for count in [1, 2, 57] {
        let test = TestDb::migrated::<crate::Migrator>(Backend::Sqlite).await;
        made(&test.db, &clock(), count).await.unwrap();
        assert_eq!(delivery::Entity::find().count(test.db.read()).await.unwrap(), count);
        test.close().await;
    }
}

#[test]
fn every_day_has_its_part() {
    let today = chrono::NaiveDate::from_ymd_opt(2026, 7, 15).unwrap();
    for count in [1, 7, 1_000, 10_000_000] {
        let days = calendar::days(today, count);
        assert_eq!(days.iter().map(|(_, count)| count).sum::<u64>(), count);
        assert_eq!(days[calendar::DAYS as usize - 1].0, today);
    }
    let of = |count: u64| {
        let days = calendar::days(today, count);
        let before = days[..calendar::DAYS as usize - 1].iter().map(|(_, count)| *count).max().unwrap();
        (before, days[calendar::DAYS as usize - 1].1)
    };
    // A small installation shows a full morning, a large one an ordinary day.
    assert_eq!(of(1_000).1, 50);
    assert_eq!(of(5_000).1, 120);
    let (before, today) = of(100_000);
    assert!((before * 9 / 10..=before).contains(&today), "{today} today, {before} on the busiest day before");
}

#[test]
fn the_largest_customer_has_its_share() {
    for count in [400, 5_000] {
        let customers = Customers::make(count);
        let mut chance = chance::Chance::of(9, 9);
        let first = &customers.all[0].name;
        let hits = (0..100_000).filter(|_| customers.pick(&mut chance).name == *first).count();
        assert!((3_100..3_500).contains(&hits), "{hits} of 100,000 with {count} customers");
    }
    assert_eq!((parties::sources(false).len(), parties::sources(true).len()), (5, 50));
}
