//! Drivers' locations for open screens: one poller for the whole process, which calls the drivers service
//! once a second while there are listeners, and never otherwise.
//!
//! The poller keeps the latest location of each driver, together with the number of the answer that contained
//! it. A listener keeps the number of the last answer that it has read. So even a slow listener finds the
//! latest location of each driver, and nothing piles up. If locations were dropped for lack of room, a
//! listener reads from the service itself. Deliberately absent: who may listen, which is checked before.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::text::fold;
use kit::{Error, Kind, Result};
use proto::drivers::v1::tracker_service_client::TrackerServiceClient;
use proto::drivers::v1::{ListLocationsRequest, ListLocationsResponse, Location};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Pause between two requests, and after a failed one.
const EVERY: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_secs(3);
/// After this many failed requests in a row, each listener reads for itself, and so learns of the failure.
const FAILURES: u32 = 3;
/// Maximum number of answers read one after the other before the next pause.
const MAX_ANSWERS: usize = 20;
/// Maximum size of an answer in bytes, and of a batch for a listener in locations.
const MAX_ANSWER: usize = 16 * 1024 * 1024;
const MAX_BATCH: usize = 2_000;
/// Maximum number of drivers that are kept. Beyond it, the drivers who moved longest ago are dropped.
const MAX_KEPT: usize = 20_000;

#[derive(Clone)]
pub struct Locations(Arc<Shared>);

struct Shared {
    drivers: Transport,
    identity: ServiceIdentity,
    stop: CancellationToken,
    kept: Mutex<Kept>,
    /// Number of the newest answer.
    newest: watch::Sender<u64>,
}

/// A message to a listener.
#[derive(Debug)]
pub enum Moved {
    Batch(Batch),
    /// Something was dropped, or cannot be read. The listener has to read from the service, starting at its last
    /// cursor, and then to listen again.
    Missed,
    /// This process is stopping.
    End,
}

#[derive(Debug, Default)]
pub struct Batch {
    pub locations: Vec<Arc<Location>>,
    /// The service's cursor after the last of these locations.
    pub cursor: Arc<str>,
    /// Whether more can be read right now.
    pub more: bool,
    seen: u64,
}

impl Locations {
    pub fn new(drivers: Transport, identity: ServiceIdentity, stop: CancellationToken) -> Self {
        let (kept, newest) = (Mutex::default(), watch::Sender::default());
        Self(Arc::new(Shared { drivers, identity, stop, kept, newest }))
    }

    /// Returns a listener for all locations that are read from now on.
    pub fn listen(&self) -> Listener {
        let mut kept = self.0.kept();
        kept.listeners += 1;
        if !kept.polling {
            kept.polling = true;
            tokio::spawn(self.0.clone().poll());
        }
        Listener { shared: self.0.clone(), numbers: self.0.newest.subscribe(), seen: kept.newest }
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn poll(self: Arc<Self>) {
        while self.kept().is_wanted() {
            let pause = match self.ask().await {
                Ok(()) => EVERY,
                Err(error) => {
                    error.log();
                    self.kept().failures += 1;
                    self.newest.send_modify(|_| {});
                    PAUSE
                }
            };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.stop.cancelled() => return,
            }
        }
    }

    async fn ask(&self) -> Result<()> {
        for _ in 0..MAX_ANSWERS {
            let token = self.identity.token()?;
            let client = TrackerServiceClient::new(self.drivers.with_token(token.into()));
            let mut client = client.max_decoding_message_size(MAX_ANSWER);
            let after = self.kept().cursor.clone();
            let ask = ListLocationsRequest { after, driver_ids: Vec::new() };
            let answer = client.list_locations(ask).await.map_err(Error::from).inspect_err(|error| {
                // A cursor that was refused would be refused again, so start without one.
                if error.kind == Kind::InvalidInput {
                    self.kept().cursor = None;
                }
            })?;
            let ListLocationsResponse { locations, cursor, more } = answer.into_inner();
            let newest = self.kept().put(locations, cursor);
            self.newest.send_if_modified(|known| std::mem::replace(known, newest) != newest);
            if !more {
                break;
            }
        }
        Ok(())
    }
}

