//! Files of deliveries: links to put them to, imports in the background, and what became of
//! each line.
//!
//! `file` reads and checks (pure), `import` carries lines to the deliveries service, `rpc`
//! answers the contract. Deliberately absent: deliveries themselves, and any rule about them.

mod entity;
mod events;
mod fields;
pub mod file;
mod import;
#[cfg(test)]
mod links_tests;
mod migration;
mod rpc;
mod settings;
mod store;

use std::time::Duration;

use ::store::published::Published;
use ::store::settings::Settings;
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::service::{FirstRun, Service, Task};
use proto::upload::v1::upload_service_server::UploadServiceServer;
use tonic::service::Routes;

pub use events::copies;
pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "upload";

const SWEEP_EVERY: Duration = Duration::from_secs(3_600);
const ADOPT_EVERY: Duration = Duration::from_secs(10);

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
    /// Runtime settings; they override `imports` and `zone`.
    pub settings: Settings,
}

/// The service. Its imports go on where a process that died left them.
pub async fn service(context: Context) -> Result<Service> {
    let following = events::follow_settings(&context);
    let importing = context.clone();
    let published = Published::service(&context.db, NAME);
    Ok(Service {
        consumers: events::consumers(&context),
        tasks: vec![
            following.task(),
            Task::new("imports", |stop| import::run(importing, stop)),
            adopt_imports(&context),
            sweep_uploads(&context),
            prune_keys(&context),
        ],
        checks: vec![context.blob.check()],
        ..Service::new(
            NAME,
            Routes::new(UploadServiceServer::new(rpc::Service { context })).add_service(published),
        )
    })
}

/// Takes over imports that a process of the release before started, which knows no jobs.
fn adopt_imports(context: &Context) -> Task {
    let db = context.db.clone();
    Task::every("imports of the release before", ADOPT_EVERY, FirstRun::AtStart, move || {
        let db = db.clone();
        async move {
            let adopted = store::adopt(&db).await?;
            if adopted > 0 {
                tracing::info!(adopted, "imports of the release before were taken over");
            }
            Ok(())
        }
    })
}

/// Forgets idempotency keys that are too old to come again.
fn prune_keys(context: &Context) -> Task {
    let context = context.clone();
    Task::every("idempotency keys", SWEEP_EVERY, FirstRun::AtStart, move || {
        let Context { db, clock, .. } = context.clone();
        async move {
            let gone = store::prune_keys(&db, clock.now()).await?;
            if gone > 0 {
                tracing::debug!(keys = gone, "old idempotency keys were deleted");
            }
            Ok(())
        }
    })
}

/// Removes files that nobody imported.
fn sweep_uploads(context: &Context) -> Task {
    let context = context.clone();
    Task::every("unused files", SWEEP_EVERY, FirstRun::AtStart, move || {
        let Context { db, blob, .. } = context.clone();
        async move {
            let gone = store::sweep(&db, &blob).await?;
            if gone > 0 {
                tracing::debug!(files = gone, "uploads that nobody imported were removed");
            }
            Ok(())
        }
    })
}
