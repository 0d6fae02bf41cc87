//! That something changed, for screens that are open: one watch on the bus for the whole process,
//! passed on to everybody who listens.
//!
//! A notice says what changed and nothing else; whoever wants to know more asks the service with
//! their own rights. It may be lost, doubled or late: a screen that was away reads anew. What
//! concerns everybody at a screen goes its own way, or an import would drown it. Deliberately
//! absent: consuming events (the gateway keeps nothing), state in notices.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::try_join_all;
use futures::{StreamExt, stream};
use kit::Result;
use kit::bus::{Bus, Watch};
use proto::events::Envelope;
use proto::events::envelope::Payload;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

/// Notices that a listener may be behind; then it is told that it missed some.
const BEHIND: usize = 256;
/// Between two attempts to look.
const PAUSE: Duration = Duration::from_secs(2);

/// Ids of deliveries that changed together.
pub type Notice = Arc<[String]>;

/// What everybody may see of the office they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfficeNotice {
    /// The setting with this id.
    Setting(String),
    /// What somebody is told: this user alone, or, without one, anybody.
    Announcement { seen_by: Option<String> },
}

#[derive(Clone)]
pub struct Notices {
    deliveries: broadcast::Sender<Notice>,
    office: broadcast::Sender<OfficeNotice>,
    /// Counted beside the channel, for those who only look now and then.
    settings: Arc<AtomicU64>,
}

impl Default for Notices {
    fn default() -> Self {
        let (deliveries, office) = (broadcast::Sender::new(BEHIND), broadcast::Sender::new(BEHIND));
        Self { deliveries, office, settings: Arc::default() }
    }
}

impl Notices {
    /// Deliveries that change from now on.
    pub fn listen(&self) -> broadcast::Receiver<Notice> {
        self.deliveries.subscribe()
    }

    /// What changes for everybody from now on.
    pub fn listen_to_office(&self) -> broadcast::Receiver<OfficeNotice> {
        self.office.subscribe()
    }

    /// How often a setting changed since this process began.
    pub fn settings_changed(&self) -> u64 {
        self.settings.load(Ordering::Acquire)
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
            self.pass(&envelope);
        }
    }

    /// Nobody listening in this moment is no failure.
    fn pass(&self, envelope: &Envelope) {
        let ids = deliveries(envelope);
        if !ids.is_empty() {
            let _ = self.deliveries.send(ids.into());
        }
        if let Some(notice) = office(envelope) {
            if let OfficeNotice::Setting(_) = notice {
                self.settings.fetch_add(1, Ordering::Release);
            }
            let _ = self.office.send(notice);
        }
    }
}

#[cfg(test)]
impl Notices {
    pub fn tell(&self, ids: &[&str]) {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let _ = self.deliveries.send(ids.into());
    }
}

async fn watch(bus: &Bus) -> Result<Watch> {
    let subjects = proto::events::watched();
    let watches = subjects.iter().map(|subject| bus.watch(subject));
    Ok(stream::select_all(try_join_all(watches).await?).boxed())
}

fn deliveries(envelope: &Envelope) -> Vec<String> {
    match &envelope.payload {
        Some(Payload::DeliveryChanged(it)) => it.delivery.iter().map(|it| it.id.clone()).collect(),
        Some(Payload::DeliveriesImported(it)) => it.deliveries.iter().map(|it| it.id.clone()).collect(),
        _ => Vec::new(),
    }
}

fn office(envelope: &Envelope) -> Option<OfficeNotice> {
    match &envelope.payload {
        Some(Payload::SettingChanged(it)) => Some(OfficeNotice::Setting(it.id.clone())),
        Some(Payload::AnnouncementChanged(it)) => {
            let seen_by = Some(it.seen_by.clone()).filter(|user| !user.is_empty());
            Some(OfficeNotice::Announcement { seen_by })
        }
        _ => None,
    }
}
