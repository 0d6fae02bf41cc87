//! The sockets of a process, and the servers that run on them until shutdown.

use std::net::SocketAddr;
use std::time::Duration;

use kit::background;
use kit::config::{Config, Http, Target};
use kit::connections::{self, Limits};
use kit::lifecycle::Lifecycle;
use kit::rpc::Transport;
use kit::tls::Tls;
use kit::{Error, Result};
use tokio::net::TcpListener;

/// Maximum concurrent requests on one HTTP/2 connection, and the ping interval.
const STREAMS: u32 = 64;
const PING: Duration = Duration::from_secs(20);
/// Maximum connections for probes, which mostly come from one address.
const OPS_CONNECTIONS: usize = 128;

/// Sockets to serve on. They are bound in advance, so that a test can use free ports and know their numbers.
pub struct Listeners {
    /// The public port, for the gateway.
    pub http: Option<TcpListener>,
    /// gRPC, for a service that runs alone.
    pub grpc: Option<TcpListener>,
    /// Liveness, readiness and metrics.
    pub ops: Option<TcpListener>,
    /// Positions from devices, for the gateway.
    pub ingest: Option<TcpListener>,
}

impl Listeners {
    /// Binds the sockets that a target needs, at the configured addresses.
    pub async fn bind(config: &Config, target: Target) -> Result<Self> {
        let http = match target.runs_gateway() {
            true => Some(kit::connections::bind("http", &config.http.host, config.http.port).await?),
            false => None,
        };
        let grpc = match target {
            Target::All | Target::Gateway => None,
            Target::Service(_) => {
                Some(kit::connections::bind("grpc", &config.grpc.host, config.grpc.port).await?)
            }
        };
        let ops = Some(kit::connections::bind("ops", &config.ops.host, config.ops.port).await?);
        let ingest = match target.runs_gateway() && config.ingest.enabled {
            true => Some(kit::connections::bind("ingest", &config.ingest.host, config.ingest.port).await?),
            false => None,
        };
        Ok(Self { http, grpc, ops, ingest })
    }
}

pub fn http(
    life: &Lifecycle,
    listener: TcpListener,
    router: axum::Router,
    config: &Config,
) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let http = &config.http;
    let limits = limits(http, http.max_connections, http.max_connections_per_address, http.trusted_proxies);
    life.spawn_server("http", connections::serve(listener, router, limits, life.accepting()));
    Ok(address)
}

/// Serves devices on threads of low priority.
pub fn ingest(life: &Lifecycle, listener: TcpListener, context: &gateway::Context) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let threads = background::handle();
    // Enter the low-priority runtime, because creating the router spawns the task that gathers reports.
    let _entered = threads.enter();
    let router = gateway::ingest::router(context);
    let (http, ingest) = (&context.config.http, &context.config.ingest);
    let (most, share) = (ingest.max_connections, ingest.max_connections_per_address);
    let limits = limits(http, most, share, ingest.trusted_proxies);
    let serving = connections::serve(listener, router, limits, life.accepting());
    life.spawn_server("ingest", background::run(serving));
    Ok(address)
}

/// The number of files that the process itself opens: 122 after a start with every service on SQLite, plus
/// objects, sockets and files of running imports.
const OWN_FILES: usize = 192;

/// Returns limits on connections from strangers: on each port, at most a quarter of the files that the
/// process may open beyond `OWN_FILES`.
fn limits(http: &Http, most: usize, share: usize, proxies: usize) -> Limits {
    let left = connections::raise_descriptors().saturating_sub(OWN_FILES);
    let most = most.min(left / 4).max(1);
    Limits {
        connections: most,
        // Behind a proxy, all connections have the proxy's address.
        per_address: if proxies > 0 { most } else { share.min(most.div_ceil(2)) },
        header: Duration::from_secs(http.header_timeout_seconds),
        idle: Duration::from_secs(http.idle_timeout_seconds),
        write: Duration::from_secs(http.write_timeout_seconds),
        streams: STREAMS,
        ping: PING,
        age: None,
    }
}

pub fn grpc(
    life: &Lifecycle,
    listener: TcpListener,
    transport: &Transport,
    tls: Option<Tls>,
) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let Transport::InProcess(routes) = transport.clone() else {
        return Err(Error::internal("a service that is not here cannot be served"));
    };
    life.spawn_server("grpc", kit::rpc::serve(listener, routes, tls, life.accepting()));
    Ok(address)
}

/// Serves probes and metrics until the very end, so that probes see the process become not ready.
pub fn ops(life: &Lifecycle, listener: TcpListener, config: &Config) -> Result<SocketAddr> {
    let address = listener.local_addr().map_err(Error::internal)?;
    let limits = limits(&config.http, OPS_CONNECTIONS, OPS_CONNECTIONS, 1);
    let serving = connections::serve(listener, life.readiness.router(), limits, life.working());
    life.spawn_worker("operations", serving);
    Ok(address)
}
