//! Reports of other systems: by call and as messages, once and repeatedly, valid and malformed.

mod producers;

use ::store::jobs::Jobs;
use ::store::{Db, on_both};
use chrono::TimeDelta;
use kit::Role;
use kit::bus::intake::Reported;
use proto::deliveries::v1::dead_letters_service_server::DeadLettersService;
use proto::deliveries::v1::intake_service_server::IntakeService;
use proto::deliveries::v1::raise_dead_letter_request::Content;
use proto::deliveries::v1::*;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait, QueryOrder};
use tonic::Request;

use super::office::*;
use super::outbound::open;
use super::outbound::receiver::{Answer, Receiver};
use crate::Migrator;
use crate::commands::reported_letters::Follow;
use crate::domain::outbound::{Method, State};
use crate::entity::dead_letter::{ActiveModel, Column, Entity, Model};
use crate::entity::outbound_endpoint;
use crate::outbound::{backlog, sends};
use crate::rpc::intake::Service;

impl Office {
    fn intake(&self) -> Service {
        Service { context: self.context.clone() }
    }

    /// Registers a producer whose resends go to this endpoint; returns the producer with its token.
    pub async fn producer(&self, name: &str, endpoint: &OutboundEndpoint) -> Producer {
        let request = SaveProducerRequest {
            name: name.into(),
            endpoint_id: endpoint.id.clone(),
            is_active: true,
            ..Default::default()
        };
        told(self.intake().save_producer(by(Role::Admin, request)).await).unwrap()
    }

    pub async fn raise(
        &self,
        token: &str,
        key: &str,
        content: Content,
    ) -> kit::Result<RaiseDeadLetterResponse> {
        let (token, idempotency_key) = (token.to_owned(), key.to_owned());
        let request = RaiseDeadLetterRequest { token, idempotency_key, content: Some(content) };
        told(self.intake().raise_dead_letter(Request::new(request)).await)
    }

    async fn publish(&self, messages: Vec<Reported>) -> kit::Result<()> {
        crate::commands::intake::intake(&self.context).taker.take(messages).await
    }

    /// Changes where the producer's messages are resent to, and moves those that were reported.
    async fn resend_to(&self, producer: &Producer, endpoint: &OutboundEndpoint) -> Producer {
        let producer = self.save_endpoint(producer, endpoint).await;
        self.move_reported().await;
        producer
    }

    /// Runs the jobs that move reported messages; returns how many.
    async fn move_reported(&self) -> usize {
        let jobs = Jobs::new(crate::NAME, self.context.db.clone(), self.context.clock.clone());
        jobs.with(Follow { context: self.context.clone() }).run_all().await.unwrap()
    }

    async fn save_endpoint(&self, producer: &Producer, endpoint: &OutboundEndpoint) -> Producer {
        let request = SaveProducerRequest {
            id: producer.id.clone(),
            version: producer.version,
            endpoint_id: endpoint.id.clone(),
            is_active: true,
            ..Default::default()
        };
        told(self.intake().save_producer(by(Role::Admin, request)).await).unwrap()
    }

    async fn delete(&self, endpoint: &OutboundEndpoint) -> kit::Result<()> {
        let request = DeleteOutboundEndpointRequest { id: endpoint.id.clone(), version: endpoint.version };
        told(self.letters().delete_outbound_endpoint(by(Role::Admin, request)).await).map(|_| ())
    }

    async fn rows(&self) -> Vec<Model> {
        Entity::find().order_by_asc(Column::Id).all(self.context.db.read()).await.unwrap()
    }
}

fn reported(delivery: &str) -> ReportedLetter {
    ReportedLetter {
        delivery_id: delivery.into(),
        method: "status".into(),
        failed_at: Some(proto::timestamp(at(-30))),
        error: "503 from ERP".into(),
        payload: "{\"order\":1}".into(),
    }
}

fn letter(delivery: &str) -> Content {
    Content::Letter(reported(delivery))
}

fn text(delivery: &str) -> String {
    format!(
        r#"{{"deliveryId":"{delivery}","method":"status","error":"503 from ERP","payload":{{"order":1}}}}"#
    )
}

fn published(producer: &str, id: &str, payload: &[u8]) -> Reported {
    Reported { producer: producer.into(), id: id.into(), payload: payload.into() }
}

