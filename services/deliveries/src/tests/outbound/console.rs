//! What administrators see of dead letters, and what they can do with them.

use ::store::jobs::Jobs;
use ::store::testing::{Backend, TestDb, sqlite_plan};
use kit::clock::new_id;
use proto::common::v1::{CountRequest, Filter, Page};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, ConnectionTrait, DbBackend, QueryTrait};

use super::*;
use crate::commands::dead_letters::Chosen;
use crate::entity::dead_letter::ActiveModel;
use crate::entity::outbound_endpoint;
use crate::outbound::sends;
use crate::queries::dead_letters;

/// Creates failed letters. Each pair in `texts` is an error text and the number of letters with that text.
async fn failed(office: &Office, endpoint: &OutboundEndpoint, texts: &[(&str, usize)]) {
    let now = office.context.clock.now();
    let tx = office.context.db.begin().await.unwrap();
    for (text, many) in texts {
        for n in 0..*many {
            let row = ActiveModel {
                delivery_id: Set(format!("DR-{n}")),
                delivery_key: Set(format!("dr-{n}")),
                endpoint_id: Set(Some(endpoint.id.parse().unwrap())),
                state: Set(State::Failed),
                error_text: Set((*text).to_owned()),
                error_fingerprint: Set(text.to_lowercase().replace(' ', "-")),
                attempts: Set(1),
                ..sends::new_row(Method::Status, "{}".into(), now)
            };
            row.insert(&*tx).await.unwrap();
        }
    }
    tx.commit().await.unwrap();
}

fn where_fingerprint(value: &str) -> Vec<Filter> {
    vec![Filter { key: "errorFingerprint".into(), operator: "equals".into(), values: vec![value.into()] }]
}

impl Office {
    async fn start(&self, request: StartDeadLetterJobRequest) -> kit::Result<DeadLetterJob> {
        told(self.letters().start_dead_letter_job(by(Role::Admin, request)).await)
    }

    async fn job(&self, id: &str) -> DeadLetterJob {
        let request = GetDeadLetterJobRequest { id: id.into() };
        told(self.letters().get_dead_letter_job(by(Role::Admin, request)).await).unwrap()
    }

    fn jobs(&self) -> Jobs {
        let bulk = Bulk { context: self.context.clone() };
        Jobs::new(crate::NAME, self.context.db.clone(), self.context.clock.clone()).with(bulk)
    }
}

