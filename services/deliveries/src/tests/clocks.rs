//! A wrong clock deletes nothing that is still needed, and expired rows are deleted anyway.

use std::time::Duration;

use ::store::clearing::{self, Doubts};
use ::store::testing::{Backend, TestDb};
use ::store::{Db, on_both};
use chrono::{DateTime, TimeDelta, Utc};
use kit::clock::{Clock, new_id};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter};
use tokio_util::sync::CancellationToken;

use super::office::*;
use crate::commands::bulk_change::records;
use crate::commands::undo_import;
use crate::domain::command::Effect;
use crate::domain::outbound::{Method, State};
use crate::entity::{bulk_row, client_event, dead_letter, import_change, removed_delivery};
use crate::outbound::sends;
use crate::tables::client_events;
use crate::{Migrator, chores};

/// Number of rows, as few as in a small shop.
const ROWS: u64 = 3;

/// Number of rows in each table: previous values of changed deliveries, removed deliveries, client events,
/// rows of bulk changes, sends.
type Counts = [u64; 5];

async fn fill(db: &Db, at: DateTime<Utc>) {
    let tx = db.begin().await.unwrap();
    for _ in 0..ROWS {
        let key = new_id().to_string();
        let change = import_change::Model {
            upload_log_id: new_id(),
            delivery_key: key.clone(),
            delivery_id: key.clone(),
            created: false,
            version_before: 1,
            version_after: 2,
            image: Some("{}".into()),
            changed_at: at,
            result: None,
            reason: None,
            touched_by: None,
            touched_at: None,
        };
        let removed = removed_delivery::Model {
            delivery_key: key.clone(),
            delivery_id: key.clone(),
            version: 2,
            last_step: 1,
            upload_log_id: new_id(),
            removed_by: "ana".into(),
            removed_at: at,
            image: Some("{}".into()),
        };
        let event = client_event::Model {
            delivery_key: key.clone(),
            client_event_id: new_id(),
            fingerprint: vec![1],
            effect: Effect::Changed,
            version: 2,
            at,
        };
        let row = bulk_row::Model {
            change_id: new_id(),
            delivery_key: key,
            version_seen: 1,
            version_after: None,
            changed_by: "ana".into(),
            noted_at: at,
            undoable: None,
            driver_before: None,
            dispatch_before: None,
            window_start_before: None,
            window_end_before: None,
        };
        let mut send = sends::new_row(Method::Update, "{}".into(), at);
        (send.state, send.closed_at) = (Set(State::Success), Set(Some(at)));
        import_change::Entity::insert(change.into_active_model()).exec_without_returning(&*tx).await.unwrap();
        removed_delivery::Entity::insert(removed.into_active_model())
            .exec_without_returning(&*tx)
            .await
            .unwrap();
        client_event::Entity::insert(event.into_active_model()).exec_without_returning(&*tx).await.unwrap();
        bulk_row::Entity::insert(row.into_active_model()).exec_without_returning(&*tx).await.unwrap();
        dead_letter::Entity::insert(send).exec_without_returning(&*tx).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn left(db: &Db) -> Counts {
    let read = db.read();
    let changed = import_change::Entity::find().filter(import_change::Column::Image.is_not_null());
    let removed = removed_delivery::Entity::find().filter(removed_delivery::Column::Image.is_not_null());
    [
        changed.count(read).await.unwrap(),
        removed.count(read).await.unwrap(),
        client_event::Entity::find().count(read).await.unwrap(),
        bulk_row::Entity::find().count(read).await.unwrap(),
        dead_letter::Entity::find().count(read).await.unwrap(),
    ]
}

async fn clear(office: &Office, doubts: &Doubts) {
    let db = &office.context.db;
    let now = clearing::now(db, &office.context.clock).await.unwrap();
    client_events::prune(db, now, doubts).await.unwrap();
    undo_import::clear(db, now, doubts).await.unwrap();
    records::clear(db, now, doubts).await.unwrap();
    chores::prune_sends(db, now, doubts).await.unwrap();
}

on_both!(a_clock_that_jumps_deletes_nothing_that_is_kept, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    fill(&db, at(0)).await;
    let doubts = Doubts::default();
    for days in [1, -1, -1, 1, 31, -31, 400, -400, -400, 400] {
        office.context.clock.advance(TimeDelta::days(days));
        for _ in 0..2 {
            clear(&office, &doubts).await;
            assert_eq!(left(&db).await, [ROWS; 5], "after {days} days");
        }
    }
    // Rows written while the clock is wrong must not cause the deletion of the others.
    office.context.clock.advance(TimeDelta::days(400));
    clear(&office, &doubts).await;
    for _ in 0..2 {
        fill(&db, office.context.clock.now()).await;
    }
    clear(&office, &doubts).await;
    assert_eq!(left(&db).await, [3 * ROWS; 5]);
});

// The service was down for a long time: expired rows are deleted only once it has run for a day again.
on_both!(after_a_long_pause_what_is_over_goes_a_day_later, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    fill(&db, at(0)).await;
    office.context.clock.advance(TimeDelta::days(400));
    let doubts = Doubts::holding(Duration::from_millis(1));
    clear(&office, &doubts).await;
    assert_eq!(left(&db).await, [ROWS; 5]);
    tokio::time::sleep(Duration::from_millis(5)).await;
    clear(&office, &doubts).await;
    assert_eq!(left(&db).await, [0; 5]);
});

on_both!(what_is_over_goes_as_time_passes, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let doubts = Doubts::default();
    fill(&db, at(0)).await;
    let mut left_now = [ROWS; 5];
    let mut hours = 0;
    for (days, tables) in [(7, vec![3]), (30, vec![0, 1]), (90, vec![2, 4])] {
        office.context.clock.advance(TimeDelta::hours(24 * days - 1 - hours));
        clear(&office, &doubts).await;
        assert_eq!(left(&db).await, left_now, "an hour before {days} days");
        office.context.clock.advance(TimeDelta::hours(2));
        hours = 24 * days + 1;
        tables.into_iter().for_each(|table| left_now[table] = 0);
        clear(&office, &doubts).await;
        assert_eq!(left(&db).await, left_now, "an hour after {days} days");
    }
    // After pauses that are short compared to the retention, expired rows are deleted immediately: here,
    // those of two of the four fills.
    for days in [0, 1, 4, 4] {
        office.context.clock.advance(TimeDelta::days(days));
        fill(&db, office.context.clock.now()).await;
    }
    clear(&office, &doubts).await;
    assert_eq!(left(&db).await[3], 2 * ROWS);
});

/// One of several replicas is a year ahead: the database's clock decides, and only expired rows are deleted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_is_a_year_ahead_deletes_what_is_over_and_nothing_else() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let now = Clock::system().now();
    for days in [0, 1, 100] {
        fill(&test.db, now - TimeDelta::days(days)).await;
    }
    let clock = Clock::shifted(TimeDelta::days(400));
    let context = crate::Context { clock, ..Office::open(&test.db).context };
    let stop = CancellationToken::new();
    let running = chores::tasks(&context).map(|task| tokio::spawn(task.run(stop.clone())));
    let cleared = async {
        while left(&test.db).await != [2 * ROWS; 5] {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), cleared).await;
    stop.cancel();
    for task in running {
        task.await.unwrap().unwrap();
    }
    assert!(waited.is_ok(), "{:?}", left(&test.db).await);
    assert_eq!(left(&test.db).await, [2 * ROWS; 5]);
    test.close().await;
}
