//! Changes of deliveries for open screens.
//!
//! A subscription learns of changes by notices and reads each changed delivery with the subscriber's own
//! token, so it shows only what the subscriber could query. Who requests only ids gets them without a read,
//! those of deleted deliveries included. Several changes of one delivery in a short time
//! become one message with the latest state. Deliberately absent: catching up after a lost connection. The
//! screen queries again instead.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use async_graphql::{Context, SimpleObject, Subscription};
use futures::Stream;
use futures::stream::unfold;
use kit::text::fold;
use kit::{Error, Role};
use proto::deliveries::v1 as contract;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::Instant;

use super::clients;
use super::deliveries::Delivery;
use super::error::{Failure, found};
use super::viewer::viewer;
use crate::notices::Notice;

/// Maximum deliveries that one subscription may name: more than a screen shows.
const MAX_IDS: usize = 200;
/// Minimum time between two messages about the same delivery.
const CALM: Duration = Duration::from_millis(200);
/// Minimum time between two ids that are sent without their delivery: an import must not flood everybody who
/// watches a list.
const GAP: Duration = Duration::from_millis(20);
/// Maximum number of ids waiting to be sent without their delivery; further ids are dropped.
const MAX_WAITING: usize = 1000;
/// Minimum time between two messages to a screen that only wants to know whether anything has changed.
const LIST_GAP: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct DeliverySubscription;

#[Subscription]
impl DeliverySubscription {
    /// Sends the named deliveries, at most 200, when they change. Without `ids`, sends only the ids of deliveries
    /// that change; during an import, not of every one.
    async fn delivery_changed(
        &self,
        ctx: &Context<'_>,
        ids: Option<Vec<String>>,
    ) -> Result<impl Stream<Item = DeliveryChange>, Failure> {
        let viewer = viewer(ctx)?;
        viewer.session()?.require(Role::STAFF)?;
        if ids.as_ref().is_some_and(|ids| ids.len() > MAX_IDS) {
            let text = format!("Ids must be no more than {MAX_IDS}");
            return Err(Error::invalid_field("ids", text).into());
        }
        let client = clients::deliveries(ctx)?;
        let shows_delivery = ctx.look_ahead().field("delivery").exists();
        let waiting = Waiting::new(viewer.app.notices.listen(), ids);
        Ok(unfold((waiting, client), move |(mut waiting, mut client)| async move {
            loop {
                let id = waiting.next().await?;
                // An id alone reveals nothing, so it is sent even if the delivery cannot be read anymore.
                if waiting.named.is_none() || !shows_delivery {
                    return Some((DeliveryChange { id, delivery: None }, (waiting, client)));
                }
                // Drop cached lookups, because their entities may have changed since the previous message.
                viewer.forget_loaded();
                let answer =
                    client.get_delivery(contract::GetDeliveryRequest { id, ..Default::default() }).await;
                // If the delivery cannot be read now, drop the notice. Notices may be lost anyway.
                if let Ok(Some(delivery)) = found(answer) {
                    let change =
                        DeliveryChange { id: delivery.id.clone(), delivery: Some(Delivery(delivery)) };
                    return Some((change, (waiting, client)));
                }
            }
        }))
    }

    /// Emits true when any delivery has changed, at most once a second. For lists, which then reload.
    async fn deliveries_changed(&self, ctx: &Context<'_>) -> Result<impl Stream<Item = bool>, Failure> {
        let viewer = viewer(ctx)?;
        viewer.session()?.require(Role::STAFF)?;
        let notices = viewer.app.notices.listen();
        Ok(unfold((notices, Instant::now()), |(mut notices, due)| async move {
            if matches!(notices.recv().await, Err(RecvError::Closed)) {
                return None;
            }
            tokio::time::sleep_until(due).await;
            // Skips the notices that came meanwhile: lists reload after this message, so it covers them.
            Some((true, (notices.resubscribe(), Instant::now() + LIST_GAP)))
        }))
    }
}

#[derive(SimpleObject)]
pub struct DeliveryChange {
    id: String,
    /// The changed delivery; null if the request named no ids.
    delivery: Option<Delivery>,
}

/// Ids of changed deliveries that are still to be sent, each once.
struct Waiting {
    notices: Receiver<Notice>,
    /// The ids that the subscriber named, in the subscriber's spelling, by folded id.
    named: Option<HashMap<String, String>>,
    queue: VecDeque<String>,
    queued: HashSet<String>,
    /// Ids that were sent recently, and when.
    told: HashMap<String, Instant>,
    /// The time from which the next id may be sent without its delivery.
    next: Instant,
}

impl Waiting {
    fn new(notices: Receiver<Notice>, ids: Option<Vec<String>>) -> Self {
        let named = ids.map(|ids| ids.into_iter().map(|id| (fold(&id), id)).collect());
        Self {
            notices,
            named,
            queue: VecDeque::new(),
            queued: HashSet::new(),
            told: HashMap::new(),
            next: Instant::now(),
        }
    }