/// The latest location of each driver who moved while somebody listened.
#[derive(Default)]
struct Kept {
    listeners: usize,
    polling: bool,
    /// Number of failed requests since the last answer.
    failures: u32,
    /// The cursor for the next request.
    cursor: Option<String>,
    answers: BTreeMap<u64, Answer>,
    /// Number of the answer that contains each driver's location.
    holding: HashMap<String, u64>,
    newest: u64,
    /// Number of the last answer that was dropped. Listeners that have not read it have missed something.
    gone: u64,
}

struct Answer {
    cursor: Arc<str>,
    /// The drivers' locations by the folded id of the driver.
    locations: HashMap<String, Arc<Location>>,
}

impl Kept {
    /// Returns whether to continue polling. Without listeners, drops everything but the cursor.
    fn is_wanted(&mut self) -> bool {
        self.polling = self.listeners > 0;
        if !self.polling {
            self.answers.clear();
            self.holding.clear();
            self.gone = self.newest;
            self.failures = 0;
        }
        self.polling
    }

    /// Stores an answer; returns its number. The service may repeat locations.
    fn put(&mut self, locations: Vec<Location>, cursor: String) -> u64 {
        self.failures = 0;
        let news = locations.into_iter().map(|it| (fold(&it.driver_id), Arc::new(it)));
        let news: HashMap<_, _> = news.filter(|(key, it)| self.is_news(key, it)).collect();
        if !news.is_empty() {
            self.newest += 1;
            for key in news.keys() {
                if let Some(before) = self.holding.insert(key.clone(), self.newest) {
                    self.take(before, key);
                }
            }
            let answer = Answer { cursor: cursor.as_str().into(), locations: news };
            self.answers.insert(self.newest, answer);
        }
        while self.holding.len() > MAX_KEPT {
            let Some((number, oldest)) = self.answers.pop_first() else { break };
            self.gone = number;
            oldest.locations.keys().for_each(|key| _ = self.holding.remove(key));
        }
        self.cursor = Some(cursor).filter(|it| !it.is_empty());
        self.newest
    }

    fn is_news(&self, key: &str, location: &Location) -> bool {
        let answer = self.holding.get(key).and_then(|number| self.answers.get(number));
        answer.and_then(|it| it.locations.get(key)).is_none_or(|it| it.version < location.version)
    }

    /// Removes a driver from the earlier answer that contained the driver's location.
    fn take(&mut self, number: u64, key: &str) {
        let Some(answer) = self.answers.get_mut(&number) else { return };
        answer.locations.remove(key);
        if answer.locations.is_empty() {
            self.answers.remove(&number);
        }
    }

    /// Returns the locations of all answers after the number `seen`; `None` if some of them were dropped or could not
    /// be read.
    fn since(&self, seen: u64, wanted: Option<&HashSet<String>>) -> Option<Batch> {
        if seen < self.gone || self.failures >= FAILURES {
            return None;
        }
        let mut batch = Batch { seen, ..Batch::default() };
        for (number, answer) in self.answers.range(seen + 1..) {
            let is_wanted = |key: &String| wanted.is_none_or(|wanted| wanted.contains(key));
            let found = answer.locations.iter().filter(|(key, _)| is_wanted(key));
            let found: Vec<_> = found.map(|(_, location)| location.clone()).collect();
            if !batch.locations.is_empty() && batch.locations.len() + found.len() > MAX_BATCH {
                batch.more = true;
                break;
            }
            batch.locations.extend(found);
            batch.cursor = answer.cursor.clone();
            batch.seen = *number;
        }
        Some(batch)
    }
}

/// A listener. Dropping it ends listening.
pub struct Listener {
    shared: Arc<Shared>,
    numbers: watch::Receiver<u64>,
    seen: u64,
}

impl Listener {
    /// Returns what has moved since the last call, among the wanted drivers; waits if nothing has.
    pub async fn next(&mut self, wanted: Option<&HashSet<String>>) -> Moved {
        loop {
            // Mark as seen before looking, because otherwise a change in between would be missed.
            self.numbers.borrow_and_update();
            match self.look(wanted) {
                Moved::Batch(batch) if batch.locations.is_empty() => {}
                moved => return moved,
            }
            tokio::select! {
                changed = self.numbers.changed() => if changed.is_err() { return Moved::End },
                () = self.shared.stop.cancelled() => return Moved::End,
            }
        }
    }

