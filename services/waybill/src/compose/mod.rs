//! Turns a configuration and a target into a running process. `services` starts the rows of the table in
//! `target`, and `gateway` starts the public side; `process` is what a service receives. A service runs in
//! this process or behind an address; its `Transport` hides the difference.

mod gateway;
mod process;
mod services;
mod shared;
mod transports;

use std::net::SocketAddr;
use std::time::Duration;

use kit::Result;
use kit::clock::Clock;
use kit::config::{Config, Target};
use kit::lifecycle::{Lifecycle, Signals};
use kit::rpc::Transport;
use kit::tls::Tls;
use proto::auth::v1::GetSetupStateRequest;
use proto::auth::v1::auth_service_client::AuthServiceClient;
use secrecy::SecretString;
use store::Db;

use crate::plumbing;
use crate::serve::{self, Listeners};
use crate::target;
use services::Services;
use shared::Shared;

pub use process::{Process, Row};

/// How long the start waits for auth's signing keys. Afterwards it continues without keys, and calls return
/// UNAVAILABLE until auth is up. A process that did not start could not report the problem.
const KEYS_PATIENCE: Duration = Duration::from_secs(5);
/// How long the databases may take to close. Closing waits for every connection that is in use, and after a
/// failure one may stay in use forever.
const CLOSE: Duration = Duration::from_secs(5);

/// A running process.
pub struct Node {
    pub lifecycle: Lifecycle,
    pub http: Option<SocketAddr>,
    pub grpc: Option<SocketAddr>,
    pub ops: Option<SocketAddr>,
    pub ingest: Option<SocketAddr>,
    /// The token for creating the first account, if one is required.
    pub setup_token: Option<SecretString>,
    /// Whether the first account must still be created. False if auth runs in another process.
    pub admin_needed: bool,
    databases: Vec<Db>,
}

impl Node {
    /// Stops everything in order and closes the databases. Returns whether all went well.
    pub async fn stop(self) -> bool {
        let clean = self.lifecycle.shutdown().await;
        self.close().await && clean
    }

    /// Serves until a signal, then stops. Returns whether all went well.
    pub async fn run(self, signals: &Signals) -> bool {
        let clean = self.lifecycle.run(signals).await;
        self.close().await && clean
    }

    /// Closes the databases, all at the same time. Returns whether all closed within [`CLOSE`].
    async fn close(&self) -> bool {
        let closing = self.databases.iter().map(|db| tokio::time::timeout(CLOSE, db.close()));
        let closed = futures::future::join_all(closing).await;
        let in_use = closed.iter().filter(|it| it.is_err()).count();
        if in_use > 0 {
            tracing::warn!("{in_use} databases were still in use after {CLOSE:?}");
        }
        in_use == 0
    }
}

/// Starts everything in the target.
pub async fn start(mut config: Config, target: Target, listeners: Listeners, clock: Clock) -> Result<Node> {
    kit::install_crypto();
    if target == Target::All {
        config.generate_secrets()?;
    }
    let life = Lifecycle::new().with_notice(notice(&config, target));
    let emitting: Vec<&str> = target::services(target).map(|row| row.name).collect();
    // A process with everything in it calls nobody over the network.
    let tls = if target == Target::All { None } else { Tls::open(&config.grpc, &clock)? };
    let bus = plumbing::bus(&config, &emitting).await?;
    if let Some(tls) = tls.clone() {
        life.spawn_worker("certificates", tls.follow(life.working()));
    }
    let shared = Shared { config, target, clock, life: life.clone(), bus, tls };

    let services = Services::start(&shared).await?;
    if !services.verifier()?.prepare(KEYS_PATIENCE).await {
        tracing::warn!("auth does not answer; its signing keys are asked for again when a token comes");
    }
    let admin_needed =
        target.runs(auth::NAME) && is_admin_needed(services.transports.of(auth::NAME)?).await?;
    life.readiness.add(shared.bus.check());

    let Listeners { http, grpc, ops, ingest } = listeners;
    let (http, ingest) = match http {
        Some(http) if target.runs_gateway() => gateway::start(&shared, &services, http, ingest)?,
        _ => (None, None),
    };
    let grpc = match (grpc, target) {
        (Some(listener), Target::Service(part)) => {
            let transport = services.transports.of(part.name)?;
            Some(serve::grpc(&life, listener, transport, shared.tls.clone())?)
        }
        _ => None,
    };
    life.readiness.show(target.as_str());
    life.readiness.probe().await;
    life.spawn_worker("readiness", life.readiness.clone().run(life.working()));
    let ops = ops.map(|listener| serve::ops(&life, listener, &shared.config)).transpose()?;
    let Services { setup_token, databases, .. } = services;
    Ok(Node { lifecycle: life, http, grpc, ops, ingest, setup_token, admin_needed, databases })
}

/// Returns how long a process keeps serving after it became not ready. A single process with everything in it
/// stops immediately, because no other process has to notice.
fn notice(config: &Config, target: Target) -> Duration {
    match target {
        Target::All => Duration::ZERO,
        _ => Duration::from_secs(config.ops.stop_delay_seconds),
    }
}

async fn is_admin_needed(auth: &Transport) -> Result<bool> {
    let mut client = AuthServiceClient::new(auth.anonymous());
    Ok(client.get_setup_state(GetSetupStateRequest {}).await?.into_inner().admin_needed)
}

#[cfg(test)]
mod tests {
    use store::testing::{Backend, TestDb};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_database_in_use_does_not_keep_the_process_running() {
        let test = TestDb::open(Backend::Sqlite).await;
        let held = test.db.begin().await.unwrap();
        let node = Node {
            lifecycle: Lifecycle::new(),
            http: None,
            grpc: None,
            ops: None,
            ingest: None,
            setup_token: None,
            admin_needed: false,
            databases: vec![test.db.clone()],
        };
        let stopped = tokio::time::timeout(3 * CLOSE, node.stop()).await;
        assert_eq!(stopped.ok(), Some(false), "it stops, and reports that it was not clean");
        drop(held);
        test.close().await;
    }
}
