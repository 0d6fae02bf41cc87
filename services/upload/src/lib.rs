//! Files of deliveries: links to put them to, imports in the background, and what became of
//! each line.
//!
//! `file` reads and checks (pure), `import` carries lines to the deliveries service, `rpc`
//! answers the contract. Deliberately absent: deliveries themselves, and any rule about them.

mod entity;
mod fields;
pub mod file;
mod import;
mod migration;
mod rpc;
mod store;

use std::sync::Arc;

use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use proto::upload::v1::upload_service_server::UploadServiceServer;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "upload";

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub blob: Blob,
    pub deliveries: Transport,
    pub identity: ServiceIdentity,
    pub imports: kit::config::Imports,
    pub zone: chrono_tz::Tz,
    /// Wakes the importer when there is something to do.
    pub work: Arc<Notify>,
}

/// The service's contract, to be mounted.
pub fn service(context: Context) -> Routes {
    Routes::new(UploadServiceServer::new(rpc::Service { context }))
}

/// Imports what was uploaded, also what a process that died left over, until told to stop.
pub async fn run(context: Context, stop: CancellationToken) -> Result<()> {
    import::run(context, stop).await
}
