//! Liveness and readiness, and the port that serves them and the metrics.
//!
//! Liveness checks the process alone. Readiness checks the dependencies that the process needs, with damping:
//! three failed probes in a row mark a dependency as down, one good probe marks it as up. Other dependencies
//! are watched and shown, and never make a process unready: docs/adr/0030.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::metrics::{self, Gauge, Reading};
use crate::{Error, Result};

const EVERY: Duration = Duration::from_secs(2);
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
const FAILURES: u32 = 3;
const CHANGED: &str = "a dependency changed";

type Probe = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send + Sync>;

/// A dependency, and the probe by which [`Readiness`] checks it.
#[derive(Clone)]
pub struct Check {
    name: String,
    /// Whether the process is useless without the dependency.
    needed: bool,
    probe: Probe,
}

impl Check {
    /// Creates a check of a dependency that the process needs. It counts as down until its first good
    /// probe.
    pub fn needed<F, Fut>(name: impl Into<String>, probe: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        Self { name: name.into(), needed: true, probe: Arc::new(move || Box::pin(probe())) }
    }

    /// Creates a check of a dependency that the process can do without for a while; its state is only shown.
    pub fn shown<F, Fut>(name: impl Into<String>, probe: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        Self { needed: false, ..Self::needed(name, probe) }
    }
}

struct Dependency {
    check: Check,
    /// The dependency's state in metrics.
    shown: Reading,
    /// `None` until a probe succeeded, or enough of them failed.
    up: Option<bool>,
    failures: u32,
}

impl Dependency {
    fn is_up(&self) -> bool {
        self.up == Some(true)
    }

    /// Notes the result of a probe: nothing, or the cause of its failure. Logs it if the state changes.
    fn note(&mut self, name: &str, failure: Option<&str>) {
        self.failures = failure.map_or(0, |_| self.failures.saturating_add(1));
        let up = match failure {
            None => Some(true),
            Some(_) if self.failures >= FAILURES => Some(false),
            Some(_) => self.up,
        };
        let changed = up != self.up;
        self.up = up;
        self.shown.set(f64::from(u8::from(self.is_up())));
        if !changed {
            return;
        }
        let needed = self.check.needed;
        match failure {
            None => tracing::info!(dependency = name, up = true, needed, "{CHANGED}"),
            Some(error) if needed => {
                tracing::error!(dependency = name, up = false, needed, error, "{CHANGED}");
            }
            Some(error) => tracing::warn!(dependency = name, up = false, needed, error, "{CHANGED}"),
        }
    }
}

#[derive(Clone, Default)]
pub struct Readiness {
    dependencies: Arc<Mutex<BTreeMap<String, Dependency>>>,
    stopping: Arc<AtomicBool>,
}

impl Readiness {
    /// Adds a check. Services in one process share checks of the same name.
    pub fn add(&self, check: Check) {
        let needed = if check.needed { "true" } else { "false" };
        let labels = [("dependency", check.name.as_str()), ("needed", needed)];
        let shown = metrics::reading(Gauge::DependencyUp, &labels);
        if let Ok(mut all) = self.dependencies.lock() {
            all.insert(check.name.clone(), Dependency { check, shown, up: None, failures: 0 });
        }
    }

    /// Shows readiness in metrics, under the name of the target.
    pub fn show(&self, target: &str) {
        let (dependencies, stopping) = (Arc::downgrade(&self.dependencies), self.stopping.clone());
        metrics::watch(Gauge::Ready, &[("target", target)], move || {
            let this = Self { dependencies: dependencies.upgrade()?, stopping: stopping.clone() };
            Some(f64::from(u8::from(this.state().0)))
        });
    }

    /// Makes the process not ready from now on, whatever the probes say.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Returns whether the process is ready, and whether each dependency is up.
    pub fn state(&self) -> (bool, BTreeMap<String, bool>) {
        let Ok(all) = self.dependencies.lock() else { return (false, BTreeMap::new()) };
        let works = all.values().all(|it| it.is_up() || !it.check.needed);
        let each = all.iter().map(|(name, it)| (name.clone(), it.is_up())).collect();
        (!self.stopping.load(Ordering::SeqCst) && works, each)
    }

