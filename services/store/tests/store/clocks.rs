//! A wrong clock neither forgets an event nor removes a file that is still needed. The tests cannot change
//! the database's clock. Instead they make rows older, which has the same effect as a clock that jumps ahead.

use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use kit::blob::{Blob, Key, LocalBlob, LocalConfig};
use kit::clock::{Clock, new_id};
use sea_orm::ActiveValue::Set;
use sea_orm::{Condition, EntityTrait, IntoActiveModel, PaginatorTrait};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{boolean, string, timestamp_with_time_zone};
use store::clearing::Doubts;
use store::inbox::inbox_event;
use store::links::{self, Links, Needed, Referrer};
use store::outbox::outbox_event;
use store::{Db, Tx, on_both, retention};

mod link {
    use sea_orm::entity::prelude::*;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "link")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub object_key: String,
        pub requested_by: String,
        pub created_at: DateTimeUtc,
        pub is_used: bool,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

impl Links for link::Entity {
    const OBJECT_KEY: link::Column = link::Column::ObjectKey;
    const REQUESTED_BY: link::Column = link::Column::RequestedBy;
    const CREATED_AT: link::Column = link::Column::CreatedAt;

    fn unused() -> Condition {
        Condition::all().add(sea_orm::ColumnTrait::eq(&link::Column::IsUsed, false))
    }
}

struct Nothing;

#[async_trait]
impl Referrer for Nothing {
    async fn needed(&self, _: &Tx, _: &str) -> kit::Result<Needed> {
        Ok(Needed { link: false, object: false })
    }
}

struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = store::migrate::migrations();
        all.push(Box::new(LinkTable));
        all
    }
}

struct LinkTable;

impl MigrationName for LinkTable {
    fn name(&self) -> &str {
        "m9999_link"
    }
}

#[async_trait]
impl MigrationTrait for LinkTable {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use link::Column as C;
        let table = Table::create()
            .table(link::Entity)
            .col(string(C::ObjectKey).primary_key())
            .col(string(C::RequestedBy))
            .col(timestamp_with_time_zone(C::CreatedAt))
            .col(boolean(C::IsUsed))
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(link::Entity).to_owned()).await
    }
}

