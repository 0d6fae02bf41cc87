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
mod settings;
mod store;

use std::sync::Arc;

use ::store::settings::{Follow, Settings};
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
    /// What was set since, and counts before both.
    pub settings: Settings,
    /// Wakes the importer when there is something to do.
    pub work: Arc<Notify>,
}

/// The service's contract, to be mounted.
pub fn service(context: Context) -> Routes {
    Routes::new(UploadServiceServer::new(rpc::Service { context }))
}

/// Keeps the settings that are obeyed here.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        service: NAME,
        consumer: "upload-settings",
        wanted: settings::OBEYED,
    }
}

/// Imports what was uploaded, also what a process that died left over, until told to stop.
pub async fn run(context: Context, stop: CancellationToken) -> Result<()> {
    import::run(context, stop).await
}
