//! Shares reads between equal requests that arrive at the same time, as when many screens follow the same change.
//!
//! Nobody gets an answer that was read before the request came: while one read runs, all requests that arrive wait
//! together for the next one. Nothing is kept once they have their answer.

use std::any::Any;
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use kit::Result;

type Answer = Arc<dyn Any + Send + Sync>;

/// Reads that are running or waited for, by what they read.
#[derive(Default)]
pub struct SharedReads {
    queues: Mutex<HashMap<String, Arc<Queue>>>,
}

#[derive(Default)]
struct Queue {
    /// Held during a read. Requests get it in the order of their arrival.
    turn: tokio::sync::Mutex<()>,
    /// The requests that arrived since the last read began.
    next: Mutex<Arc<Group>>,
}

/// Requests that wait for the same read.
#[derive(Default)]
struct Group {
    /// Set once the read has ended; `None` if it failed.
    answer: OnceLock<Option<Answer>>,
}

impl SharedReads {
    /// Returns what `read` reads, or an answer to an equal request. Requests are equal if their keys are; then their
    /// reads must be, too. `read` must not begin before it is polled.
    ///
    /// # Errors
    ///
    /// The error of this `read`: errors are not shared.
    pub async fn answer<T>(&self, key: String, read: impl Future<Output = Result<T>> + Send) -> Result<T>
    where
        T: Clone + Send + Sync + 'static,
    {
        let place = self.enter(key);
        let turn = place.queue.turn.lock().await;
        match place.group.answer.get() {
            None => {
                place.close_group();
                let result = read.await;
                let answer = result.as_ref().ok().map(|answer| Arc::new(answer.clone()) as Answer);
                // Nobody else sets it: this request has the turn.
                let _ = place.group.answer.set(answer);
                return result;
            }
            Some(Some(answer)) => {
                if let Some(answer) = answer.downcast_ref::<T>() {
                    return Ok(answer.clone());
                }
            }
            Some(None) => {}
        }
        // The others need not wait for a read that is not for them.
        drop(turn);
        read.await
    }

    fn enter(&self, key: String) -> Place<'_> {
        let queue = self.queues().entry(key.clone()).or_default().clone();
        let group = Arc::clone(&held(&queue.next));
        Place { reads: self, key, queue, group }
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<String, Arc<Queue>>> {
        held(&self.queues)
    }
}

/// The place of one request in a queue. The queue is removed with its last place.
struct Place<'a> {
    reads: &'a SharedReads,
    key: String,
    queue: Arc<Queue>,
    group: Arc<Group>,
}

impl Place<'_> {
    /// Makes later requests wait for another read.
    fn close_group(&self) {
        let mut next = held(&self.queue.next);
        // The group is closed already if the request that read for it was cancelled.
        if Arc::ptr_eq(&next, &self.group) {
            *next = Arc::default();
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut queues = self.reads.queues();
        // Give up the reference while the map is locked. Otherwise, two places that end at the same time would each
        // count the other's reference, and the queue would stay.
        let queue = mem::take(&mut self.queue);
        // One reference is the map's, the other one this place's.
        if Arc::strong_count(&queue) == 2 {
            queues.remove(&self.key);
        }
        drop(queue);
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::future::join_all;
    use kit::Error;
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn equal_reads_at_the_same_time_are_two_at_most() {
        let (reads, begun) = (SharedReads::default(), AtomicU32::new(0));
        let ask = |key: &str| {
            reads.answer(key.to_owned(), async {
                let number = begun.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                Ok(number)
            })
        };
        let answers = join_all((0..20).map(|_| ask("a"))).await;
        assert_eq!(begun.load(Ordering::SeqCst), 2);
        assert_eq!(answers.into_iter().map(|it| it.unwrap()).max(), Some(1));
        join_all([ask("a"), ask("b")]).await;
        assert_eq!(begun.load(Ordering::SeqCst), 4);
        assert!(reads.queues().is_empty());
    }

    #[test]
    fn places_that_end_at_the_same_time_leave_no_queue() {
        let (reads, together) = (SharedReads::default(), Barrier::new(2));
        let end_places = || {
            for key in 0..5_000 {
                let place = reads.enter(key.to_string());
                together.wait();
                drop(place);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(end_places);
            end_places();
        });
        assert!(reads.queues().is_empty());
    }

    #[tokio::test]
    async fn nobody_gets_what_was_read_before_they_asked() {
        let (reads, stored, go) = (SharedReads::default(), AtomicU32::new(1), Notify::new());
        let first = reads.answer("a".to_owned(), async {
            let read = stored.load(Ordering::SeqCst);
            go.notified().await;
            Ok(read)
        });
        let change = async {
            stored.store(2, Ordering::SeqCst);
            let second = reads.answer("a".to_owned(), async { Ok(stored.load(Ordering::SeqCst)) });
            let release = async { go.notify_one() };
            tokio::join!(second, release).0
        };
        let (first, second) = tokio::join!(first, change);
        assert_eq!((first.unwrap(), second.unwrap()), (1, 2));
    }

    #[tokio::test]
    async fn a_failed_or_cancelled_read_is_not_shared() {
        let (reads, begun) = (SharedReads::default(), AtomicU32::new(0));
        let ask = || {
            reads.answer("a".to_owned(), async {
                let number = begun.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                if number < 2 { Err(Error::internal("gone")) } else { Ok(number) }
            })
        };
        let failed = join_all((0..5).map(|_| ask())).await;
        assert_eq!(failed.iter().filter(|it| it.is_err()).count(), 2);
        {
            let mut cancelled = Box::pin(ask());
            assert!(futures::poll!(&mut cancelled).is_pending());
        }
        ask().await.unwrap();
        assert!(reads.queues().is_empty());
    }
}