    /// Returns the next id to send; `None` when there will be no more notices.
    async fn next(&mut self) -> Option<String> {
        loop {
            loop {
                match self.notices.try_recv() {
                    Ok(notice) => self.note(&notice),
                    Err(TryRecvError::Lagged(_)) => self.missed(),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Closed) => return None,
                }
            }
            let due = match self.due(Instant::now()) {
                Ok(id) => return Some(id),
                Err(due) => due,
            };
            let more = tokio::select! {
                more = self.notices.recv() => more,
                () = async { tokio::time::sleep_until(due.unwrap_or_else(Instant::now)).await }, if due.is_some() => {
                    continue;
                }
            };
            match more {
                Ok(notice) => self.note(&notice),
                Err(RecvError::Lagged(_)) => self.missed(),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn note(&mut self, notice: &Notice) {
        match notice {
            Notice::Changed(ids) => self.take(ids),
            Notice::Missed => self.missed(),
        }
    }

    fn take(&mut self, ids: &[String]) {
        for id in ids {
            let key = fold(id);
            let wanted = match &self.named {
                Some(named) => named.contains_key(&key),
                None => self.queue.len() < MAX_WAITING,
            };
            if wanted && self.queued.insert(key) {
                self.queue.push_back(id.clone());
            }
        }
    }

    /// Handles lost notices: assumes that all named deliveries have changed.
    fn missed(&mut self) {
        let named: Vec<String> = self.named.iter().flat_map(HashMap::values).cloned().collect();
        self.take(&named);
    }

    /// Returns an id that may be sent now. If there is none, returns the time at which the next one may be
    /// sent, or `None` if no id is waiting.
    fn due(&mut self, now: Instant) -> Result<String, Option<Instant>> {
        self.told.retain(|_, at| *at + CALM > now);
        if self.queue.is_empty() {
            return Err(None);
        }
        if self.named.is_none() && now < self.next {
            return Err(Some(self.next));
        }
        let ready = self.queue.iter().position(|id| !self.told.contains_key(&fold(id)));
        let Some(id) = ready.and_then(|at| self.queue.remove(at)) else {
            // All waiting ids were sent recently: wait for the earliest.
            return Err(self.told.values().min().map(|at| *at + CALM));
        };
        let key = fold(&id);
        self.queued.remove(&key);
        self.told.insert(key, now);
        self.next = now + GAP;
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::Notices;

    fn waiting(ids: Option<&[&str]>) -> (Notices, Waiting) {
        let notices = Notices::default();
        let ids = ids.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
        let waiting = Waiting::new(notices.listen(), ids);
        (notices, waiting)
    }

    async fn soon(waiting: &mut Waiting) -> Option<String> {
        tokio::time::timeout(Duration::from_secs(5), waiting.next()).await.ok().flatten()
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_about_one_delivery_is_told_at_once_and_once_more_at_its_end() {
        let (notices, mut waiting) = waiting(Some(&["d-1", "d-2"]));
        notices.tell(&["D-1"]);
        assert_eq!(soon(&mut waiting).await.as_deref(), Some("D-1"));
        let begun = Instant::now();
        for _ in 0..50 {
            notices.tell(&["D-1", "D-3"]);
        }
        notices.tell(&["d-2"]);
        assert_eq!(soon(&mut waiting).await.as_deref(), Some("d-2"), "another one is not held up");
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(soon(&mut waiting).await.as_deref(), Some("D-1"));
        assert!(begun.elapsed() >= CALM, "{:?}", begun.elapsed());
        assert_eq!(soon(&mut waiting).await, None, "each once, and nothing that was not named");
    }

    #[tokio::test(start_paused = true)]
    async fn who_missed_notices_reads_all_that_was_named() {
        let (notices, mut waiting) = waiting(Some(&["A", "B"]));
        for _ in 0..1000 {
            notices.tell(&["other"]);
        }
        let mut told = vec![soon(&mut waiting).await.unwrap(), soon(&mut waiting).await.unwrap()];
        told.sort();
        assert_eq!(told, ["A", "B"]);
        assert_eq!(soon(&mut waiting).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_bus_was_away_all_that_was_named_is_read() {
        let (notices, mut waiting) = waiting(Some(&["A", "B"]));
        notices.missed();
        let mut told = vec![soon(&mut waiting).await.unwrap(), soon(&mut waiting).await.unwrap()];
        told.sort();
        assert_eq!(told, ["A", "B"]);
        assert_eq!(soon(&mut waiting).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn bare_ids_come_at_a_pace_and_are_bounded() {
        let (notices, mut waiting) = waiting(None);
        let many: Vec<String> = (0..5000).map(|n| format!("D-{n}")).collect();
        for ids in many.chunks(500) {
            notices.tell(&ids.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let begun = Instant::now();
        let mut told = 0;
        while soon(&mut waiting).await.is_some() {
            told += 1;
        }
        assert_eq!(told, MAX_WAITING);
        assert!(begun.elapsed() >= GAP * (MAX_WAITING as u32 - 1), "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn no_more_notices_end_the_stream() {
        let (notices, mut waiting) = waiting(None);
        drop(notices);
        assert_eq!(waiting.next().await, None);
    }
}
