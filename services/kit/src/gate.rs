//! Bounds work that takes much time or memory: some of it runs, some waits, the rest is refused.
//!
//! See [`crate::shares`] for bounds of what does not wait, with a share for each who asks.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::metrics::{self, Gauge};

/// Lets a number of tasks run and a number of others wait for their turn. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
    /// In metrics.
    name: &'static str,
    workers: Arc<Semaphore>,
    /// For those that run or wait.
    room: Arc<Semaphore>,
}

/// A place among those that run or wait, without a turn yet.
pub struct Queued {
    workers: Arc<Semaphore>,
    room: OwnedSemaphorePermit,
}

/// The turn to run, until it is dropped. Keep it until the work is done, even when the caller has gone.
pub struct Turn {
    _worker: Option<OwnedSemaphorePermit>,
    _room: OwnedSemaphorePermit,
}

impl Gate {
    /// A gate that metrics know by this name.
    pub fn new(name: &'static str, workers: usize, waiting: usize) -> Self {
        let room = workers.saturating_add(waiting).min(Semaphore::MAX_PERMITS);
        let this =
            Self { name, workers: Arc::new(Semaphore::new(workers)), room: Arc::new(Semaphore::new(room)) };
        this.watch(workers, room);
        this
    }

    fn watch(&self, most: usize, room: usize) {
        let label = [("gate", self.name)];
        // Weak, so that a gate that is gone is not shown.
        let (workers, places) = (Arc::downgrade(&self.workers), Arc::downgrade(&self.room));
        let running = move || Some(most.saturating_sub(workers.upgrade()?.available_permits()));
        let inside = move || Some(room.saturating_sub(places.upgrade()?.available_permits()));
        let is_running = running.clone();
        metrics::watch(Gauge::GateRunning, &label, move || Some(is_running()? as f64));
        let is_running = running.clone();
        metrics::watch(Gauge::GateWaiting, &label, move || {
            Some(inside()?.saturating_sub(is_running()?) as f64)
        });
        metrics::watch(Gauge::GateLimit, &label, move || running().map(|_| most as f64));
    }

    /// Returns a place in the queue; nothing when too many run or wait already.
    pub fn queue(&self) -> Option<Queued> {
        let Ok(room) = self.room.clone().try_acquire_owned() else {
            metrics::refused(self.name);
            return None;
        };
        Some(Queued { workers: self.workers.clone(), room })
    }

    /// Waits for a turn; nothing when too many run or wait already.
    pub async fn enter(&self) -> Option<Turn> {
        Some(self.queue()?.turn().await)
    }
}

impl Queued {
    /// Waits for the turn.
    pub async fn turn(self) -> Turn {
        // Fails only once the semaphore is closed, which this one never is.
        let worker = self.workers.acquire_owned().await.ok();
        Turn { _worker: worker, _room: self.room }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn some_run_some_wait_and_the_rest_is_refused() {
        let gate = Gate::new("test", 1, 1);
        let running = gate.enter().await.unwrap();
        let mut waiting = Box::pin(gate.enter());
        assert!(futures::poll!(&mut waiting).is_pending());
        assert!(gate.queue().is_none() && gate.enter().await.is_none());
        drop(running);
        let running = waiting.await.unwrap();
        let queued = gate.queue().unwrap();
        assert!(gate.queue().is_none());
        drop(running);
        let _running = queued.turn().await;
        assert!(gate.queue().is_some());
    }

    #[tokio::test]
    async fn one_that_gives_up_waiting_makes_room() {
        let gate = Gate::new("test", 1, 1);
        let _running = gate.enter().await.unwrap();
        drop(gate.queue().unwrap());
        assert!(gate.queue().is_some());
        assert!(Gate::new("test", 0, 0).queue().is_none());
        assert!(Gate::new("test", 1, usize::MAX).queue().is_some());
    }
}