on_both!(a_report_is_kept_once_whichever_way_it_comes, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &endpoint).await;
    assert!(erp.token.starts_with("wbp_"));
    assert_eq!(erp.subject, "waybill.intake.erp.deadletter.raised.v1");
    let first = office.raise(&erp.token, "k-1", letter("DR-1")).await.unwrap();
    assert!(!first.repeated);
    let again = office.raise(&erp.token, "k-1", letter("DR-1")).await.unwrap();
    assert_eq!((again.id.as_str(), again.repeated), (first.id.as_str(), true));
    let json = office.raise(&erp.token, "k-1", Content::Json(text("DR-1").into())).await.unwrap();
    assert_eq!(json.id, first.id, "the same letter in another form");
    office.publish(vec![published("erp", "k-1", text("DR-1").as_bytes())]).await.unwrap();
    let [row] = &office.rows().await[..] else { panic!("one") };
    assert_eq!((row.method, row.state, row.delivery_id.as_str()), (Method::Status, State::Failed, "DR-1"));
    assert_eq!((row.error_class.as_str(), row.error_text.as_str()), ("reported", "503 from ERP"));
    assert_eq!(row.created_at, at(-30));
    assert_eq!(backlog::failed(&db).await.unwrap(), [("ours", 0), ("reported", 1), ("event", 0)]);
    let shown = GetDeadLetterRequest { id: row.id.to_string() };
    let shown = told(office.letters().get_dead_letter(by(Role::Admin, shown)).await).unwrap();
    assert_eq!((shown.producer_name.as_str(), shown.endpoint_name.as_str()), ("erp", "ERP"));

    let other = office.raise(&erp.token, "k-1", letter("DR-2")).await.unwrap_err();
    assert_eq!(other.reason, "IDEMPOTENCY_KEY_REUSED");
    let wms = office.producer("wms", &endpoint).await;
    assert!(
        !office.raise(&wms.token, "k-1", letter("DR-1")).await.unwrap().repeated,
        "keys are each producer's own"
    );
});

on_both!(a_payload_is_kept_to_the_digit_whichever_way_it_comes, Migrator, |db: Db| async move {
    const PAYLOAD: &str = r#"{"ref":12345678901234567890123, "price":1.10}"#;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &endpoint).await;
    let json = |payload: &str| Content::Json(text("DR-1").replace(r#"{"order":1}"#, payload).into_bytes());
    let first = office.raise(&erp.token, "k-1", json(PAYLOAD)).await.unwrap();
    let [row] = &office.rows().await[..] else { panic!("one") };
    assert_eq!(row.payload, PAYLOAD);
    let same = ReportedLetter { payload: PAYLOAD.into(), ..reported("DR-1") };
    let again = office.raise(&erp.token, "k-1", Content::Letter(same)).await.unwrap();
    assert_eq!((again.id.as_str(), again.repeated), (first.id.as_str(), true));
    // A producer may write the same values in another order.
    let rewritten = r#"{"price":1.1,"ref":12345678901234567890123}"#;
    let again = office.raise(&erp.token, "k-1", json(rewritten)).await.unwrap();
    assert_eq!((again.id, again.repeated), (first.id, true));
    for other in [
        r#"{"ref":12345678901234567890123,"price":1.2}"#,
        r#"{"ref":12345678901234567890124,"price":1.10}"#,
        r#"{"ref":12345678901234567890123,"price":1.10,"more":[]}"#,
    ] {
        let other = office.raise(&erp.token, "k-1", json(other)).await;
        assert_eq!(other.unwrap_err().reason, "IDEMPOTENCY_KEY_REUSED");
    }
});

on_both!(reports_at_once_are_one_letter, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &endpoint).await;
    let asked = (0..24).map(|n| {
        let (office, token) = (office.clone(), erp.token.clone());
        async move {
            match n % 3 {
                0 => office.publish(vec![published("erp", "k", text("DR-1").as_bytes())]).await,
                _ => office.raise(&token, "k", letter("DR-1")).await.map(|_| ()),
            }
        }
    });
    for answer in futures::future::join_all(asked).await {
        answer.unwrap();
    }
    assert_eq!(office.rows().await.len(), 1);
});

