//! Dead letters that are handled again at an administrator's request, on both databases.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use chrono::TimeDelta;
use kit::bus::{Consumer, DeadLetters as _, Handler};
use kit::clock::{Clock, new_id};
use kit::{Error, Result};
use proto::events::envelope::Payload;
use proto::events::{DeadLetterReplayed, Envelope, UPLOAD_REPLAYS};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use sea_orm_migration::prelude::*;
use store::clearing::Doubts;
use store::dead_letters::dead_letter::{self, Column};
use store::dead_letters::{self, DeadLetters};
use store::inbox::inbox_event;
use store::replay::with_replays;
use store::{Db, on_both, retention};

struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        store::migrate::migrations()
    }
}

/// A handler that fails once and then succeeds.
struct Mended(AtomicU32);

#[async_trait]
impl Handler for Mended {
    async fn handle(&self, _: &Envelope) -> Result<()> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Error::invalid("STILL_WRONG", "Still wrong").with_source("password=hunter2")),
            _ => Ok(()),
        }
    }
}

/// A handler that panics.
struct Panics;

#[async_trait]
impl Handler for Panics {
    async fn handle(&self, _: &Envelope) -> Result<()> {
        panic!("the handler panics on purpose")
    }
}

/// A handler that fails after an administrator has discarded its event.
struct Overtaken(Db);

#[async_trait]
impl Handler for Overtaken {
    async fn handle(&self, event: &Envelope) -> Result<()> {
        let all = with_replays(UPLOAD_REPLAYS, &self.0, &Clock::system(), Vec::new());
        all[0].handler.handle(&discarded(&event.id)).await?;
        Err(Error::invalid("STILL_WRONG", "Still wrong"))
    }
}

fn asked(service: &str, event_id: &str, discard: bool) -> Envelope {
    let payload = DeadLetterReplayed {
        service: service.to_owned(),
        consumer: "upload-x".to_owned(),
        event_id: event_id.to_owned(),
        discard,
    };
    Envelope { id: new_id().to_string(), payload: Some(payload.into()), ..Envelope::default() }
}

fn replayed(event_id: &str) -> Envelope {
    asked("upload", event_id, false)
}

fn discarded(event_id: &str) -> Envelope {
    asked("upload", event_id, true)
}

/// Stores an event that the handler's consumer gave up; returns the event's id and the consumer of replay requests.
async fn given_up(db: &Db, handler: Arc<dyn Handler>) -> (String, Consumer) {
    let clock = Clock::system();
    let letters = DeadLetters { db: db.clone(), service: "upload", clock: clock.clone() };
    let event = Envelope { id: new_id().to_string(), ..Envelope::default() };
    letters.raise(&(&event).into(), "upload-x", 5, "It was wrong").await.unwrap();
    let subject = "waybill.drivers.driver.changed.v1".into();
    let own = Consumer { name: "upload-x", subject, handler, dead_letters: Arc::new(letters) };
    let all = with_replays(UPLOAD_REPLAYS, db, &clock, vec![own]);
    let replays = all.into_iter().find(|it| it.name == "upload-replays").unwrap();
    (event.id, replays)
}

/// Returns what was emitted after the first event, which reports the dead letter.
async fn emitted(db: &Db) -> Vec<String> {
    let of = |it: Envelope| match it.payload.unwrap() {
        Payload::DeadLetterRaised(raised) => format!("raised {}", raised.last_error),
        Payload::DeadLetterHandled(handled) => format!("handled {}", handled.consumer),
        other => panic!("{other:?}"),
    };
    store::testing::events(db).await.into_iter().skip(1).map(of).collect()
}

