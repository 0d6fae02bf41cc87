//! Sends that fail, and senders that die.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use ::store::jobs::Halt;
use proto::common::v1::{Filter, Page};
use proto::events::envelope::Payload;
use sea_orm::ConnectionTrait;

use super::*;
use crate::domain::outbound::{ErrorClass, FAILURES_BEFORE_PAUSE};
use crate::outbound::sends::{self, Attempted};
use crate::queries::dead_letters;

/// Starts a receiver whose response status the test can change.
async fn obeying(status: u16) -> (Receiver, Arc<AtomicU16>) {
    let told = Arc::new(AtomicU16::new(status));
    let status = told.clone();
    let receiver = Receiver::start(move |_| Answer::status(status.load(Ordering::SeqCst))).await;
    (receiver, told)
}

/// Returns an attempt that succeeded if the status is 200.
fn attempt(at: chrono::DateTime<chrono::Utc>, status: u16) -> Attempted {
    let failure = (status != 200).then(|| (ErrorClass::Http5xx, format!("{status}: Service Unavailable")));
    Attempted {
        at,
        ms: 7,
        status: Some(status),
        headers: "{}".into(),
        sent: "{}".into(),
        response_body: String::new(),
        failure,
    }
}

on_both!(
    a_failed_send_follows_the_schedule_within_ten_percent_and_then_fails,
    Migrator,
    |db: Db| async move {
        let (receiver, _) = obeying(503).await;
        let office = open(&db);
        office.endpoint("ERP", &receiver.url()).await;
        office.create("DR-1", "S-1", two_items()).await;
        let schedule = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400];
        for (tries, expected) in (1..).zip(schedule) {
            assert_eq!(office.send().await, 1);
            let [send] = &office.sends().await[..] else { panic!("one") };
            assert_eq!((send.state, send.tries), (State::ScheduledRetry, tries));
            let pause = send.next_attempt_at.unwrap() - office.context.clock.now();
            let share = pause.as_seconds_f64() / f64::from(expected);
            assert!((0.9..=1.1).contains(&share), "{tries}: {pause}");
            if expected > 100 {
                assert_eq!(office.send().await, 0, "not before its time");
            }
            office.context.clock.advance(pause);
        }
        assert_eq!(office.send().await, 1);
        let [send] = &office.sends().await[..] else { panic!("one") };
        assert_eq!((send.state, send.tries, send.next_attempt_at), (State::Failed, 9, None));
        let ids: HashSet<String> =
            receiver.requests().iter().map(|it| it.header("webhook-id").to_owned()).collect();
        assert_eq!((receiver.requests().len(), ids.len()), (9, 1), "one key in all attempts");
        assert_eq!(send.attempt_log.0.len(), 9);
    }
);

on_both!(a_refusal_is_final_and_a_later_message_makes_up_for_it, Migrator, |db: Db| async move {
    let (receiver, told_status) = obeying(422).await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    office.create("DR-2", "S-1", two_items()).await;
    assert_eq!(office.send().await, 2);
    assert!(office.sends().await.iter().all(|it| it.state == State::Failed && it.error_class == "http_4xx"));
    told_status.store(200, Ordering::SeqCst);
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    assert_eq!(office.send().await, 2);
    let sends = office.sends().await;
    let of = |id: &str| sends.iter().find(|it| it.delivery_id == id && it.method == Method::Create).unwrap();
    assert_eq!(
        (of("DR-1").state, of("DR-1").discarded_by.as_deref()),
        (State::Discarded, Some("system:deliveries"))
    );
    assert_eq!(of("DR-2").state, State::Failed, "of another delivery");
});