    fn look(&mut self, wanted: Option<&HashSet<String>>) -> Moved {
        let kept = self.shared.kept();
        let Some(batch) = kept.since(self.seen, wanted) else {
            self.seen = kept.newest;
            return Moved::Missed;
        };
        self.seen = batch.seen;
        Moved::Batch(batch)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.kept().listeners -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(id: &str, version: u64) -> Location {
        Location { driver_id: id.into(), version, ..Location::default() }
    }

    fn told(batch: &Batch) -> Vec<(String, u64)> {
        let mut told: Vec<_> = batch.locations.iter().map(|it| (it.driver_id.clone(), it.version)).collect();
        told.sort();
        told
    }

    fn expect(what: &[(&str, u64)]) -> Vec<(String, u64)> {
        what.iter().map(|(id, version)| ((*id).to_owned(), *version)).collect()
    }

    #[test]
    fn whoever_is_slow_finds_the_latest_of_each() {
        let mut kept = Kept::default();
        kept.put(vec![at("A", 1), at("B", 2)], "c2".into());
        let quick = kept.since(0, None).unwrap();
        assert_eq!((told(&quick), &*quick.cursor), (expect(&[("A", 1), ("B", 2)]), "c2"));
        for n in 3..1_000 {
            kept.put(vec![at("a", n)], format!("c{n}"));
        }
        assert_eq!(told(&kept.since(quick.seen, None).unwrap()), expect(&[("a", 999)]));
        let slow = kept.since(0, None).unwrap();
        assert_eq!((told(&slow), &*slow.cursor), (expect(&[("B", 2), ("a", 999)]), "c999"));
        assert_eq!((kept.answers.len(), kept.holding.len()), (2, 2), "nothing piles up");
        let again = kept.since(slow.seen, None).unwrap();
        assert!(again.locations.is_empty() && !again.more);
        kept.put(vec![at("A", 999), at("B", 1)], "c1000".into());
        assert_eq!(kept.newest, slow.seen, "what is known is no news");
        assert_eq!(kept.cursor.as_deref(), Some("c1000"));
    }

    #[test]
    fn only_those_who_are_wanted_are_told() {
        let mut kept = Kept::default();
        kept.put(vec![at("A/1", 1), at("B", 2)], "c2".into());
        let wanted = HashSet::from([fold(" a/1 ")]);
        let batch = kept.since(0, Some(&wanted)).unwrap();
        assert_eq!(told(&batch), expect(&[("A/1", 1)]));
        kept.put(vec![at("B", 3)], "c3".into());
        let batch = kept.since(batch.seen, Some(&wanted)).unwrap();
        assert!(batch.locations.is_empty());
        assert_eq!(batch.seen, kept.newest, "and the others are not looked at again");
    }

    #[test]
    fn much_comes_in_parts_that_end_at_a_cursor() {
        let mut kept = Kept::default();
        for n in 0..3 {
            let locations = (0..1_500).map(|id| at(&format!("{n}-{id}"), 1)).collect();
            kept.put(locations, format!("c{n}"));
        }
        let (mut seen, mut cursors, mut count) = (0, Vec::new(), 0);
        loop {
            let batch = kept.since(seen, None).unwrap();
            assert!(batch.locations.len() <= MAX_BATCH);
            count += batch.locations.len();
            cursors.push(batch.cursor.to_string());
            seen = batch.seen;
            if !batch.more {
                break;
            }
        }
        assert_eq!((cursors, count), (vec!["c0".into(), "c1".into(), "c2".into()], 4_500));
    }

    #[test]
    fn what_has_no_room_is_missed_and_said_so() {
        let mut kept = Kept::default();
        for n in 0..25 {
            let locations = (0..1_000).map(|id| at(&format!("{n}-{id}"), 1)).collect();
            kept.put(locations, format!("c{n}"));
        }
        assert_eq!(kept.holding.len(), MAX_KEPT);
        assert!(kept.since(0, None).is_none());
        assert!(kept.since(kept.gone, None).is_some());
        kept.listeners = 1;
        assert!(kept.is_wanted());
        kept.listeners = 0;
        assert!(!kept.is_wanted() && kept.holding.is_empty() && kept.answers.is_empty());
        assert_eq!(kept.cursor.as_deref(), Some("c24"), "the next one goes on from there");
        assert!(kept.since(kept.newest, None).is_some());
    }
}
