//! From start to stop: signals, background tasks, and the order in which things end.
//!
//! Order on stop: become not ready, wait until balancers have noticed, stop accepting and drain requests,
//! let workers finish the current piece of work, close pools, flush telemetry. A worker that ends on its
//! own stops the process in the same order, with a failing exit code.

use std::borrow::Cow;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::health::Readiness;

/// How long requests may take to finish after the listener closed.
const DRAIN: Duration = Duration::from_secs(20);
/// How long workers may take to finish the current piece of work.
const FINISH: Duration = Duration::from_secs(20);
/// Exit codes after a signal: 128 and its number.
const INTERRUPTED: i32 = 130;
const TERMINATED: i32 = 143;

/// SIGTERM and Ctrl-C. A container's first process ignores signals that it has no handler for, so every command
/// needs one.
#[derive(Clone, Default)]
pub struct Signals {
    is_awaited: Arc<AtomicBool>,
    stop: CancellationToken,
}

impl Signals {
    /// Handles signals from now on, on a thread of the runtime: the main thread may be busy, or reading its input. Until
    /// [`Signals::received`] is called, a signal ends the process with the exit code that shells give it.
    pub fn listen() -> io::Result<Self> {
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let this = Self::default();
        let signals = this.clone();
        tokio::spawn(async move {
            loop {
                let (name, code) = tokio::select! {
                    _ = term.recv() => ("terminated", TERMINATED),
                    _ = int.recv() => ("interrupted", INTERRUPTED),
                };
                if !signals.is_awaited.load(Ordering::SeqCst) {
                    std::process::exit(code);
                }
                if signals.stop.is_cancelled() {
                    tracing::warn!("second signal: ending at once");
                    std::process::exit(INTERRUPTED);
                }
                tracing::info!("stopping: {name}");
                signals.stop.cancel();
            }
        });
        Ok(this)
    }

    /// Waits for a signal, which no longer ends the process. A second one does.
    pub async fn received(&self) {
        self.is_awaited.store(true, Ordering::SeqCst);
        self.stop.cancelled().await;
    }
}

/// Start and stop of a process, shared by everything that runs in it. Cheap to clone.
#[derive(Clone, Default)]
pub struct Lifecycle {
    pub readiness: Readiness,
    accept: CancellationToken,
    work: CancellationToken,
    servers: TaskTracker,
    workers: TaskTracker,
    failed: Arc<AtomicBool>,
    stop: CancellationToken,
    notice: Duration,
}

impl Lifecycle {
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long to keep serving after becoming not ready: balancers notice with a delay, and requests
    /// that they send until then must not be refused.
    pub fn with_notice(self, notice: Duration) -> Self {
        Self { notice, ..self }
    }

    /// Returns a token that is cancelled when servers must stop accepting.
    pub fn accepting(&self) -> CancellationToken {
        self.accept.clone()
    }

    /// Returns a token that is cancelled when workers must finish the current piece of work and end.
    pub fn working(&self) -> CancellationToken {
        self.work.clone()
    }

    /// Asks for a graceful stop.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Runs a server until it has drained; if it ends earlier, the process stops.
    pub fn spawn_server<F>(&self, name: &'static str, server: F)
    where
        F: Future<Output = crate::Result<()>> + Send + 'static,
    {
        let (this, token, name) = (self.clone(), self.accept.clone(), Cow::Borrowed(name));
        self.servers.spawn(async move { this.watch(name, server, token).await });
    }

    /// Runs a background worker; if it ends earlier, the process stops.
    pub fn spawn_worker<F>(&self, name: impl Into<Cow<'static, str>>, worker: F)
    where
        F: Future<Output = crate::Result<()>> + Send + 'static,
    {
        let (this, token, name) = (self.clone(), self.work.clone(), name.into());
        self.workers.spawn(async move { this.watch(name, worker, token).await });
    }

    async fn watch<F>(&self, name: Cow<'static, str>, task: F, expected: CancellationToken)
    where
        F: Future<Output = crate::Result<()>> + Send + 'static,
    {
        // Runs in its own task, so that a panic counts as an early end, too.
        let ended = tokio::spawn(task).await;
        if expected.is_cancelled() {
            if let Ok(Err(error)) = ended {
                tracing::warn!(task = %name, "ended with an error while stopping: {error:#}");
            }
            return;
        }
        match ended {
            Ok(Ok(())) => tracing::error!(task = %name, "ended before it was asked to"),
            Ok(Err(error)) => tracing::error!(task = %name, "failed: {error:#}"),
            Err(panic) => tracing::error!(task = %name, "panicked: {panic}"),
        }
        self.failed.store(true, Ordering::SeqCst);
        self.stop.cancel();
    }

    /// Waits for a signal or a failure, then stops everything in order. Returns whether all went well. A
    /// second signal ends the process immediately.
    pub async fn run(&self, signals: &Signals) -> bool {
        tokio::select! {
            () = signals.received() => {}
            () = self.stop.cancelled() => {
                tracing::info!("stopping");
                signals.stop.cancel();
            }
        }
        self.shutdown().await
    }

    /// Stops everything in order. Returns whether all went well.
    pub async fn shutdown(&self) -> bool {
        self.readiness.stop();
        tokio::time::sleep(self.notice).await;
        self.accept.cancel();
        self.servers.close();
        let drained = tokio::time::timeout(DRAIN, self.servers.wait()).await.is_ok();
        if !drained {
            tracing::warn!("requests were still under way after {DRAIN:?}");
        }
        self.work.cancel();
        self.workers.close();
        let finished = tokio::time::timeout(FINISH, self.workers.wait()).await.is_ok();
        if !finished {
            tracing::warn!("workers were still busy after {FINISH:?}");
        }
        drained && finished && !self.failed.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_worker_that_ends_early_stops_the_process_with_a_failure() {
        let life = Lifecycle::new();
        life.spawn_worker("short", async { Ok(()) });
        tokio::time::timeout(Duration::from_secs(5), life.stop.cancelled()).await.unwrap();
        assert!(!life.shutdown().await);
    }

    /// A balancer that has not noticed yet that this process is stopping must find it serving.
    #[tokio::test]
    async fn it_goes_on_accepting_until_it_was_noticed_that_it_stops() {
        let life = Lifecycle::new().with_notice(Duration::from_millis(500));
        let (stopping, accepting) = (life.clone(), life.accepting());
        life.readiness.probe().await;
        assert!(life.readiness.state().0);
        let stopping = tokio::spawn(async move { stopping.shutdown().await });
        while life.readiness.state().0 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!accepting.is_cancelled());
        assert!(stopping.await.unwrap() && accepting.is_cancelled());
    }

    #[tokio::test]
    async fn servers_drain_before_workers_are_told() {
        let life = Lifecycle::new();
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let (seen, accept, work) = (order.clone(), life.accepting(), life.working());
        life.spawn_server("http", async move {
            accept.cancelled().await;
            tokio::time::sleep(Duration::from_millis(30)).await;
            seen.lock().unwrap().push("drained");
            Ok(())
        });
        let seen = order.clone();
        life.spawn_worker("relay", async move {
            work.cancelled().await;
            seen.lock().unwrap().push("finished");
            Ok(())
        });
        assert!(life.shutdown().await);
        assert_eq!(*order.lock().unwrap(), ["drained", "finished"]);
    }
}