on_both!(what_cannot_be_read_is_kept_whole_and_holds_up_nothing, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &endpoint).await;
    let batch = vec![
        published("erp", "a", text("DR-1").as_bytes()),
        published("erp", "b", b"{\"deliveryId\":\"DR-2\""),
        published("erp", "c", b"\xff\xfe\x00 no text"),
        published("nobody", "d", text("DR-4").as_bytes()),
        published("", "e", b""),
        published("erp", "a", text("DR-9").as_bytes()),
        published("erp", "", text("DR-5").as_bytes()),
        published("erp", "f", text("DR-6").as_bytes()),
    ];
    for _ in 0..2 {
        office.publish(batch.clone()).await.unwrap();
    }
    let rows = office.rows().await;
    let mut good: Vec<&str> =
        rows.iter().filter(|it| it.method != Method::Event).map(|it| it.delivery_id.as_str()).collect();
    good.sort_unstable();
    assert_eq!(good, ["DR-1", "DR-6"]);
    let bad: Vec<&Model> = rows.iter().filter(|it| it.method == Method::Event).collect();
    assert_eq!(bad.len(), 6, "each once");
    assert!(bad.iter().all(|it| it.state == State::Failed && it.error_class == "validation"));
    assert_eq!(backlog::failed(&db).await.unwrap()[1], ("reported", 8));
    let of = |key: &str| -> (serde_json::Value, String) {
        let payload = |it: &&&Model| serde_json::from_str::<serde_json::Value>(&it.payload).unwrap();
        let found = bad.iter().find(|it| payload(it)["key"] == key).unwrap();
        (payload(&found), found.error_text.clone())
    };
    assert_eq!(of("b").0["message"], "{\"deliveryId\":\"DR-2\"");
    assert_eq!(of("c").0["bytes"], "//4AIG5vIHRleHQ=", "bytes that are no text, to the last");
    assert_eq!(of("d").1, "No active reporting system is named nobody");
    assert!(of("a").1.contains("used for another dead letter"), "{}", of("a").1);

    // The caller gets an error, but the message is stored nevertheless.
    let refused = office.raise(&erp.token, "g", Content::Json(b"{}".to_vec())).await.unwrap_err();
    assert_eq!(refused.reason, "LETTER_MALFORMED");
    assert_eq!(office.rows().await.len(), 9);
    // An unreadable report cannot be resent, alone or with others, and is not counted as resendable. It can
    // be discarded.
    let id = bad[0].id.to_string();
    assert_eq!(office.resend(&id, None).await.unwrap_err().reason, "DEAD_LETTER_MALFORMED");
    let resent = office.run_job("resend", vec![]).await;
    assert_eq!((resent.total, resent.done, resent.changed), (2, 2, 2));
    assert_eq!(office.run_job("resend", vec![id.clone()]).await.total, 0);
    assert_eq!(office.run_job("discard", vec![id]).await.changed, 1);
});

on_both!(a_token_is_good_for_its_active_producer_alone, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &endpoint).await;
    for token in ["", "wbp_", "x", &erp.id, &erp.token[..20]] {
        let refused = office.raise(token, "k", letter("DR-1")).await.unwrap_err();
        assert_eq!(refused.reason, "PRODUCER_TOKEN_INVALID", "{token}");
    }
    let ask = RotateProducerTokenRequest { id: erp.id.clone(), version: erp.version };
    let new = told(office.intake().rotate_producer_token(by(Role::Admin, ask)).await).unwrap();
    assert!(office.raise(&erp.token, "k", letter("DR-1")).await.is_err(), "the old one ended at once");
    office.raise(&new.token, "k", letter("DR-1")).await.unwrap();
    let off = SaveProducerRequest {
        id: new.id.clone(),
        version: new.version,
        endpoint_id: endpoint.id.clone(),
        is_active: false,
        ..Default::default()
    };
    told(office.intake().save_producer(by(Role::Admin, off)).await).unwrap();
    assert!(office.raise(&new.token, "k-2", letter("DR-1")).await.is_err());
    office.publish(vec![published("erp", "k-3", text("DR-3").as_bytes())]).await.unwrap();
    let last = office.rows().await.pop().unwrap();
    assert_eq!(last.error_text, "No active reporting system is named erp");
    let rows = crate::entity::producer::Entity::find().all(db.read()).await.unwrap();
    assert!(rows.iter().all(|it| !format!("{it:?}").contains(&new.token)), "only its hash is kept");
    for role in [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver] {
        let refused = told(office.intake().list_producers(by(role, ListProducersRequest {})).await);
        assert_eq!(refused.unwrap_err().kind, kit::Kind::Forbidden);
    }
});