on_both!(only_a_message_that_failed_is_found_by_when_it_failed, Migrator, |db: Db| async move {
    let (receiver, told_status) = obeying(503).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    let erp = office.producer("erp", &endpoint).await;
    office.create("DR-1", "S-1", two_items()).await;
    assert_eq!(office.send().await, 1);
    let first_failure = office.context.clock.now();
    told_status.store(200, Ordering::SeqCst);
    office.later(2);
    office.create("DR-2", "S-1", two_items()).await;
    let letter = ReportedLetter {
        delivery_id: "DR-3".into(),
        method: "status".into(),
        failed_at: Some(proto::timestamp(at(-30))),
        payload: "{}".into(),
        ..Default::default()
    };
    let content = raise_dead_letter_request::Content::Letter(letter);
    let reported = office.raise(&erp.token, "k-1", content).await.unwrap().id;
    office.resend(&reported, None).await.unwrap();
    assert_eq!(office.send().await, 3);
    let again = async |id: &str| {
        let request = ResendDeadLetterRequest { id: id.into(), payload: None, again: true };
        told(office.letters().resend_dead_letter(by(Role::Admin, request)).await).unwrap()
    };
    // Of two repetitions, one is sent at its first attempt, and the other one fails.
    assert!(again(&reported).await.never_failed);
    assert_eq!(office.send().await, 1);
    told_status.store(503, Ordering::SeqCst);
    again(&reported).await;
    assert_eq!(office.send().await, 1);
    let second_failure = office.context.clock.now();

    let range = [at(-60), at(60)].map(|it| it.to_rfc3339());
    let r#where =
        vec![Filter { key: "createdAt".into(), operator: "inDateRange".into(), values: range.into() }];
    let page = |r#where: &[Filter]| Page { r#where: r#where.to_vec(), ..Default::default() };
    let list = async |mode: DeadLetterMode, r#where: &[Filter]| {
        let request = ListDeadLettersRequest { page: Some(page(r#where)), mode: mode.into() };
        told(office.letters().list_dead_letters(by(Role::Admin, request)).await).unwrap().dead_letters
    };
    let failed = async |mode| -> Vec<(String, Option<prost_types::Timestamp>, bool)> {
        let letters = list(mode, &r#where).await.into_iter();
        letters.map(|it| (it.delivery_id, it.created_at, it.never_failed)).collect()
    };
    let failure = |id: &str, at| (id.to_owned(), Some(proto::timestamp(at)), false);
    assert_eq!(
        failed(DeadLetterMode::Success).await,
        [failure("DR-1", first_failure), failure("DR-3", at(-30))]
    );
    assert_eq!(failed(DeadLetterMode::Failed).await, [failure("DR-3", second_failure)]);
    let request = CountDeadLettersRequest { r#where: r#where.clone(), mode: DeadLetterMode::Success.into() };
    let count = told(office.letters().count_dead_letters(by(Role::Admin, request)).await).unwrap();
    assert_eq!(count.total, 2);
    let sent = list(DeadLetterMode::Success, &[]).await;
    assert_eq!((sent.len(), sent.iter().filter(|it| it.never_failed).count()), (4, 2));
    // A long list is read by other statements than this short one.
    for (_, select) in dead_letters::LIST.statements(&page(&r#where), db.backend()).unwrap() {
        db.read().query_all(&select).await.unwrap();
    }
});

on_both!(a_message_that_waits_holds_those_behind_it_back, Migrator, |db: Db| async move {
    let (receiver, told_status) = obeying(429).await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    assert_eq!(office.send().await, 1);
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    office.create("DR-2", "S-1", two_items()).await;
    told_status.store(200, Ordering::SeqCst);
    let [first, ..] = &office.sends().await[..] else { panic!("some") };
    assert_eq!(first.state, State::ScheduledRetry, "429 says later");
    let shown = async |id: uuid::Uuid| {
        let ask = GetDeadLetterRequest { id: id.to_string() };
        told(office.letters().get_dead_letter(by(Role::Admin, ask)).await).unwrap()
    };
    let front = shown(first.id).await;
    let held: Vec<&str> = front.behind.iter().map(|it| it.method.as_str()).collect();
    assert_eq!((held, front.behind_count, front.waits_behind), (vec!["status", "form"], 2, None));
    let behind = shown(front.behind[0].id.parse().unwrap()).await;
    assert_eq!(behind.waits_behind.map(|it| it.id), Some(first.id.to_string()));
    office.later(2);
    assert_eq!(office.send().await, 4);
    let types: Vec<String> = receiver
        .requests()
        .iter()
        .filter(|it| it.json()["data"]["deliveryId"] == "DR-1")
        .map(|it| it.json()["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(types, ["delivery.create", "delivery.create", "delivery.status", "delivery.form"]);
});

on_both!(a_retry_planned_by_a_clock_ahead_is_made_once_it_is_right, Migrator, |db: Db| async move {
    let (receiver, told_status) = obeying(503).await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    office.later(10);
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    let year = chrono::TimeDelta::days(365);
    office.context.clock.advance(year);
    assert_eq!(office.send().await, 1);
    office.context.clock.advance(-year);
    told_status.store(200, Ordering::SeqCst);
    assert_eq!(office.send().await, 3);
    assert!(office.sends().await.iter().all(|it| it.state == State::Success));
    let types: Vec<String> =
        receiver.requests().iter().map(|it| it.json()["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(types, ["delivery.create", "delivery.create", "delivery.status", "delivery.form"]);
});

on_both!(a_sender_that_dies_before_it_notes_sends_again_with_the_same_key, Migrator, |db: Db| async move {
    let office = open(&db);
    let (reached, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let taken_over = CancellationToken::new();
    let answered = taken_over.clone();
    let receiver = Receiver::start(move |_| {
        let _ = reached.send(());
        Answer::status(200).once(answered.clone())
    })
    .await;
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    let dying = office.hold().await;
    let sender = Sender::new(&office.context).unwrap();
    // The lease expires while the message is being sent, and another process takes over.
    let take_over = async {
        seen.recv().await.unwrap();
        office.later_seconds(31);
        let hold = office.hold().await;
        taken_over.cancel();
        hold
    };
    let (lost, hold) = tokio::join!(sender.send_due(&dying), take_over);
    assert!(matches!(lost, Err(Halt::Lost)), "{lost:?}");
    let [send] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((send.state, send.attempts), (State::Queued, 0), "who lost the lease notes nothing");
    assert_eq!(sender.send_due(&hold).await.unwrap(), 1);
    let mut by_key: HashMap<String, HashSet<String>> = HashMap::new();
    for request in receiver.requests() {
        by_key.entry(request.header("webhook-id").to_owned()).or_default().insert(request.body.clone());
    }
    assert_eq!(receiver.requests().len(), 2);
    assert_eq!(by_key.len(), 1, "one in effect for a receiver that knows keys");
    assert!(by_key.values().all(|bodies| bodies.len() == 1));
    assert_eq!(office.sends().await[0].state, State::Success);
});

on_both!(an_attempt_that_is_recorded_again_counts_once, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    office.create("DR-1", "S-1", two_items()).await;
    let id = office.sends().await[0].id;
    // As precise as the clock of a machine.
    let attempted = attempt(at(0) + chrono::TimeDelta::nanoseconds(123_456_789), 503);
    for _ in 0..2 {
        let tx = db.begin().await.unwrap();
        sends::record(&tx, id, attempted.clone(), at(1), 0.5).await.unwrap();
        tx.commit().await.unwrap();
    }
    let [send] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((send.attempts, send.tries, send.attempt_log.0.len()), (1, 1, 1));
    let request = ListOutboundEndpointsRequest {};
    let listed = told(office.letters().list_outbound_endpoints(by(Role::Admin, request)).await).unwrap();
    let failures = listed.endpoints.iter().find(|it| it.id == endpoint.id).unwrap().failures_in_row;
    assert_eq!(failures, 1);
});

on_both!(only_failures_in_a_row_pause_an_endpoint, Migrator, |db: Db| async move {
    let office = open(&db);
    office.endpoint("ERP", "http://127.0.0.1:9/").await;
    for id in ["DR-1", "DR-2", "DR-3"] {
        office.create(id, "S-1", vec![]).await;
    }
    let [failing, accepted, last] = &office.sends().await[..] else { panic!("three") };
    let failures = (1..FAILURES_BEFORE_PAUSE).map(|minute| (failing.id, attempt(at(minute.into()), 503)));
    let others = [(accepted.id, attempt(at(50), 200)), (last.id, attempt(at(51), 503))];
    let tx = db.begin().await.unwrap();
    for (id, attempted) in failures.chain(others) {
        let now = attempted.at;
        sends::record(&tx, id, attempted, now, 0.5).await.unwrap();
    }
    tx.commit().await.unwrap();
    let endpoint = crate::entity::outbound_endpoint::Entity::find().one(db.read()).await.unwrap().unwrap();
    assert_eq!((endpoint.failures_in_row, endpoint.paused_at), (1, None));
});

on_both!(
    an_endpoint_is_paused_after_fifty_failures_and_administrators_hear_of_it,
    Migrator,
    |db: Db| async move {
        let (receiver, told_status) = obeying(400).await;
        let office = open(&db);
        let endpoint = office.endpoint("ERP", &receiver.url()).await;
        for n in 0..FAILURES_BEFORE_PAUSE + 10 {
            office.create(&format!("DR-{n}"), "S-1", vec![]).await;
        }
        office.send().await;
        let paused =
            events(&db).await.into_iter().filter(|it| matches!(it.payload, Some(Payload::EndpointPaused(_))));
        assert_eq!(paused.count(), 1);
        let failed = office.sends().await.iter().filter(|it| it.state == State::Failed).count();
        // Up to seven more messages were already being sent when the endpoint was paused.
        assert!((50..=57).contains(&failed), "{failed}");
        told_status.store(200, Ordering::SeqCst);
        assert_eq!(office.send().await, 0, "nothing is sent while it is paused");
        let request = ResumeOutboundEndpointRequest { id: endpoint.id };
        let resumed =
            told(office.letters().resume_outbound_endpoint(by(Role::Admin, request)).await).unwrap();
        assert_eq!((resumed.paused_at, resumed.failures_in_row), (None, 0));
        // Which pause has ended.
        let all = events(&db).await;
        let paused = all.iter().find(|it| matches!(it.payload, Some(Payload::EndpointPaused(_)))).unwrap();
        let ended = all.iter().find_map(|it| match &it.payload {
            Some(Payload::EndpointResumed(it)) => Some((it.id.clone(), it.paused_at)),
            _ => None,
        });
        assert_eq!(ended, Some((resumed.id, paused.occurred_at)));
        assert_eq!(office.send().await, 60 - failed);
    }
);

on_both!(a_receiver_that_redirects_is_slow_or_gone_is_told_apart, Migrator, |db: Db| async move {
    let target = Receiver::start(|_| Answer::status(200)).await;
    let to = target.url();
    let redirecting = Receiver::start(move |_| Answer::redirecting(&to)).await;
    let slow = Receiver::start(|_| Answer::status(200).after(Duration::from_secs(60))).await;
    let talking = Receiver::start(|_| Answer::status(500).saying(&"x".repeat(50_000))).await;
    let closed = kit::testing::free_port();
    let hooks = webhook::Webhooks::new(kit::outbound::Reach::Private).unwrap();
    let send = async |url: String| {
        let message = webhook::Message {
            id: "msg_1",
            url: &url,
            body: "{}",
            secrets: &["whsec_AAAA".to_owned()],
            at: at(0),
            timeout: Duration::from_millis(300),
        };
        let attempted = hooks.send(&message).await;
        (attempted.failure.map(|(class, _)| class.as_str()), attempted.response_body.len())
    };
    assert_eq!(send(redirecting.url()).await.0, Some("redirect"));
    assert!(target.requests().is_empty(), "not followed");
    assert_eq!(send(slow.url()).await.0, Some("timeout"));
    assert_eq!(send(talking.url()).await, (Some("http_5xx"), 16 << 10));
    assert_eq!(send(format!("http://127.0.0.1:{closed}/")).await.0, Some("connection"));
    assert_eq!(send("http://name.invalid/".into()).await.0, Some("dns"));
    drop(db);
});

on_both!(a_start_that_finds_the_sender_waits_for_no_other_write, Migrator, |db: Db| async move {
    let office = open(&db);
    sender::ensure(&office.context).await.unwrap();
    let other = db.begin().await.unwrap();
    other.execute_unprepared("UPDATE job SET attempts = attempts").await.unwrap();
    let start = sender::ensure(&office.context);
    tokio::time::timeout(Duration::from_secs(4), start).await.unwrap().unwrap();
});
