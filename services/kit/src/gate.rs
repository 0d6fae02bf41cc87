//! Bounds work that takes much time or memory: some of it runs, some waits, the rest is refused.
//!
//! See [`crate::shares`] for bounds of what does not wait, with a share for each who asks.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets a number of tasks run and a number of others wait for their turn. Cheap to clone.
#[derive(Clone)]
pub struct Gate {
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
    pub fn new(workers: usize, waiting: usize) -> Self {
        let room = workers.saturating_add(waiting).min(Semaphore::MAX_PERMITS);
        Self { workers: Arc::new(Semaphore::new(workers)), room: Arc::new(Semaphore::new(room)) }
    }

    /// Returns a place in the queue; nothing when too many run or wait already.
    pub fn queue(&self) -> Option<Queued> {
        let room = self.room.clone().try_acquire_owned().ok()?;
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
        let gate = Gate::new(1, 1);
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
        let gate = Gate::new(1, 1);
        let _running = gate.enter().await.unwrap();
        drop(gate.queue().unwrap());
        assert!(gate.queue().is_some());
        assert!(Gate::new(0, 0).queue().is_none());
        assert!(Gate::new(1, usize::MAX).queue().is_some());
    }
}