on_both!(letters_are_listed_by_half_and_grouped_by_error, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    failed(&office, &endpoint, &[("Bad invoice", 3), ("Gone", 5)]).await;
    let groups =
        told(office.letters().list_dead_letter_groups(by(Role::Admin, CountRequest::default())).await);
    let groups = groups.unwrap().groups;
    let shown: Vec<_> =
        groups.iter().map(|it| (it.error_text.as_str(), it.count, it.endpoint_name.as_str())).collect();
    assert_eq!(shown, [("Gone", 5, "ERP"), ("Bad invoice", 3, "ERP")]);
    assert_eq!(groups[0].first_seen_at, Some(proto::timestamp(at(0))));
    let page = |mode: DeadLetterMode, filters| ListDeadLettersRequest {
        page: Some(Page { r#where: filters, ..Default::default() }),
        mode: mode.into(),
    };
    let list = async |mode, filters| {
        let request = by(Role::Admin, page(mode, filters));
        told(office.letters().list_dead_letters(request).await).unwrap().dead_letters
    };
    assert_eq!(list(DeadLetterMode::Failed, vec![]).await.len(), 8);
    assert_eq!(list(DeadLetterMode::Failed, where_fingerprint("gone")).await.len(), 5);
    assert_eq!(list(DeadLetterMode::Success, vec![]).await.len(), 0);
    let filter = |key: &str, operator: &str, value: &str| {
        vec![Filter { key: key.into(), operator: operator.into(), values: vec![value.into()] }]
    };
    assert_eq!(list(DeadLetterMode::Failed, filter("method", "equals", "status")).await.len(), 8);
    assert_eq!(list(DeadLetterMode::Failed, filter("method", "equals", "form")).await.len(), 0);
    let tx = db.begin().await.unwrap();
    let retry = "UPDATE delivery_dead_letter SET state = 'scheduled_retry' WHERE delivery_id = 'DR-0'";
    tx.execute_unprepared(retry).await.unwrap();
    tx.commit().await.unwrap();
    for (operator, value, many) in [
        ("equals", "scheduled_retry", 2),
        ("equals", "failed", 6),
        ("!equals", "failed", 2),
        ("equals", "queued", 0),
        ("contains", "e", 8),
    ] {
        let narrowed = list(DeadLetterMode::Failed, filter("state", operator, value)).await;
        assert_eq!(narrowed.len(), many, "state {operator} {value}");
    }
    for role in [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver] {
        let refused =
            told(office.letters().list_dead_letters(by(role, page(DeadLetterMode::Failed, vec![]))).await);
        assert_eq!(refused.unwrap_err().kind, kit::Kind::Forbidden);
    }
});

on_both!(the_list_of_letters_reads_no_bodies, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    failed(&office, &endpoint, &[("Gone", 1)]).await;
    let large = ["payload", "edited_payload", "request_headers", "response_body", "attempt_log"];
    let columns = dead_letters::listed();
    let listed: Vec<&str> = columns.iter().map(sea_orm::IdenStatic::as_str).collect();
    assert!(!listed.is_empty() && !listed.iter().any(|it| large.contains(it)), "{listed:?}");
    // Nothing can read this log of attempts.
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared("UPDATE delivery_dead_letter SET attempt_log = '{}'").await.unwrap();
    tx.commit().await.unwrap();
    let (letters, _) = dead_letters::page(&db, &Page::default()).await.unwrap();
    let [letter] = &letters[..] else { panic!("{letters:?}") };
    assert_eq!((letter.error_text.as_str(), letter.endpoint_name.as_str()), ("Gone", "ERP"));
    assert_eq!((letter.payload.as_str(), letter.attempt_log.len(), letter.attempts), ("", 0, 1));
    dead_letters::get(&db, &letter.id).await.unwrap_err();
});

on_both!(resending_at_once_sends_once, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    failed(&office, &endpoint, &[("Gone", 1)]).await;
    let id = office.sends().await[0].id.to_string();
    let asked = futures::future::join_all((0..64).map(|_| office.resend(&id, None))).await;
    for answer in asked {
        assert_eq!(answer.unwrap().resends, 1);
    }
    assert_eq!(office.send().await, 1);
    assert_eq!(receiver.requests().len(), 1);
    assert_eq!(office.resend(&id, None).await.unwrap_err().reason, "DEAD_LETTER_CLOSED");
});

on_both!(an_edited_payload_is_what_is_sent, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    failed(&office, &endpoint, &[("Gone", 1)]).await;
    let id = office.sends().await[0].id.to_string();
    assert!(office.resend(&id, Some("[]")).await.unwrap_err().fields.contains_key("payload"));
    office.resend(&id, Some("{\"a\":1}")).await.unwrap();
    assert_eq!(office.resend(&id, Some("{}")).await.unwrap_err().reason, "DEAD_LETTER_BUSY");
    office.send().await;
    assert_eq!(receiver.requests()[0].body, "{\"a\":1}");
    let [send] = &office.sends().await[..] else { panic!("one") };
    assert_eq!((send.payload.as_str(), send.attempt_log.0[0].request_body.as_str()), ("{}", "{\"a\":1}"));
});

