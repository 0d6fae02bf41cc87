//! Files of deliveries: upload links, imports in the background, and the result for each line.
//!
//! `file` reads and validates without side effects, `import` sends lines to deliveries, `rpc` implements the
//! contract. Deliberately absent: deliveries themselves, and any rule about them.

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

use ::store::clearing;
use ::store::published::Published;
use ::store::settings::Settings;
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::service::{FirstRun, Service, Task};
use proto::upload::v1::saved_mappings_service_server::SavedMappingsServiceServer;
use proto::upload::v1::upload_service_server::UploadServiceServer;
use rpc::saved_mappings::SavedMappings;
use tonic::service::Routes;

pub use events::copies;
pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "upload";

const SWEEP_EVERY: Duration = Duration::from_secs(3_600);
const ADOPT_EVERY: Duration = Duration::from_secs(10);

/// The dependencies of the service.
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

/// Assembles the service. Its imports continue where a process that died left them.
pub async fn service(context: Context) -> Result<Service> {
    let following = events::follow_settings(&context);
    let importing = context.clone();
    let published = Published::service(&context.db, NAME);
    let mut tasks = vec![
        following.task(),
        Task::new("imports", |stop| import::run(importing, stop)),
        adopt_imports(&context),
        sweep_uploads(&context),
    ];
    tasks.extend(prune(&context));
    Ok(Service {
        consumers: events::consumers(&context),
        tasks,
        checks: vec![context.blob.check()],
        ..Service::new(
            NAME,
            Routes::new(UploadServiceServer::new(rpc::Service { context: context.clone() }))
                .add_service(SavedMappingsServiceServer::new(SavedMappings { context }))
                .add_service(published),
        )
    })
}

/// Creates the task that adopts imports started by a process of the previous release, which has no jobs.
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

/// Creates the tasks that delete old idempotency keys, unused choices and rows of old checks, and end imports that
/// nobody continues.
fn prune(context: &Context) -> [Task; 5] {
    let Context { db, clock, .. } = context;
    [
        clearing::task("idempotency keys", SWEEP_EVERY, db, clock, async |db, now, doubts| {
            store::prune_keys(&db, now, &doubts).await
        }),
        clearing::task("matched columns", SWEEP_EVERY, db, clock, async |db, now, doubts| {
            store::prune_layouts(&db, now, &doubts).await
        }),
        clearing::task("matched values", SWEEP_EVERY, db, clock, async |db, now, doubts| {
            store::prune_values(&db, now, &doubts).await
        }),
        clearing::task("rows of checked files", SWEEP_EVERY, db, clock, async |db, now, doubts| {
            store::prune_parts(&db, now, &doubts).await
        }),
        clearing::task("abandoned imports", SWEEP_EVERY, db, clock, async |db, now, doubts| {
            store::prune_abandoned(&db, now, &doubts).await
        }),
    ]
}

/// Creates the task that removes files that nobody imported.
fn sweep_uploads(context: &Context) -> Task {
    let Context { db, clock, blob, .. } = context;
    let blob = blob.clone();
    clearing::task("unused files", SWEEP_EVERY, db, clock, move |db, _, doubts| {
        let blob = blob.clone();
        async move { store::sweep(&db, &blob, &doubts).await }
    })
}