on_both!(a_reported_letter_is_mended_and_sent_to_its_endpoint, Migrator, |db: Db| async move {
    let receiver = Receiver::start(|_| Answer::status(204)).await;
    let office = open(&db);
    let endpoint = office.endpoint("ERP", &receiver.url()).await;
    let erp = office.producer("erp", &endpoint).await;
    let first = office.raise(&erp.token, "k-1", letter("DR-1")).await.unwrap();
    let second = office.raise(&erp.token, "k-2", letter("DR-1")).await.unwrap();
    // Our own message about the delivery does not replace the message that the other system could not send.
    office.create("DR-1", "S-1", two_items()).await;
    assert_eq!(office.send().await, 1);
    let states = async || -> Vec<State> {
        let rows = office.rows().await;
        let of = |id: &str| rows.iter().find(|it| it.id.to_string() == id).unwrap().state;
        vec![of(&first.id), of(&second.id)]
    };
    assert_eq!(states().await, [State::Failed, State::Failed]);
    office.resend(&second.id, Some("{\"order\":2}")).await.unwrap();
    assert_eq!(office.send().await, 1);
    let got = receiver.requests().pop().unwrap();
    assert_eq!(got.body, "{\"order\":2}");
    assert!(got.header("webhook-id").starts_with("msg_"));
    assert_eq!(states().await, [State::Discarded, State::Success], "the later one made up for the earlier");
    let ask = DeleteOutboundEndpointRequest { id: endpoint.id.clone(), version: endpoint.version };
    let refused = told(office.letters().delete_outbound_endpoint(by(Role::Admin, ask)).await).unwrap_err();
    assert_eq!(refused.reason, "ENDPOINT_IN_USE");
    let late = proto::timestamp(office.context.clock.now() + TimeDelta::days(1));
    let ahead = ReportedLetter { failed_at: Some(late), ..reported("DR-7") };
    office.raise(&erp.token, "k-7", Content::Letter(ahead)).await.unwrap();
    let row = office.rows().await.pop().unwrap();
    assert_eq!(row.created_at, office.context.clock.now(), "a clock that is ahead is not believed");
});

