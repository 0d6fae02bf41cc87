//! Several messages under way at once: what one of them waits for, and what it must not wait for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::store::jobs::Halt;
use ::store::testing::{Backend, TestDb, config};
use sea_orm::QuerySelect;
use tokio::sync::mpsc::unbounded_channel;

use super::*;

/// Longer than the sender's pause between two looks for due messages.
const SLOW: Duration = Duration::from_millis(1_500);

/// The sender looks for due messages over connections of its own, which the test closes.
async fn recorded_without_a_look(backend: Backend) {
    let test = TestDb::migrated::<Migrator>(backend).await;
    let (reached, mut seen) = unbounded_channel();
    let receiver = Receiver::start(move |_| {
        let _ = reached.send(());
        Answer::status(200).after(SLOW)
    })
    .await;
    let office = open(&test.db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    let hold = office.hold().await;
    let looking = Db::connect(&test.url, &config()).await.unwrap();
    let context = crate::Context { db: looking.clone(), ..office.context.clone() };
    let sender = Sender::new(&context).unwrap();
    let close = async {
        seen.recv().await.unwrap();
        looking.close().await;
    };
    let (sent, ()) = tokio::join!(sender.send_due(&hold), close);
    assert!(matches!(sent, Err(Halt::Failed(_))), "{sent:?}");
    let [send] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((send.state, send.attempts), (State::Success, 1));
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_recorded_although_no_more_messages_are_found_on_sqlite() {
    recorded_without_a_look(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_recorded_although_no_more_messages_are_found_on_postgres() {
    recorded_without_a_look(Backend::Postgres).await;
}

/// A stopping process cuts messages without a response after five seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_result_of_an_accepted_message_is_recorded_by_a_process_that_stops() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let (reached, mut seen) = unbounded_channel();
    let receiver = Receiver::start(move |_| {
        let _ = reached.send(());
        Answer::status(200)
    })
    .await;
    let office = open(&test.db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    sender::ensure(&office.context).await.unwrap();
    let stop = CancellationToken::new();
    let jobs = Jobs::new(crate::NAME, test.db.clone(), office.context.clock.clone());
    let (_, hold) = jobs.claim(sender::KIND, &stop).await.unwrap().expect("nobody else sends");
    // Nothing can be recorded until this transaction ends.
    let holder = test.db.begin().await.unwrap();
    Entity::find().lock_exclusive().all(&*holder).await.unwrap();
    let release = async {
        seen.recv().await.unwrap();
        stop.cancel();
        tokio::time::sleep(Duration::from_secs(6)).await;
        holder.commit().await.unwrap();
    };
    let sender = Sender::new(&office.context).unwrap();
    let (sent, ()) = tokio::join!(sender.send_due(&hold), release);
    assert_eq!(sent.unwrap(), 1);
    let [send] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((send.state, send.attempts), (State::Success, 1));
    test.close().await;
}

on_both!(a_result_that_waits_to_be_recorded_delays_no_other_response, Migrator, |db: Db| async move {
    let (reached, mut seen) = unbounded_channel();
    let answering = Receiver::start(move |_| {
        let _ = reached.send(());
        Answer::status(200).after(Duration::from_millis(300))
    })
    .await;
    let quick = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    office.endpoint("ERP", &quick.url()).await;
    let endpoint = office.endpoint("Warehouse", &answering.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    let hold = office.hold().await;
    // Nothing can be recorded until this transaction ends.
    let holder = db.begin().await.unwrap();
    Entity::find().lock_exclusive().all(&*holder).await.unwrap();
    let release = async {
        seen.recv().await.unwrap();
        tokio::time::sleep(2 * SLOW).await;
        holder.commit().await.unwrap();
    };
    let sender = Sender::new(&office.context).unwrap();
    let (sent, ()) = tokio::join!(sender.send_due(&hold), release);
    assert_eq!(sent.unwrap(), 2);
    let sends = office.sends().await;
    let is_to = |it: &&Model| it.endpoint_id.is_some_and(|id| id.to_string() == endpoint.id);
    let ms = sends.iter().find(is_to).unwrap().attempt_log.0[0].ms;
    assert!(Duration::from_millis(ms.into()) < SLOW, "{ms}");
});

on_both!(a_paused_sender_sends_nothing_after_another_took_over, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(204)).await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    let paused = office.hold().await;
    office.later_seconds(31);
    let other = office.hold().await;
    let sender = Sender::new(&office.context).unwrap();
    let sent = sender.send_due(&paused).await;
    assert!(matches!(sent, Err(Halt::Lost)), "{sent:?}");
    assert_eq!(receiver.requests().len(), 0);
    assert_eq!(sender.send_due(&other).await.unwrap(), 1);
});

on_both!(slow_receivers_leave_room_for_the_others, Migrator, |db: Db| async move {
    let slow_seen = Arc::new(AtomicUsize::new(0));
    let count = slow_seen.clone();
    let slow = Receiver::start(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        Answer::status(200).after(Duration::from_millis(300))
    })
    .await;
    let (reached, mut seen) = unbounded_channel();
    let quick = Receiver::start(move |_| {
        let _ = reached.send(slow_seen.load(Ordering::SeqCst));
        Answer::status(200)
    })
    .await;
    let office = open(&db);
    for n in 1..=8 {
        office.endpoint(&format!("Slow {n}"), &slow.url()).await;
    }
    office.endpoint("Warehouse", &quick.url()).await;
    // One more than can be under way to an endpoint.
    for n in 1..=9 {
        office.create(&format!("DR-{n}"), "S-1", vec![]).await;
    }
    assert_eq!(office.send().await, 81);
    let before = seen.recv().await.unwrap();
    assert!(before < 64, "{before} messages to slow receivers went out first");
});

on_both!(one_message_about_a_delivery_is_under_way_at_a_time, Migrator, |db: Db| async move {
    let (reached, mut seen) = unbounded_channel();
    let receiver = Receiver::start(move |request| {
        let kind = request.json()["type"].as_str().unwrap().to_owned();
        let answer = match kind.as_str() {
            "delivery.create" => Answer::status(422),
            "delivery.status" | "delivery.correction" => Answer::status(200).after(SLOW),
            _ => Answer::status(200),
        };
        let _ = reached.send(kind);
        answer
    })
    .await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    assert_eq!(office.send().await, 1);
    office.record(Role::Dispatcher, outcome("DR-1", None, one_short())).await.unwrap();
    let of = async |method: Method| {
        let sends = office.sends().await;
        sends.into_iter().find(|it| it.method == method && it.replay_of.is_none()).unwrap()
    };
    let failed = of(Method::Create).await.id.to_string();
    let resend = async {
        while seen.recv().await.unwrap() != "delivery.status" {}
        office.resend(&failed, None).await.unwrap();
    };
    let (sent, ()) = tokio::join!(office.send(), resend);
    assert_eq!(sent, 3, "status, variance and form");
    let failed = of(Method::Create).await;
    assert_eq!(
        (failed.state, failed.next_attempt_at, failed.discarded_by.as_deref()),
        (State::Discarded, None, Some("system:deliveries"))
    );

    // What was accepted and is wanted once more is sent, after the one that is under way.
    office.correct(Role::Admin, correction("DR-1", None, as_expected())).await.unwrap();
    let status = of(Method::Status).await.id.to_string();
    let again = async {
        while seen.recv().await.unwrap() != "delivery.correction" {}
        let request = ResendDeadLetterRequest { id: status, payload: None, again: true };
        told(office.letters().resend_dead_letter(by(Role::Admin, request)).await).unwrap();
    };
    let (sent, ()) = tokio::join!(office.send(), again);
    assert_eq!(sent, 3);
    let types: Vec<String> =
        receiver.requests().iter().map(|it| it.json()["type"].as_str().unwrap().to_owned()).collect();
    let all = ["create", "status", "variance", "form", "correction", "status", "form"];
    let expected: Vec<String> = all.iter().map(|it| format!("delivery.{it}")).collect();
    assert_eq!(types, expected);
});
