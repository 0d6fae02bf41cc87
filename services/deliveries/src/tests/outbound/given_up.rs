//! Letters about events that consumers gave up.

use ::store::consume::{Meta, Revision};
use kit::clock::new_id;
use prost::Message;
use proto::events::envelope::Payload;
use proto::events::{DeadLetterHandled, DeadLetterRaised, Envelope};

use super::*;
use crate::events::{on_dead_letter_handled, on_dead_letter_raised};
use crate::outbound::backlog;

const CONSUMER: &str = "drivers-deliveries";

fn raised() -> DeadLetterRaised {
    let inner = Envelope {
        id: new_id().to_string(),
        subject: "waybill.deliveries.delivery.changed.v1".into(),
        aggregate_id: "DR-1".into(),
        ..Default::default()
    };
    DeadLetterRaised {
        envelope: inner.encode_to_vec(),
        consumer: CONSUMER.into(),
        attempts: 5,
        last_error: "It was\0wrong".into(),
        event_id: inner.id,
        message: b"{\"x\":\"\\u0000\"} \0".to_vec(),
    }
}

fn meta() -> Meta {
    Meta {
        id: new_id(),
        actor: "system:drivers".into(),
        aggregate_id: String::new(),
        revision: Revision::default(),
        occurred_at: at(0),
        now: at(0),
    }
}

impl Office {
    /// Receives that a consumer gave up an event; returns the letter.
    async fn receive(&self, raised: &DeadLetterRaised) -> Model {
        let tx = self.context.db.begin().await.unwrap();
        on_dead_letter_raised::apply(&tx, raised.clone(), &meta()).await.unwrap();
        tx.commit().await.unwrap();
        let [letter] = <[Model; 1]>::try_from(self.sends().await).expect("one letter");
        letter
    }

    /// Returns the id of the event and whether it is to be discarded, for each request to the service that stores it.
    async fn replayed(&self) -> Vec<(String, bool)> {
        let asked = events(&self.context.db).await.into_iter().filter_map(|it| match it.payload {
            Some(Payload::DeadLetterReplayed(it)) => {
                assert_eq!((it.service.as_str(), it.consumer.as_str()), ("drivers", CONSUMER));
                Some((it.event_id, it.discard))
            }
            _ => None,
        });
        asked.collect()
    }
}

on_both!(an_event_that_was_given_up_is_a_letter_until_it_is_handled, Migrator, |db: Db| async move {
    let office = open(&db);
    let raised = raised();
    office.receive(&raised).await;
    let letter = office.receive(&raised).await;
    assert_eq!(
        (letter.method, letter.state, letter.delivery_id.as_str()),
        (Method::Event, State::Failed, "DR-1")
    );
    assert_eq!(backlog::failed(&db).await.unwrap(), [("ours", 0), ("reported", 0), ("event", 1)]);
    let payload: serde_json::Value = serde_json::from_str(&letter.payload).unwrap();
    assert_eq!(payload["consumer"], CONSUMER);
    assert_eq!(payload["message"], "{\"x\":\"\\u0000\"} \u{fffd}", "an escape in a text stays whole");
    let id = letter.id.to_string();
    assert_eq!(office.resend(&id, Some("{}")).await.unwrap_err().reason, "DEAD_LETTER_NOT_EDITABLE");
    office.resend(&id, None).await.unwrap();
    assert_eq!(office.replayed().await, [(raised.event_id.clone(), false)]);
    let tx = db.begin().await.unwrap();
    let handled = DeadLetterHandled { consumer: CONSUMER.into(), event_id: raised.event_id };
    on_dead_letter_handled::apply(&tx, handled, &meta()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(office.sends().await[0].state, State::Success);
});

on_both!(an_event_can_be_resent_again_when_its_service_does_not_answer, Migrator, |db: Db| async move {
    let office = open(&db);
    let id = office.receive(&raised()).await.id.to_string();
    for _ in 0..2 {
        office.resend(&id, None).await.unwrap();
        office.run_job("resend", vec![id.clone()]).await;
    }
    assert_eq!(office.replayed().await.len(), 1, "the service may be handling it");
    office.later(2);
    assert_eq!(office.resend(&id, None).await.unwrap().resends, 2);
    assert_eq!(office.replayed().await.len(), 2);
    office.later(2);
    assert_eq!(office.run_job("resend", vec![id]).await.changed, 1);
    assert_eq!(office.replayed().await.len(), 3);
});

on_both!(a_discarded_event_stays_discarded_when_its_replay_fails, Migrator, |db: Db| async move {
    let office = open(&db);
    let raised = raised();
    let id = office.receive(&raised).await.id.to_string();
    office.resend(&id, None).await.unwrap();
    office.run_job("discard", vec![id]).await;
    let asked = [(raised.event_id.clone(), false), (raised.event_id.clone(), true)];
    assert_eq!(office.replayed().await, asked, "the service discards it, too");
    assert_eq!(office.receive(&raised).await.state, State::Discarded);
});
