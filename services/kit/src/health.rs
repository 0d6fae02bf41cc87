//! Liveness and readiness. Liveness looks at the process alone; readiness at what it stands on,
//! with damping: three failed probes in a row make a dependency count as down, one good probe
//! makes it count as up.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::Result;

const EVERY: Duration = Duration::from_secs(2);
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
const FAILURES: u32 = 3;

type Probe = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<()>> + Send>> + Send + Sync>;

struct Dependency {
    probe: Probe,
    up: bool,
    failures: u32,
}

#[derive(Clone, Default)]
pub struct Readiness {
    dependencies: Arc<Mutex<BTreeMap<String, Dependency>>>,
    stopping: Arc<AtomicBool>,
}

impl Readiness {
    /// Adds something the process stands on. It counts as down until its first good probe.
    pub fn depend<F, Fut>(&self, name: impl Into<String>, probe: F)
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        let probe: Probe = Arc::new(move || Box::pin(probe()));
        if let Ok(mut all) = self.dependencies.lock() {
            all.insert(name.into(), Dependency { probe, up: false, failures: 0 });
        }
    }

    /// From now on not ready, whatever the probes say.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Each dependency and whether it counts as up.
    pub fn state(&self) -> (bool, BTreeMap<String, bool>) {
        let each: BTreeMap<_, _> = self
            .dependencies
            .lock()
            .map(|all| all.iter().map(|(name, it)| (name.clone(), it.up)).collect())
            .unwrap_or_default();
        (!self.stopping.load(Ordering::SeqCst) && each.values().all(|up| *up), each)
    }

    /// Probes everything once.
    pub async fn probe(&self) {
        let probes: Vec<_> = self
            .dependencies
            .lock()
            .map(|all| all.iter().map(|(name, it)| (name.clone(), it.probe.clone())).collect())
            .unwrap_or_default();
        for (name, probe) in probes {
            let good = matches!(tokio::time::timeout(PROBE_TIMEOUT, probe()).await, Ok(Ok(())));
            let Ok(mut all) = self.dependencies.lock() else { return };
            let Some(it) = all.get_mut(&name) else { continue };
            it.failures = if good { 0 } else { it.failures + 1 };
            let up = good || (it.up && it.failures < FAILURES);
            if up != it.up {
                tracing::info!(dependency = %name, up, "readiness changed");
            }
            it.up = up;
        }
    }

    /// Probes until told to stop.
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        loop {
            self.probe().await;
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    /// `/livez` and `/readyz`, for the port of operations.
    pub fn router(&self) -> axum::Router {
        let ready = self.clone();
        axum::Router::new().route("/livez", get(|| async { Json(json!({ "health": "HEALTH" })) })).route(
            "/readyz",
            get(move || {
                let ready = ready.clone();
                async move { ready.answer() }
            }),
        )
    }

    fn answer(&self) -> Response {
        let (ready, each) = self.state();
        let (status, health) =
            if ready { (StatusCode::OK, "HEALTH") } else { (StatusCode::INTERNAL_SERVER_ERROR, "DOWN") };
        (status, Json(json!({ "health": health, "dependencies": each }))).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[tokio::test]
    async fn three_failures_take_it_down_and_one_success_brings_it_back() {
        let readiness = Readiness::default();
        let good = Arc::new(AtomicBool::new(true));
        let seen = good.clone();
        readiness.depend("database", move || {
            let good = seen.load(Ordering::SeqCst);
            async move { if good { Ok(()) } else { Err(Error::internal("down")) } }
        });
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
}
