//! A circuit breaker for connections to a service that is silent, as behind a network that drops packets.
//!
//! Without it, every call that needs a connection waits for attempts that nobody answers. A service that refuses
//! connections is not silent: attempts fail at once, and calls are repeated until it has restarted.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tower::BoxError;

/// How long an attempt may take, encryption included.
pub(super) const CONNECT: Duration = Duration::from_secs(2);
/// How long attempts fail at once after one that was not answered. Longer than all pauses of a call together, so
/// that a call waits for one such attempt.
pub(super) const OPEN: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
#[error("the service did not answer the last attempt to connect")]
struct Silent;

/// Shared by the connections to one service. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Breaker(Arc<Mutex<Option<Instant>>>);

impl Breaker {
    /// Opens a connection, within [`CONNECT`]; fails at once while the service is known to be silent.
    pub async fn connect<T: Send + 'static>(
        self,
        opening: impl Future<Output = Result<T, BoxError>> + Send + 'static,
    ) -> Result<T, BoxError> {
        let is_probe = self.admit()?;
        // A task of its own: a channel stops polling when the callers that wait for it have given up, and then
        // nobody would learn that the service is silent.
        let attempt = tokio::spawn(async move {
            let begun = Instant::now();
            let opened = timeout(CONNECT, opening).await.unwrap_or_else(|late| Err(late.into()));
            let is_silent = opened.is_err() && begun.elapsed() >= CONNECT;
            *self.open_until() = is_silent.then(|| Instant::now() + OPEN);
            opened
        });
        // The probe goes on in the background, because otherwise all callers of this channel would wait for it.
        if is_probe {
            return Err(Silent.into());
        }
        attempt.await?
    }

    /// Admits all attempts, or none while the service is known to be silent. After [`OPEN`], admits one and returns
    /// true: it only finds out whether the service answers again, and the others fail until it has ended.
    fn admit(&self) -> Result<bool, Silent> {
        let mut open_until = self.open_until();
        let Some(until) = *open_until else { return Ok(false) };
        let now = Instant::now();
        if now < until {
            return Err(Silent);
        }
        // Replaced by the attempt when it ends.
        *open_until = Some(now + CONNECT + OPEN);
        Ok(true)
    }

    fn open_until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
