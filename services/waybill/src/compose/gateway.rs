//! The public side of a process.

use std::net::SocketAddr;

use kit::config::Target;
use kit::health::Check;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Result};
use proto::auth::v1::GetSignUpPolicyRequest;
use proto::auth::v1::auth_service_client::AuthServiceClient;
use tokio::net::TcpListener;

use super::services::Services;
use super::shared::Shared;
use crate::{plumbing, serve};

/// Checks that auth answers. The question needs no database: while that is busy, all gateways would become unready at
/// once.
async fn answers(auth: &Transport) -> Result<()> {
    AuthServiceClient::new(auth.anonymous()).get_sign_up_policy(GetSignUpPolicyRequest {}).await?;
    Ok(())
}

/// Starts the gateway; returns the addresses for browsers and for devices.
pub(super) fn start(
    shared: &Shared,
    services: &Services,
    http: TcpListener,
    ingest: Option<TcpListener>,
) -> Result<(Option<SocketAddr>, Option<SocketAddr>)> {
    let Shared { config, target, clock, life, bus, .. } = shared;
    let peer = |service| services.transports.of(service).cloned();
    let cache = plumbing::cache(config)?;
    life.readiness.add(cache.check());
    if *target == Target::Gateway {
        let auth = peer(auth::NAME)?;
        life.readiness.add(Check::needed("auth", move || {
            let auth = auth.clone();
            async move { answers(&auth).await }
        }));
    }
    let notices = gateway::Notices::default();
    life.spawn_worker("notices", notices.clone().run(bus.clone(), life.working()));
    let secret = config.auth.service_secret.clone();
    let mut config = config.clone();
    // Pages show the port that is actually in use.
    config.ingest.enabled = ingest.is_some();
    if let Some(listener) = &ingest {
        config.ingest.port = listener.local_addr().map_err(Error::internal)?.port();
    }
    let context = gateway::Context {
        auth: peer(auth::NAME)?,
        deliveries: peer(deliveries::NAME)?,
        drivers: peer(drivers::NAME)?,
        settings: peer(settings::NAME)?,
        upload: peer(upload::NAME)?,
        analytics: peer(analytics::NAME)?,
        identity: ServiceIdentity::new(gateway::NAME, secret, clock.clone()),
        verifier: services.verifier()?.clone(),
        cache,
        blob: plumbing::blob(&config, clock)?,
        config,
        clock: clock.clone(),
        notices,
        stop: life.accepting(),
    };
    let ingest = ingest.map(|listener| serve::ingest(life, listener, &context)).transpose()?;
    let http = serve::http(life, http, gateway::router(context), &shared.config)?;
    Ok((Some(http), ingest))
}
