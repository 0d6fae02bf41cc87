//! Notices of changes for open screens: one watch on the bus for the whole process, forwarded to all
//! listeners.
//!
//! A notice says only what changed; a listener who wants more asks the service with their own permissions. A
//! notice may be lost, doubled or late: a screen that missed some reads again. Notices for everybody have a
//! channel of their own, because an import would drown them otherwise. Deliberately absent: consuming events
//! (the gateway stores nothing), state in notices.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use kit::Result;
use kit::bus::{Bus, Watch, Watched};
use proto::events::Envelope;
use proto::events::envelope::Payload;
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Number of notices that a listener may lag behind; beyond it, the listener learns that it missed some.
const BEHIND: usize = 256;
/// Pause between two attempts to watch the bus.
const PAUSE: Duration = Duration::from_secs(2);
/// Wait between missed events and the notice that makes listeners read again. Meanwhile, the server accepts the
/// subscriptions of a new connection, and many missed events become one notice.
const SETTLE: Duration = Duration::from_secs(1);

/// Changes of deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The deliveries with these ids changed together.
    Changed(Arc<[String]>),
    /// Any delivery may have changed.
    Missed,
}

/// Changes that everybody in the office may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfficeNotice {
    /// The setting with this id has changed.
    Setting(String),
    /// An announcement. `seen_by` is the only user whom it concerns; `None` means that it may concern
    /// anybody.
    Announcement { seen_by: Option<String> },
    /// Any setting or announcement may have changed.
    Missed,
}

#[derive(Clone)]
pub struct Notices {
    deliveries: broadcast::Sender<Notice>,
    office: broadcast::Sender<OfficeNotice>,
    /// Counts changes of settings, for readers that do not listen to the channel.
    settings: Arc<AtomicU64>,
}

impl Default for Notices {
    fn default() -> Self {
        let (deliveries, office) = (broadcast::Sender::new(BEHIND), broadcast::Sender::new(BEHIND));
        Self { deliveries, office, settings: Arc::default() }
    }
}

impl Notices {
    /// Listens to changes of deliveries from now on.
    pub fn listen(&self) -> broadcast::Receiver<Notice> {
        self.deliveries.subscribe()
    }

    /// Listens to changes that concern the whole office from now on.
    pub fn listen_to_office(&self) -> broadcast::Receiver<OfficeNotice> {
        self.office.subscribe()
    }

    /// Sends a notice to listeners of this process only.
    pub fn notify_office(&self, notice: OfficeNotice) {
        let _ = self.office.send(notice);
    }

    /// Returns how often a setting has changed, or may have, since this process began.
    pub fn settings_changed(&self) -> u64 {
        self.settings.load(Ordering::Acquire)
    }

    /// Forwards events of the bus until stopped. Retries while the bus cannot be reached; meanwhile, screens
    /// show only what they read themselves.
    pub async fn run(self, bus: Bus, stop: CancellationToken) -> Result<()> {
        let mut is_first = true;
        while !stop.is_cancelled() {
            match bus.watch(&proto::events::watched()).await {
                Ok(watch) => {
                    // Events since the previous watch ended were missed.
                    if !is_first {
                        self.missed();
                    }
                    tokio::select! {
                        () = self.pass_on(watch) => {
                            tracing::warn!("watching for changes ended, will be begun again");
                        }
                        () = stop.cancelled() => break,
                    }
                }
                Err(error) => error.log(),
            }
            is_first = false;
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(())
    }

    async fn pass_on(&self, mut watch: Watch) {
        let mut due: Option<Instant> = None;
        loop {
            tokio::select! {
                watched = watch.next() => match watched {
                    Some(Watched::Event(envelope)) => self.pass(&envelope),
                    Some(Watched::Missed) => due = due.or(Some(Instant::now() + SETTLE)),
                    None => break,
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    due = None;
                    self.missed();
                }
            }
        }
        if due.is_some() {
            self.missed();
        }
    }

    /// Makes all listeners read again, because events may be missing.
    pub(crate) fn missed(&self) {
        let _ = self.deliveries.send(Notice::Missed);
        self.settings.fetch_add(1, Ordering::Release);
        self.notify_office(OfficeNotice::Missed);
    }

    /// Forwards the event. Sending fails only if nobody listens, which is fine.
    fn pass(&self, envelope: &Envelope) {
        let ids = deliveries(envelope);
        if !ids.is_empty() {
            let _ = self.deliveries.send(Notice::Changed(ids.into()));
        }
        if let Some(notice) = office(envelope) {
            if let OfficeNotice::Setting(_) = notice {
                self.settings.fetch_add(1, Ordering::Release);
            }
            self.notify_office(notice);
        }
    }
}

#[cfg(test)]
impl Notices {
    pub fn tell(&self, ids: &[&str]) {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let _ = self.deliveries.send(Notice::Changed(ids.into()));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_listener_learns_that_the_bus_was_away() {
        let notices = Notices::default();
        let (mut deliveries, mut office) = (notices.listen(), notices.listen_to_office());
        notices.pass_on(futures::stream::iter([Watched::Missed]).boxed()).await;
        assert_eq!(deliveries.recv().await.unwrap(), Notice::Missed);
        assert_eq!(office.recv().await.unwrap(), OfficeNotice::Missed);
        assert_eq!(notices.settings_changed(), 1, "settings are read again");
    }

    #[tokio::test(start_paused = true)]
    async fn many_missed_events_are_one_notice() {
        let notices = Notices::default();
        let mut deliveries = notices.listen();
        let missed = futures::stream::iter((0..9).map(|_| Watched::Missed));
        let watching = notices.pass_on(missed.chain(futures::stream::pending()).boxed());
        assert!(tokio::time::timeout(3 * SETTLE, watching).await.is_err());
        assert_eq!(deliveries.recv().await.unwrap(), Notice::Missed);
        assert!(deliveries.is_empty());
    }
}