    /// Runs every probe once.
    pub async fn probe(&self) {
        let probes: Vec<_> = self
            .dependencies
            .lock()
            .map(|all| all.iter().map(|(name, it)| (name.clone(), it.check.probe.clone())).collect())
            .unwrap_or_default();
        for (name, probe) in probes {
            let failure = match tokio::time::timeout(PROBE_TIMEOUT, probe()).await {
                Ok(result) => result.err().map(|error| format!("{error:#}")),
                Err(_) => Some(format!("no answer within {PROBE_TIMEOUT:?}")),
            };
            let Ok(mut all) = self.dependencies.lock() else { return };
            if let Some(it) = all.get_mut(&name) {
                it.note(&name, failure.as_deref());
            }
        }
    }

    /// Probes until stopped.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        loop {
            self.probe().await;
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    /// Serves `/livez`, `/readyz` and `/metrics` on the operations port.
    pub fn router(&self) -> axum::Router {
        let ready = self.clone();
        axum::Router::new()
            .route("/livez", get(|| async { Json(json!({ "health": "HEALTH" })) }))
            .route(
                "/readyz",
                get(move || {
                    let ready = ready.clone();
                    async move { ready.answer() }
                }),
            )
            .route("/metrics", get(shown_metrics))
    }

    fn answer(&self) -> Response {
        let (ready, each) = self.state();
        let (status, health) =
            if ready { (StatusCode::OK, "HEALTH") } else { (StatusCode::INTERNAL_SERVER_ERROR, "DOWN") };
        (status, Json(json!({ "health": health, "dependencies": each }))).into_response()
    }
}

async fn shown_metrics() -> Response {
    // Gathering reads system files, so do it off the request threads.
    let text = tokio::task::spawn_blocking(metrics::text).await.map_err(Error::internal);
    match text.and_then(|text| text.map_err(Error::internal)) {
        Ok(text) => ([(CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => {
            error.log();
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Log;

    #[tokio::test]
    async fn what_was_never_up_is_logged_once_and_with_its_cause() {
        let (log, readiness) = (Log::default(), Readiness::default());
        readiness.add(Check::needed("database", || async { Err(Error::internal("no such host")) }));
        readiness.add(Check::shown("cache", || async { Err(Error::internal("wrong password")) }));
        let _guard = log.watch();
        for _ in 0..4 {
            readiness.probe().await;
        }
        let text = log.text();
        let lines: Vec<_> = text.lines().filter(|line| line.contains(CHANGED)).collect();
        let [cache, database] = &lines[..] else { panic!("{text}") };
        for part in ["ERROR", "dependency=\"database\"", "up=false", "no such host"] {
            assert!(database.contains(part), "{database}");
        }
        for part in ["WARN", "dependency=\"cache\"", "up=false", "wrong password"] {
            assert!(cache.contains(part), "{cache}");
        }
    }

    #[tokio::test]
    async fn three_failures_take_it_down_and_one_success_brings_it_back() {
        let readiness = Readiness::default();
        let good = Arc::new(AtomicBool::new(true));
        let seen = good.clone();
        readiness.add(Check::needed("database", move || {
            let good = seen.load(Ordering::SeqCst);
            async move { if good { Ok(()) } else { Err(Error::internal("down")) } }
        }));
        assert!(!readiness.state().0, "not ready before the first probe");
        readiness.probe().await;
        assert!(readiness.state().0);
        good.store(false, Ordering::SeqCst);
        for expected in [true, true, false] {
            readiness.probe().await;
            assert_eq!(readiness.state().0, expected);
        }
        good.store(true, Ordering::SeqCst);
        readiness.probe().await;
        assert!(readiness.state().0);
        readiness.stop();
        assert!(!readiness.state().0);
    }

    /// A failure of the cache, which all gateways share, must not take all of them down at once.
    #[tokio::test]
    async fn what_is_only_watched_is_shown_and_takes_nobody_out() {
        let readiness = Readiness::default();
        readiness.add(Check::needed("database", || async { Ok(()) }));
        readiness.add(Check::shown("cache", || async { Err(Error::internal("down")) }));
        for _ in 0..4 {
            readiness.probe().await;
        }
        let (ready, each) = readiness.state();
        assert!(ready);
        assert_eq!((each["database"], each["cache"]), (true, false));
    }
}