/// Adds rows to the outbox and the inbox, one every six hours: published in the last six days, handled in the
/// last eight. All of them may still be needed.
async fn fill(db: &Db) {
    let now = Clock::system().now();
    let ages = |days: i64| (0..days * 4).map(move |at| now - TimeDelta::hours(6 * at));
    let sent = ages(6).map(|at| outbox_event::ActiveModel {
        id: Set(new_id()),
        subject: Set("waybill.test".into()),
        envelope: Set(Vec::new()),
        created_at: Set(at),
        claimed_until: Set(None),
        published_at: Set(Some(at)),
        claims: Set(1),
        refused_at: Set(None),
        refusal: Set(None),
    });
    let seen = ages(8).map(|at| inbox_event::ActiveModel {
        consumer: Set("a".into()),
        event_id: Set(new_id()),
        handled_at: Set(at),
    });
    let tx = db.begin().await.unwrap();
    outbox_event::Entity::insert_many(sent).exec_without_returning(&*tx).await.unwrap();
    inbox_event::Entity::insert_many(seen).exec_without_returning(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn again<E>(tx: &Tx, rows: Vec<E::Model>)
where
    E: EntityTrait,
    E::ActiveModel: Send,
    E::Model: IntoActiveModel<E::ActiveModel>,
{
    if !rows.is_empty() {
        let rows = rows.into_iter().map(IntoActiveModel::into_active_model);
        E::insert_many(rows).exec_without_returning(&**tx).await.unwrap();
    }
}

/// Makes all rows older by `by`.
async fn older(db: &Db, by: TimeDelta) {
    let tx = db.begin().await.unwrap();
    let mut sent = outbox_event::Entity::find().all(&*tx).await.unwrap();
    let mut seen = inbox_event::Entity::find().all(&*tx).await.unwrap();
    let mut given = link::Entity::find().all(&*tx).await.unwrap();
    sent.iter_mut().for_each(|row| row.published_at = row.published_at.map(|at| at - by));
    seen.iter_mut().for_each(|row| row.handled_at -= by);
    given.iter_mut().for_each(|row| row.created_at -= by);
    outbox_event::Entity::delete_many().exec(&*tx).await.unwrap();
    inbox_event::Entity::delete_many().exec(&*tx).await.unwrap();
    link::Entity::delete_many().exec(&*tx).await.unwrap();
    again::<outbox_event::Entity>(&tx, sent).await;
    again::<inbox_event::Entity>(&tx, seen).await;
    again::<link::Entity>(&tx, given).await;
    tx.commit().await.unwrap();
}

/// Returns the number of rows in the outbox and in the inbox.
async fn left(db: &Db) -> (u64, u64) {
    let read = db.read();
    (
        outbox_event::Entity::find().count(read).await.unwrap(),
        inbox_event::Entity::find().count(read).await.unwrap(),
    )
}

on_both!(what_is_implausible_is_held_back_and_happens_later, Migrator, |db: Db| async move {
    let doubts = Doubts::holding(Duration::from_millis(50));
    let allow = async |what, plausible| doubts.allow(&db, what, plausible, "200 of 200").await.unwrap();
    assert!(allow("sessions", true).await);
    assert!(!allow("sessions", false).await);
    assert!(!allow("links", false).await, "each has its own time");
    // Correcting the clock ends the doubt.
    assert!(allow("sessions", true).await);
    assert!(!allow("sessions", false).await);
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert!(allow("sessions", false).await);
    assert!(allow("sessions", false).await, "a deletion in rounds goes on");
    assert!(allow("sessions", true).await);
    assert!(!allow("sessions", false).await, "the next one is looked at anew");
});

// A computer that is switched off every evening never runs for a day at a stretch. The first second counts at once.
on_both!(the_time_for_which_a_deletion_is_held_back_outlasts_a_restart, Migrator, |db: Db| async move {
    let started = || Doubts::holding(Duration::from_secs(1));
    let allow = async |doubts: &Doubts, plausible| doubts.allow(&db, "links", plausible, "").await.unwrap();
    assert!(!allow(&started(), false).await);
    let second = started();
    assert!(allow(&second, false).await, "the second process goes on where the first one stopped");
    assert!(allow(&second, false).await);
    assert!(!allow(&started(), false).await, "the next doubt begins from zero");
    // A start with the right clock ends the doubt.
    assert!(allow(&started(), true).await);
    assert!(!allow(&started(), false).await);
});

// A forgotten event would take effect again when the broker delivers it again.
on_both!(a_clock_that_jumps_forgets_no_event, Migrator, |db: Db| async move {
    fill(&db).await;
    let (doubts, all) = (Doubts::default(), left(&db).await);
    for days in [1, -1, -1, 1, 9, -9, 31, -31, 400, -400, -400, 400] {
        older(&db, TimeDelta::days(days)).await;
        for _ in 0..2 {
            assert_eq!(retention::clear(&db, true, &doubts).await.unwrap(), 0, "after {days} days");
        }
        assert_eq!(left(&db).await, all);
    }
    // Events written while the clock is wrong must not cause earlier ones to be deleted.
    older(&db, TimeDelta::days(31)).await;
    assert_eq!(retention::clear(&db, true, &doubts).await.unwrap(), 0);
    for _ in 0..2 {
        fill(&db).await;
    }
    assert_eq!(retention::clear(&db, true, &doubts).await.unwrap(), 0);
    assert_eq!(retention::clear(&db, true, &Doubts::default()).await.unwrap(), 0, "nor after a restart");
});

// In one process nobody asks the outbox for published events, and each Monday those of Friday would be held back.
on_both!(after_a_weekend_the_outbox_of_one_process_is_cleared_at_once, Migrator, |db: Db| async move {
    fill(&db).await;
    let all = left(&db).await;
    older(&db, TimeDelta::days(3)).await;
    assert_eq!(retention::clear(&db, false, &Doubts::default()).await.unwrap(), all.0 + 8);
    assert_eq!(left(&db).await, (0, all.1 - 8));
});

on_both!(events_that_nobody_asks_for_any_more_go_as_time_passes, Migrator, |db: Db| async move {
    fill(&db).await;
    let (doubts, all) = (Doubts::default(), left(&db).await);
    let mut passed = 0;
    while passed < 24 * 9 + 2 {
        older(&db, TimeDelta::hours(2)).await;
        passed += 2;
        retention::clear(&db, true, &doubts).await.unwrap();
        let over = |kept: i64, all: u64| {
            let hours = <u64 as TryFrom<i64>>::try_from(kept - passed).unwrap_or(0);
            Ord::min(all, hours.div_ceil(6))
        };
        assert_eq!(left(&db).await, (over(24 * 7, all.0), over(24 * 9, all.1)), "after {passed} hours");
    }
});

// The program was off for a month: expired rows stay until the program has run for a day, then all are
// deleted.
on_both!(after_a_long_pause_events_go_a_day_later, Migrator, |db: Db| async move {
    fill(&db).await;
    let all = left(&db).await;
    older(&db, TimeDelta::days(31)).await;
    let doubts = Doubts::holding(Duration::from_millis(1));
    assert_eq!(retention::clear(&db, true, &doubts).await.unwrap(), 0);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(retention::clear(&db, true, &doubts).await.unwrap(), all.0 + all.1);
    // After a time off that is short compared to the retention, the deletion is plausible.
    fill(&db).await;
    older(&db, TimeDelta::days(4)).await;
    assert!(retention::clear(&db, true, &Doubts::default()).await.unwrap() > 0);
    assert_ne!(left(&db).await.0, 0);
});

on_both!(a_clock_that_jumps_removes_no_file, Migrator, |db: Db| async move {
    let folder = tempfile::tempdir().unwrap();
    let config = LocalConfig {
        root: folder.path().to_owned(),
        public_url: None,
        secret: "a-key-that-signs-links-of-this-test".to_owned().into(),
    };
    let blob = Blob::Local(LocalBlob::new(config, Clock::system()).unwrap());
    let upload = async |name: &str| {
        let key = Key::parse(&format!("uploads/{name}")).unwrap();
        let row = |now| link::ActiveModel {
            object_key: Set(key.as_str().into()),
            requested_by: Set("maria".into()),
            created_at: Set(now),
            is_used: Set(name == "used"),
        };
        links::add::<link::Entity>(&db, "maria", 100, row).await.unwrap();
        blob.put(&key, b"x".to_vec().into()).await.unwrap();
        key
    };
    let sweep =
        async |doubts: &Doubts| links::sweep::<link::Entity>(&db, &blob, &Nothing, doubts).await.unwrap();
    let several = async |name: &str| {
        let mut keys = Vec::new();
        for at in 0..21 {
            keys.push(upload(&format!("{name}{at}")).await);
        }
        keys
    };
    let keys = several("a").await;
    let doubts = Doubts::default();
    for days in [1, -1, -1, 1, 31, -31, 400, -400, -400, 400] {
        older(&db, TimeDelta::days(days)).await;
        assert_eq!(sweep(&doubts).await, 0, "after {days} days");
    }
    for key in &keys {
        assert!(blob.head(key).await.unwrap().is_some());
    }
    // Files are deleted once they have expired.
    older(&db, TimeDelta::hours(4)).await;
    assert_eq!(sweep(&doubts).await, 21);
    for key in &keys {
        assert!(blob.head(key).await.unwrap().is_none());
    }
    // Simulate that the program was off for three days.
    several("b").await;
    let used = upload("used").await;
    older(&db, TimeDelta::days(3)).await;
    let doubts = Doubts::holding(Duration::from_millis(1));
    assert_eq!(sweep(&doubts).await, 1, "a used file has been copied elsewhere");
    assert!(blob.head(&used).await.unwrap().is_none());
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(sweep(&doubts).await, 21);
    // After a night, a few files are left over from the evening.
    upload("c").await;
    older(&db, TimeDelta::hours(14)).await;
    assert_eq!(sweep(&Doubts::default()).await, 1);
});
