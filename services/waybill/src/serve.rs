//! The sockets of a process, and what answers on each until it is asked to stop.

use std::net::SocketAddr;

use kit::background;
use kit::config::{Config, Target};
use kit::lifecycle::Lifecycle;
use kit::rpc::Transport;
use kit::{Error, Result};
use tokio::net::TcpListener;

/// Sockets to serve on: bound before, so that a test can have free ports and know them.
pub struct Listeners {
    /// The public port, for the gateway.
    pub http: Option<TcpListener>,
    /// gRPC, for a service alone.
    pub grpc: Option<TcpListener>,
    /// Liveness and readiness.
    pub ops: Option<TcpListener>,
    /// Positions of devices, for the gateway.
    pub ingest: Option<TcpListener>,
}

impl Listeners {
    /// What a target needs, at the configured addresses.
    pub async fn bind(config: &Config, target: Target) -> Result<Self> {
        let http = match target.runs(Target::Gateway) {
            true => Some(kit::rpc::bind(&config.http.host, config.http.port).await?.0),
            false => None,
        };
        let grpc = match target {
            Target::All | Target::Gateway => None,
            _ => Some(kit::rpc::bind(&config.grpc.host, config.grpc.port).await?.0),
        };
        let ops = Some(kit::rpc::bind(&config.ops.host, config.ops.port).await?.0);
        let ingest = match target.runs(Target::Gateway) && config.ingest.enabled {
            true => Some(kit::rpc::bind(&config.ingest.host, config.ingest.port).await?.0),
            false => None,
        };
        Ok(Self { http, grpc, ops, ingest })
    }
}

pub fn http(life: &Lifecycle, listener: TcpListener, router: axum::Router) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    life.spawn_server("http", answer(listener, router, life.accepting().cancelled_owned()));
    Ok(address)
}

/// Devices wait for people.
pub fn ingest(life: &Lifecycle, listener: TcpListener, context: &gateway::Context) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let threads = background::handle();
    // The router spawns what gathers reports.
    let _entered = threads.enter();
    let router = gateway::ingest::router(context);
    let serving = answer(listener, router, life.accepting().cancelled_owned());
    life.spawn_server("ingest", background::run(serving));
    Ok(address)
}

async fn answer<F>(listener: TcpListener, router: axum::Router, stop: F) -> Result<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let app = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, app).with_graceful_shutdown(stop).await.map_err(Error::internal)
}

pub fn grpc(life: &Lifecycle, listener: TcpListener, transport: &Transport) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let Transport::InProcess(routes) = transport.clone() else {
        return Err(Error::internal("a service that is not here cannot be served"));
    };
    life.spawn_server("grpc", kit::rpc::serve(listener, routes, life.accepting()));
    Ok(address)
}

/// Answers until the very end: readiness must be seen to have gone.
pub fn ops(life: &Lifecycle, listener: TcpListener) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let (router, stop) = (life.readiness.router(), life.working());
    life.spawn_worker("operations", answer(listener, router, stop.cancelled_owned()));
    Ok(address)
}
