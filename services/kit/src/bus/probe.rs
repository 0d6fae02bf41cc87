//! A consumer for tests that records everything and fails on request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use proto::events::Envelope;
use tokio::sync::{Semaphore, watch};

use super::{Consumer, DeadLetters, Earlier, EncodedEvent, End, Handler, RawMessage};
use crate::{Error, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dead {
    pub id: String,
    pub subject: String,
    pub consumer: String,
    pub attempts: u32,
    pub last_error: String,
    pub payload: Vec<u8>,
}

/// Handler and dead letter sink in one.
#[derive(Clone, Default)]
pub(super) struct Probe(Arc<State>);

#[derive(Default)]
struct State {
    seen: Mutex<Vec<Envelope>>,
    done: Mutex<Vec<String>>,
    dead: Mutex<Vec<Dead>>,
    fail: AtomicU32,
    away: AtomicBool,
    notes: Mutex<HashMap<String, Note>>,
    panic: AtomicU32,
    hang: AtomicU32,
    refuse: AtomicU32,
    refused: AtomicU32,
    gate: Mutex<Option<Arc<Semaphore>>>,
    changed: watch::Sender<()>,
}

/// What is noted about an event: how often it failed, and how long its running attempt has been running.
#[derive(Clone, Copy, Default)]
struct Note {
    failures: u32,
    running: Option<Duration>,
}

fn take(counter: &AtomicU32) -> bool {
    counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok()
}

impl Probe {
    pub(super) fn consumer(&self, name: &'static str, subject: &str) -> Consumer {
        Consumer {
            name,
            subject: subject.to_owned(),
            handler: Arc::new(self.clone()),
            dead_letters: Arc::new(self.clone()),
        }
    }

    pub(super) fn fail_first(&self, times: u32) {
        self.0.fail.store(times, Ordering::SeqCst);
    }

    /// Simulates an outage of the probe's storage: it can neither handle nor note anything.
    pub(super) fn go_away(&self, away: bool) {
        self.0.away.store(away, Ordering::SeqCst);
    }

    /// Starts with the failure notes of another probe, like a restarted process.
    pub(super) fn after(other: &Self) -> Self {
        let new = Self::default();
        *new.0.notes.lock().unwrap() = other.0.notes.lock().unwrap().clone();
        new
    }

    /// Pretends that running attempts began so long ago that their processes must have died.
    pub(super) fn age_attempts(&self) {
        for note in self.0.notes.lock().unwrap().values_mut() {
            note.running = note.running.map(|_| Duration::MAX);
        }
    }

    pub(super) fn refuse_dead_letters(&self, times: u32) {
        self.0.refuse.store(times, Ordering::SeqCst);
    }

    pub(super) fn hang_first(&self, times: u32) {
        self.0.hang.store(times, Ordering::SeqCst);
    }

    pub(super) fn panic_first(&self, times: u32) {
        self.0.panic.store(times, Ordering::SeqCst);
    }

    /// Makes each handling of an event wait for a permit of `gate`.
    pub(super) fn wait_at(&self, gate: &Arc<Semaphore>) {
        *self.0.gate.lock().unwrap() = Some(gate.clone());
    }

    /// Returns how many dead letters could not be stored.
    pub(super) fn refused(&self) -> u32 {
        self.0.refused.load(Ordering::SeqCst)
    }

    pub(super) fn seen(&self) -> Vec<Envelope> {
        self.0.seen.lock().unwrap().clone()
    }

    pub(super) fn done(&self) -> Vec<String> {
        self.0.done.lock().unwrap().clone()
    }

    pub(super) fn dead(&self) -> Vec<Dead> {
        self.0.dead.lock().unwrap().clone()
    }

    pub(super) async fn until(&self, what: impl Fn(&Self) -> bool) {
        let mut changed = self.0.changed.subscribe();
        let waiting = async {
            while !what(self) {
                changed.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(Duration::from_secs(20), waiting).await.is_err() {
            panic!(
                "waited in vain: seen {:?}, done {:?}, dead {:?}",
                self.seen().len(),
                self.done(),
                self.dead()
            );
        }
    }

    fn is_there(&self) -> Result<()> {
        match self.0.away.load(Ordering::SeqCst) {
            true => Err(Error::unavailable("DATABASE_AWAY", "the database is away")),
            false => Ok(()),
        }
    }

    fn bury(&self, dead: Dead) -> Result<()> {
        self.is_there()?;
        if take(&self.0.refuse) {
            self.0.refused.fetch_add(1, Ordering::SeqCst);
            self.0.changed.send_replace(());
            return Err(Error::unavailable("SINK_DOWN", "no outbox today"));
        }
        self.0.dead.lock().unwrap().push(dead);
        self.0.changed.send_replace(());
        Ok(())
    }
}

#[async_trait]
impl Handler for Probe {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        self.0.seen.lock().unwrap().push(envelope.clone());
        self.0.changed.send_replace(());
        self.is_there()?;
        if take(&self.0.hang) {
            std::future::pending::<()>().await;
        }
        let gate = self.0.gate.lock().unwrap().clone();
        if let Some(gate) = gate {
            gate.acquire().await.unwrap().forget();
        }
        if take(&self.0.panic) {
            panic!("handler panics on purpose");
        }
        if take(&self.0.fail) {
            return Err(Error::internal("password=hunter2"));
        }
        self.0.done.lock().unwrap().push(envelope.id.clone());
        self.0.changed.send_replace(());
        Ok(())
    }
}

#[async_trait]
impl DeadLetters for Probe {
    async fn begin(&self, _: &str, event_id: &str, longest: Duration) -> Result<Earlier> {
        self.is_there()?;
        if self.dead().iter().any(|dead| dead.id == event_id) {
            return Ok(Earlier::GivenUp);
        }
        let mut notes = self.0.notes.lock().unwrap();
        let note = notes.entry(event_id.to_owned()).or_default();
        if note.running.is_some_and(|time| time < longest) {
            return Ok(Earlier::Running);
        }
        let died = note.running.is_some();
        note.failures += u32::from(died);
        note.running = Some(Duration::ZERO);
        Ok(Earlier::Tried { failures: note.failures, died })
    }

    async fn end(&self, _: &str, event_id: &str, how: End) -> Result<u32> {
        self.is_there()?;
        let mut notes = self.0.notes.lock().unwrap();
        let note = notes.entry(event_id.to_owned()).or_default();
        note.failures += u32::from(how == End::Failed);
        note.running = None;
        Ok(note.failures)
    }

    async fn raise(
        &self,
        event: &EncodedEvent,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()> {
        self.bury(Dead {
            id: event.envelope.id.clone(),
            subject: event.envelope.subject.clone(),
            consumer: consumer.to_owned(),
            attempts,
            last_error: last_error.to_owned(),
            payload: event.bytes.to_vec(),
        })
    }

    async fn raise_raw(
        &self,
        raw: &RawMessage<'_>,
        consumer: &str,
        attempts: u32,
        last_error: &str,
    ) -> Result<()> {
        self.bury(Dead {
            id: raw.id.to_owned(),
            subject: raw.subject.to_owned(),
            consumer: consumer.to_owned(),
            attempts,
            last_error: last_error.to_owned(),
            payload: raw.payload.to_vec(),
        })
    }
}