on_both!(reported_letters_follow_their_producer_to_another_endpoint, Migrator, |db: Db| async move {
    let (former, next) =
        (Receiver::start(|_| Answer::status(503)).await, Receiver::start(|_| Answer::status(204)).await);
    let office = open(&db);
    let old = office.endpoint("Old ERP", &former.url()).await;
    let new = office.endpoint("New ERP", &next.url()).await;
    let wms = office.producer("wms", &old).await;
    let erp = office.producer("erp", &old).await;
    let mut ids = Vec::new();
    for delivery in ["DR-1", "DR-2", "DR-3", "DR-4"] {
        ids.push(office.raise(&wms.token, delivery, letter(delivery)).await.unwrap().id);
    }
    let others = office.raise(&erp.token, "k", letter("DR-9")).await.unwrap().id;
    // DR-3 waits for its second attempt, and DR-4 may be under way to the old receiver.
    office.resend(&ids[2], None).await.unwrap();
    assert_eq!(office.send().await, 1);
    office.resend(&ids[3], None).await.unwrap();
    let wms = office.resend_to(&wms, &new).await;
    let endpoint_of = async |id: &str| {
        let row = office.rows().await.into_iter().find(|it| it.id.to_string() == id).unwrap();
        row.endpoint_id.unwrap().to_string()
    };
    for id in &ids[..3] {
        assert_eq!(endpoint_of(id).await, new.id);
    }
    assert_eq!(endpoint_of(&ids[3]).await, old.id);
    assert_eq!(endpoint_of(&others).await, old.id, "another system's");
    let acts = ::store::testing::acts(&db).await;
    let changed = &acts.last().unwrap().1;
    assert_eq!(changed.before_json, r#"{"endpoint":"Old ERP"}"#);
    assert_eq!(changed.after_json, r#"{"endpoint":"New ERP","lettersMoved":3}"#);
    assert_eq!(office.send().await, 2, "DR-3 to the new receiver, DR-4 to the old one");
    office.resend(&ids[0], None).await.unwrap();
    office.send().await;
    assert_eq!(next.requests().len(), 2, "DR-3 and DR-1");

    // What was under way moves with the next change.
    office.resend_to(&wms, &new).await;
    assert_eq!(endpoint_of(&ids[3]).await, new.id);
    let refused = office.delete(&old).await.unwrap_err();
    assert_eq!(refused.reason, "ENDPOINT_IN_USE", "another system resends there");
    office.resend_to(&erp, &new).await;
    office.delete(&old).await.unwrap();
    let rows = office.rows().await;
    let kept = rows.iter().find(|it| it.id.to_string() == ids[1]).unwrap();
    assert_eq!(kept.state, State::Failed);
});

// A producer may have reported millions of messages, and SQLite has one writer at a time.
on_both!(many_reported_letters_follow_their_producer_step_by_step, Migrator, |db: Db| async move {
    let office = open(&db);
    let old = office.endpoint("Old ERP", "http://127.0.0.1:9/").await;
    let new = office.endpoint("New ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &old).await;
    let row = |state: State| ActiveModel {
        state: Set(state),
        endpoint_id: Set(Some(old.id.parse().unwrap())),
        producer_id: Set(Some(erp.id.parse().unwrap())),
        // Due, but the endpoint is paused.
        next_attempt_at: Set((state == State::ScheduledRetry).then(|| at(-5))),
        ..sends::new_row(Method::Status, "{}".into(), at(0))
    };
    let mut rows: Vec<ActiveModel> = (0..1_100).map(|_| row(State::Failed)).collect();
    rows.extend([State::ScheduledRetry, State::Success, State::Discarded].map(row));
    let tx = db.begin().await.unwrap();
    ::store::bulk::insert(&*tx, rows).await.unwrap();
    outbound_endpoint::Entity::update_many()
        .col_expr(outbound_endpoint::Column::PausedAt, Expr::value(at(-10)))
        .exec(&*tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let moved = async || -> Vec<State> {
        let rows = office.rows().await.into_iter();
        rows.filter(|it| it.endpoint_id.is_some_and(|id| id.to_string() == new.id))
            .map(|it| it.state)
            .collect()
    };
    office.save_endpoint(&erp, &new).await;
    assert!(moved().await.is_empty(), "not in the transaction of the request");
    assert_eq!(office.delete(&old).await.unwrap_err().reason, "ENDPOINT_IN_USE", "they still wait for it");
    assert_eq!(office.move_reported().await, 1);
    let moved = moved().await;
    assert_eq!((moved.len(), moved.iter().filter(|it| **it == State::Failed).count()), (1_101, 1_100));
    let acts = ::store::testing::acts(&db).await;
    assert_eq!(acts.last().unwrap().1.after_json, r#"{"endpoint":"New ERP","lettersMoved":1101}"#);
    office.delete(&old).await.unwrap();
});

on_both!(a_report_goes_to_the_present_endpoint_of_its_producer, Migrator, |db: Db| async move {
    let office = open(&db);
    let old = office.endpoint("Old ERP", "http://127.0.0.1:9/").await;
    let new = office.endpoint("New ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &old).await;
    // The producer is read, then gets another endpoint, and then its report is stored.
    let read = crate::queries::producers::by_token(db.read(), &erp.token).await.unwrap().unwrap();
    office.resend_to(&erp, &new).await;
    let report = crate::domain::intake::read("k-1", text("DR-1").as_bytes());
    crate::commands::intake::take_one(&office.context, &read, ("k-1", Vec::new()), report).await.unwrap();
    let [row] = &office.rows().await[..] else { panic!("one") };
    assert_eq!(row.endpoint_id.map(|it| it.to_string()), Some(new.id));
    office.delete(&old).await.unwrap();
});

on_both!(an_endpoint_with_letters_of_a_deleted_producer_is_not_deleted, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let erp = office.producer("erp", &endpoint).await;
    let first = office.raise(&erp.token, "k-1", letter("DR-1")).await.unwrap();
    office.raise(&erp.token, "k-2", letter("DR-2")).await.unwrap();
    let ask = DeleteProducerRequest { id: erp.id.clone(), version: erp.version };
    told(office.intake().delete_producer(by(Role::Admin, ask)).await).unwrap();
    let refused = office.delete(&endpoint).await.unwrap_err();
    assert_eq!(
        (refused.reason.as_str(), refused.message.as_str()),
        (
            "ENDPOINT_IN_USE",
            "2 messages reported by other systems are resent to this endpoint. Resend or discard them first."
        )
    );
    assert_eq!(office.run_job("discard", vec![first.id]).await.changed, 1);
    assert!(office.delete(&endpoint).await.unwrap_err().message.starts_with("1 message reported"));
    assert_eq!(office.run_job("discard", Vec::new()).await.changed, 1);
    // Our own messages are discarded, and the act has their number.
    office.create("DR-5", "S-1", two_items()).await;
    office.delete(&endpoint).await.unwrap();
    let acts = ::store::testing::acts(&db).await;
    let deleted = &acts.last().unwrap().1;
    assert_eq!(
        (deleted.action.as_str(), deleted.after_json.as_str()),
        ("endpoint.deleted", r#"{"lettersDiscarded":1}"#)
    );
    assert!(deleted.before_json.contains(r#""methods":["create","update""#), "{}", deleted.before_json);
    assert!(deleted.before_json.contains(r#""sources":[]"#), "{}", deleted.before_json);
});
