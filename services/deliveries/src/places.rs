//! Work that takes much time or memory: so much of it at once, so much waiting, and the rest is told to
//! come back.

use std::sync::Arc;

use kit::{Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Clone)]
pub struct Places {
    /// For those that work.
    workers: Arc<Semaphore>,
    /// For those that work or wait.
    room: Arc<Semaphore>,
}

/// The right to work; given back when it is dropped.
pub struct Place {
    _worker: OwnedSemaphorePermit,
    _room: OwnedSemaphorePermit,
}

impl Places {
    pub fn new(workers: usize, waiting: usize) -> Self {
        Self { workers: Arc::new(Semaphore::new(workers)), room: Arc::new(Semaphore::new(workers + waiting)) }
    }

    /// Waits for its turn, unless too many wait already.
    pub async fn take(&self) -> Result<Place> {
        let room = self.room.clone().try_acquire_owned().map_err(|_| busy())?;
        let worker = self.workers.clone().acquire_owned().await.map_err(Error::internal)?;
        Ok(Place { _worker: worker, _room: room })
    }
}

fn busy() -> Error {
    Error::unavailable(
        "FORMS_BUSY",
        "Too many files and forms are under way right now. Try again in a moment.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Kind;

    #[tokio::test]
    async fn who_finds_no_room_is_told_to_come_back() {
        let places = Places::new(1, 1);
        let working = places.take().await.unwrap();
        let waiting = tokio::spawn({
            let places = places.clone();
            async move { places.take().await.map(|_| ()) }
        });
        while places.room.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let error = places.take().await.err().unwrap();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unavailable, "FORMS_BUSY"));
        drop(working);
        waiting.await.unwrap().unwrap();
        assert!(places.take().await.is_ok());
    }
}
