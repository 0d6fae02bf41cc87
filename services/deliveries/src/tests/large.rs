//! A delivery with more lines than any event can carry.

use std::sync::{Arc, Mutex};

use ::store::outbox;
use ::store::relay::{Publish, Relay};
use kit::bus::EncodedEvent;
use proto::events::Envelope;
use proto::events::envelope::Payload;

use super::office::{Office, outcome};
use super::*;
use kit::Role;
use proto::deliveries::v1::DeliveryStatus;

/// The maximum number of lines of a delivery.
const LINES: usize = 5_000;
/// The default limit of a NATS server for one message, in bytes.
const NATS_LIMIT: usize = 1 << 20;

#[derive(Clone, Default)]
struct Broker(Arc<Mutex<Vec<Envelope>>>);

#[async_trait::async_trait]
impl Publish for Broker {
    async fn publish(&self, event: &EncodedEvent, _: u32) -> Result<()> {
        if event.bytes.len() > NATS_LIMIT {
            return Err(kit::Error::invalid("EVENT_TOO_LARGE", "The event is too large"));
        }
        self.0.lock().unwrap().push(event.envelope.clone());
        Ok(())
    }

    fn keeps_events(&self) -> bool {
        true
    }
}

// A driver may report a delivery of this size as undelivered, which creates a variance for each line. The
// outcome must not block the service's later events.
on_both!(a_delivery_of_any_length_can_fail, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    let upload = new_id();
    let rows: Vec<Row> =
        (0..LINES).map(|at| row(at as u32 + 2, "DR-1", "S-1", &format!("item-{at:050}"), 1_000)).collect();
    for (number, rows) in rows.chunks(1_000).enumerate() {
        import(&db, upload, number as i32, rows.to_vec()).await.unwrap();
    }
    office
        .record(Role::Dispatcher, outcome("DR-1", Some(DeliveryStatus::Undelivered), vec![]))
        .await
        .unwrap();
    office.create("DR-2", "S-2", office::two_items()).await;

    let broker = Broker::default();
    let relay = Relay::new(db.clone(), broker.clone());
    while relay.relay().await.unwrap() > 0 {}
    assert_eq!((outbox::waiting(&db).await.unwrap(), outbox::refused(&db).await.unwrap()), (0, 0));
    let sent = broker.0.lock().unwrap().clone();
    let changed: Vec<_> = sent
        .into_iter()
        .filter_map(|it| match it.payload {
            Some(Payload::DeliveryChanged(changed)) => Some(changed),
            _ => None,
        })
        .collect();
    let (failed, created) = (&changed[0], &changed[1]);
    assert_eq!((failed.variance_count as usize, failed.variances.len()), (LINES, 200));
    assert_eq!(created.delivery.as_ref().unwrap().id, "DR-2", "and those behind it leave");
});
