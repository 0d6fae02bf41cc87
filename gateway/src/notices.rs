//! That something changed, for screens that are open: one watch on the bus for the whole process,
//! passed on to everybody who listens.
//!
//! A notice says which deliveries changed and nothing else; whoever wants to know more asks the
//! service with their own rights. It may be lost, doubled or late: a screen that was away reads
//! anew. Deliberately absent: consuming events (the gateway keeps nothing), state in notices.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use kit::Result;
use kit::bus::{Bus, Watch};
use proto::events::Envelope;
use proto::events::envelope::Payload;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

const CHANGED: &str = "waybill.deliveries.delivery.changed.v1";
const IMPORTED: &str = "waybill.deliveries.delivery.imported.v1";
/// Notices that a listener may be behind; then it is told that it missed some.
const BEHIND: usize = 256;
/// Between two attempts to look.
const PAUSE: Duration = Duration::from_secs(2);

/// Ids of deliveries that changed together.
pub type Notice = Arc<[String]>;

#[derive(Clone)]
pub struct Notices(broadcast::Sender<Notice>);

impl Default for Notices {
    fn default() -> Self {
        Self(broadcast::Sender::new(BEHIND))
    }
}

impl Notices {
    pub fn listen(&self) -> broadcast::Receiver<Notice> {
        self.0.subscribe()
    }

    /// Passes on what happens on the bus, until told to stop. A bus that cannot be reached is
    /// tried again: without it screens only show what they read.
    pub async fn run(self, bus: Bus, stop: CancellationToken) -> Result<()> {
        while !stop.is_cancelled() {
            match watch(&bus).await {
                Ok(events) => tokio::select! {
                    () = self.pass_on(events) => tracing::warn!("watching for changes ended, will be begun again"),
                    () = stop.cancelled() => break,
                },
                Err(error) => error.log(),
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(())
    }

    async fn pass_on(&self, mut events: Watch) {
        while let Some(envelope) = events.next().await {
            let ids = changed(&envelope);
            if !ids.is_empty() {
                // Nobody listening in this moment is no failure.
                let _ = self.0.send(ids.into());
            }
        }
    }
}

#[cfg(test)]
impl Notices {
    pub fn tell(&self, ids: &[&str]) {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let _ = self.0.send(ids.into());
    }
}

async fn watch(bus: &Bus) -> Result<Watch> {
    let (changed, imported) = (bus.watch(CHANGED).await?, bus.watch(IMPORTED).await?);
    Ok(stream::select(changed, imported).boxed())
}

fn changed(envelope: &Envelope) -> Vec<String> {
    match &envelope.payload {
        Some(Payload::DeliveryChanged(it)) => it.delivery.iter().map(|it| it.id.clone()).collect(),
        Some(Payload::DeliveriesImported(it)) => it.deliveries.iter().map(|it| it.id.clone()).collect(),
        _ => Vec::new(),
    }
}