on_both!(a_message_to_an_endpoint_that_is_off_or_paused_can_be_edited, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    failed(&office, &endpoint, &[("Gone", 1)]).await;
    let id = office.sends().await[0].id.to_string();
    office.resend(&id, None).await.unwrap();
    let change = async |is_active: bool, paused: bool| {
        let now = office.context.clock.now();
        let tx = db.begin().await.unwrap();
        let row = outbound_endpoint::ActiveModel {
            id: Set(endpoint.id.parse().unwrap()),
            is_active: Set(is_active),
            paused_at: Set(paused.then_some(now)),
            updated_at: Set(now),
            ..Default::default()
        };
        row.update(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    };
    let edited = async |payload: &str| office.resend(&id, Some(payload)).await.map(|it| it.edited_payload);
    for (is_active, paused, payload) in [(true, true, "{\"a\":1}"), (false, false, "{\"a\":2}")] {
        change(is_active, paused).await;
        assert_eq!(edited(payload).await.unwrap_err().reason, "DEAD_LETTER_BUSY", "it may be under way");
        office.later(2);
        assert_eq!(edited(payload).await.unwrap().as_deref(), Some(payload));
    }
    change(true, false).await;
    assert_eq!(edited("{}").await.unwrap_err().reason, "DEAD_LETTER_BUSY");
    assert_eq!(office.send().await, 1);
    assert_eq!(receiver.requests()[0].body, "{\"a\":2}");
});

on_both!(a_message_that_waits_behind_another_one_can_be_edited, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|request| {
        let is_first = request.json()["type"] == "delivery.create";
        Answer::status(if is_first { 429 } else { 200 })
    })
    .await;
    let office = open(&db);
    office.endpoint("ERP", &receiver.url()).await;
    office.create("DR-1", "S-1", two_items()).await;
    assert_eq!(office.send().await, 1);
    office.record(Role::Dispatcher, outcome("DR-1", None, as_expected())).await.unwrap();
    let [first, behind, ..] = &office.sends().await[..] else { panic!("some") };
    assert_eq!(behind.method, Method::Status);
    let id = behind.id.to_string();
    let letter = office.resend(&id, Some("{\"a\":1}")).await.unwrap();
    assert_eq!((letter.state.as_str(), letter.resends), ("queued", 1));
    // One that was resent just now may be waiting for the message behind it.
    assert_eq!(office.resend(&first.id.to_string(), None).await.unwrap().resends, 1);
    assert_eq!(office.resend(&id, Some("{}")).await.unwrap_err().reason, "DEAD_LETTER_BUSY");
    office.later(2);
    office.resend(&id, Some("{\"a\":2}")).await.unwrap();
    office.run_job("discard", vec![first.id.to_string()]).await;
    assert_eq!(office.send().await, 2);
    assert_eq!(receiver.requests()[1].body, "{\"a\":2}");
});

on_both!(a_job_resends_a_group_and_leaves_a_receipt, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    failed(&office, &endpoint, &[("Bad invoice", 7), ("Gone", 1_203)]).await;
    let job_id = new_id().to_string();
    let request = StartDeadLetterJobRequest {
        job_id: job_id.clone(),
        action: "resend".into(),
        r#where: where_fingerprint("gone"),
        dry_run: true,
        ..Default::default()
    };
    let dry = office.start(request.clone()).await.unwrap();
    assert_eq!((dry.total, dry.dry_run, dry.state.as_str()), (1_203, true, "done"));
    assert!(office.sends().await.iter().all(|it| it.resends == 0));
    let request = StartDeadLetterJobRequest { dry_run: false, ..request };
    for _ in 0..2 {
        office.start(request.clone()).await.unwrap();
    }
    office.jobs().run_all().await.unwrap();
    let receipt = office.job(&job_id).await;
    assert_eq!((receipt.total, receipt.done, receipt.changed), (1_203, 1_203, 1_203));
    assert_eq!((receipt.state.as_str(), receipt.created_by.as_str()), ("done", "admin.office"));
    let sends = office.sends().await;
    let waiting = sends.iter().filter(|it| it.state == State::ScheduledRetry && it.resends == 1).count();
    assert_eq!((waiting, sends.iter().filter(|it| it.state == State::Failed).count()), (1_203, 7));
    let listed =
        told(office.letters().list_dead_letter_jobs(by(Role::Admin, ListDeadLetterJobsRequest {})).await);
    assert_eq!(listed.unwrap().jobs.len(), 1);
});