on_both!(an_event_is_handled_again_by_the_service_that_keeps_it, Migrator, |db: Db| async move {
    let handler = Arc::new(Mended(AtomicU32::new(0)));
    let (event, replays) = given_up(&db, handler.clone()).await;
    replays.handle(&asked("drivers", &event, false)).await.unwrap();
    assert_eq!(handler.0.load(Ordering::SeqCst), 0, "it is another service's");
    replays.handle(&replayed(&event)).await.unwrap();
    assert_eq!(emitted(&db).await, ["raised Still wrong (STILL_WRONG)"], "the source stays in the log");
    let [letter] = &dead_letters::list(&db, 10).await.unwrap()[..] else { panic!("one") };
    assert_eq!((letter.attempts, letter.last_error.as_str()), (6, "Still wrong (STILL_WRONG)"));
    let mended = replayed(&event);
    for _ in 0..2 {
        replays.handle(&mended).await.unwrap();
    }
    assert_eq!(emitted(&db).await[1..], ["handled upload-x"], "once, though asked for twice");
    assert_eq!(dead_letters::count(&db).await.unwrap(), 0);
    replays.handle(&replayed(&event)).await.unwrap();
    assert_eq!(emitted(&db).await[2..], ["handled upload-x"], "each request gets its response");
    assert_eq!(handler.0.load(Ordering::SeqCst), 2);
});

on_both!(a_panic_of_a_replay_is_reported_and_leaves_the_letter_open, Migrator, |db: Db| async move {
    let (event, replays) = given_up(&db, Arc::new(Panics)).await;
    replays.handle(&replayed(&event)).await.unwrap();
    let error = "The handler panicked (HANDLER_PANICKED)";
    assert_eq!(emitted(&db).await, [format!("raised {error}")]);
    let [letter] = &dead_letters::list(&db, 10).await.unwrap()[..] else { panic!("one") };
    assert_eq!((letter.attempts, letter.last_error.as_str()), (6, error));
});

on_both!(an_event_that_is_discarded_during_its_replay_stays_discarded, Migrator, |db: Db| async move {
    let (event, replays) = given_up(&db, Arc::new(Overtaken(db.clone()))).await;
    replays.handle(&replayed(&event)).await.unwrap();
    assert!(emitted(&db).await.is_empty(), "the administrator's decision counts");
    let letter = dead_letter::Entity::find().one(db.read()).await.unwrap().unwrap();
    assert_eq!((letter.state.as_str(), letter.attempts), ("discarded", 5));
});

on_both!(a_discarded_event_is_given_up_by_the_service_that_keeps_it, Migrator, |db: Db| async move {
    let (event, replays) = given_up(&db, Arc::new(Panics)).await;
    let request = discarded(&event);
    for _ in 0..2 {
        replays.handle(&request).await.unwrap();
    }
    assert_eq!(dead_letters::count(&db).await.unwrap(), 0);
    assert!(emitted(&db).await.is_empty(), "nothing was handled, so nothing is emitted");
    // If it is delivered again, it has no effect.
    let noted = inbox_event::Entity::find().filter(inbox_event::Column::Consumer.eq("upload-x"));
    let [noted] = &noted.all(db.read()).await.unwrap()[..] else { panic!("one") };
    assert_eq!(noted.event_id.to_string(), event);
});

on_both!(closed_letters_are_kept_for_ninety_days, Migrator, |db: Db| async move {
    let letters = DeadLetters { db: db.clone(), service: "upload", clock: Clock::system() };
    let states = ["open", "handled", "discarded"];
    for state in states {
        for days in [89, 91] {
            let event = Envelope { id: new_id().to_string(), ..Envelope::default() };
            letters.raise(&(&event).into(), "upload-x", 5, "It was wrong").await.unwrap();
            let tx = db.begin().await.unwrap();
            dead_letter::Entity::update_many()
                .col_expr(Column::State, Expr::value(state))
                .col_expr(Column::RaisedAt, Expr::value(Clock::system().now() - TimeDelta::days(days)))
                .filter(Column::EventId.eq(event.id))
                .exec(&*tx)
                .await
                .unwrap();
            tx.commit().await.unwrap();
        }
    }
    assert_eq!(retention::clear(&db, true, &Doubts::default()).await.unwrap(), 2);
    let left = dead_letter::Entity::find().all(db.read()).await.unwrap();
    let of = |state: &str| left.iter().filter(|it| it.state == state).count();
    assert_eq!(states.map(of), [2, 1, 1]);
});
