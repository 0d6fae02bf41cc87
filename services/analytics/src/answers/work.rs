//! Running computations. Each belongs to one account, whose requests for the same answer share it.
//!
//! A computation continues while a request waits for it, and for some seconds after a client was told to
//! retry; then it is stopped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use kit::{Error, Result};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The account of a computation, and its query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub account: String,
    pub is_lab: bool,
    pub query: String,
}

pub type Answer = Shared<BoxFuture<'static, Result<Arc<str>, Arc<Error>>>>;

struct Work {
    /// Version of the data when the computation began.
    version: i64,
    answer: Answer,
    /// Held by waiting requests. The computation stops when the last of them drops it.
    alive: Weak<DropGuard>,
    /// One token per client that was told to retry and has not done so yet.
    promises: Vec<CancellationToken>,
}

#[derive(Default)]
pub struct Works {
    all: Mutex<HashMap<Key, Work>>,
}

/// A waiting request. Dropping the last waiter of a computation stops the computation.
pub struct Waiter {
    works: Arc<Works>,
    key: Key,
    alive: Arc<DropGuard>,
    /// Version of the data that the answer is based on.
    pub version: i64,
    pub answer: Answer,
}

impl Works {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Work>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many requests wait.
    #[cfg(test)]
    pub fn waiters(&self) -> usize {
        self.lock().values().map(|work| work.alive.strong_count()).sum()
    }

    /// Joins the computation of this key, or begins one.
    ///
    /// A client that was told to retry joins its earlier computation, even if the data has changed since.
    /// `begin` gets the token that stops the computation.
    pub fn wait(
        self: &Arc<Self>,
        key: Key,
        version: i64,
        begin: impl FnOnce(CancellationToken) -> Result<JoinHandle<Result<Arc<str>>>>,
    ) -> Result<Waiter> {
        let mut all = self.lock();
        if let Some(work) = all.get_mut(&key)
            && let Some(alive) = work.alive.upgrade()
        {
            let promise = work.promises.pop();
            if promise.is_some() || (work.version == version && work.answer.peek().is_none()) {
                promise.iter().for_each(CancellationToken::cancel);
                let (version, answer) = (work.version, work.answer.clone());
                return Ok(Waiter { works: self.clone(), key, alive, version, answer });
            }
        }
        let stop = CancellationToken::new();
        let joined = begin(stop.clone())?;
        let answer = async { joined.await.map_err(Error::internal).flatten().map_err(Arc::new) };
        let answer = answer.boxed().shared();
        let alive = Arc::new(stop.drop_guard());
        let work =
            Work { version, answer: answer.clone(), alive: Arc::downgrade(&alive), promises: Vec::new() };
        all.retain(|_, it| it.alive.strong_count() > 0);
        // An earlier computation on older data continues for the requests that wait for it.
        all.insert(key.clone(), work);
        Ok(Waiter { works: self.clone(), key, alive, version, answer })
    }
}

impl Waiter {
    /// Keeps the computation running for a client that gets "Continue wait": until it retries, at most for
    /// `patience`.
    pub fn promise(self, patience: Duration) {
        let asked_again = CancellationToken::new();
        if let Some(work) = self.works.lock().get_mut(&self.key)
            && std::ptr::eq(work.alive.as_ptr(), Arc::as_ptr(&self.alive))
        {
            work.promises.push(asked_again.clone());
        }
        tokio::spawn(async move {
            let _ = tokio::time::timeout(patience, asked_again.cancelled()).await;
            drop(self);
        });
    }
}