on_both!(a_job_leaves_alone_what_failed_after_its_start, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    failed(&office, &endpoint, &[("Gone", 2)]).await;
    let request = StartDeadLetterJobRequest {
        job_id: new_id().to_string(),
        action: "discard".into(),
        r#where: where_fingerprint("gone"),
        reason: "Test data".into(),
        ..Default::default()
    };
    office.start(request.clone()).await.unwrap();
    office.later(1);
    failed(&office, &endpoint, &[("Gone", 1)]).await;
    office.jobs().run_all().await.unwrap();
    let receipt = office.job(&request.job_id).await;
    assert_eq!((receipt.total, receipt.done, receipt.changed), (2, 2, 2));
    let sends = office.sends().await;
    let left: Vec<_> = sends.iter().filter(|it| it.state == State::Failed).map(|it| it.created_at).collect();
    assert_eq!(left, [at(1)]);
});

on_both!(a_cancelled_job_keeps_what_it_did_and_a_discard_says_why, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    failed(&office, &endpoint, &[("Gone", 3)]).await;
    let discard = StartDeadLetterJobRequest {
        job_id: new_id().to_string(),
        action: "discard".into(),
        ids: office.sends().await.iter().take(2).map(|it| it.id.to_string()).collect(),
        ..Default::default()
    };
    assert!(office.start(discard.clone()).await.unwrap_err().fields.contains_key("reason"));
    let discard = StartDeadLetterJobRequest { reason: "Test data".into(), ..discard };
    let cancelled = StartDeadLetterJobRequest { job_id: new_id().to_string(), ..discard.clone() };
    office.start(cancelled.clone()).await.unwrap();
    let request = CancelDeadLetterJobRequest { id: cancelled.job_id.clone() };
    told(office.letters().cancel_dead_letter_job(by(Role::Admin, request)).await).unwrap();
    office.jobs().run_all().await.unwrap();
    assert_eq!(office.job(&cancelled.job_id).await.state, "cancelled");
    assert!(office.sends().await.iter().all(|it| it.state == State::Failed));
    office.start(discard.clone()).await.unwrap();
    office.jobs().run_all().await.unwrap();
    let gone: Vec<_> = office
        .sends()
        .await
        .into_iter()
        .filter(|it| it.state == State::Discarded)
        .map(|it| it.discard_reason)
        .collect();
    assert_eq!(gone, [Some("Test data".to_owned()), Some("Test data".to_owned())]);
    assert_eq!(office.job(&discard.job_id).await.changed, 2);
});

on_both!(what_was_sent_is_sent_again_under_the_same_id, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(200)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    failed(&office, &endpoint, &[("Gone", 1)]).await;
    let id = office.sends().await[0].id.to_string();
    let again = async || {
        let request = ResendDeadLetterRequest { id: id.clone(), payload: None, again: true };
        told(office.letters().resend_dead_letter(by(Role::Admin, request)).await)
    };
    assert_eq!(again().await.unwrap_err().reason, "DEAD_LETTER_CLOSED", "it was not sent yet");
    office.resend(&id, None).await.unwrap();
    office.send().await;
    let asked = futures::future::join_all((0..16).map(|_| again())).await;
    let ids: std::collections::HashSet<String> = asked.into_iter().map(|it| it.unwrap().id).collect();
    assert_eq!(ids.len(), 1, "one repetition, whoever asks");
    assert_eq!(office.send().await, 1);
    let got = receiver.requests();
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].header("webhook-id"), got[1].header("webhook-id"));
    assert_eq!(got[0].body, got[1].body);
    let [first, second] = &office.sends().await[..] else { panic!("two") };
    assert_eq!((second.replay_of, second.state), (Some(first.id), State::Success));
});

/// The index of the state would have SQLite sort all letters to fix again for each step.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_on_sqlite_goes_along_the_ids() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let endpoint = new_id().to_string();
    let of_endpoint = Filter { key: "endpointId".into(), operator: "equals".into(), values: vec![endpoint] };
    for filters in [Vec::new(), vec![of_endpoint]] {
        let chosen = Chosen { ids: Vec::new(), filters, until: at(0), to_send: true };
        for last in [None, Some(new_id())] {
            let next = chosen.select_after(last, 500, DbBackend::Sqlite).unwrap();
            let plan = sqlite_plan(test.db.read(), next.build(DbBackend::Sqlite)).await;
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
    test.close().await;
}
