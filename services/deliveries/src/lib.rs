//! The core: deliveries with their items, history and shipments; customers and sources.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the
//! tables, `fields` says what each list can be filtered and sorted by. `evidence` looks at files that
//! prove something, `files` keeps them, `form` prints, `events` emits and handles events, `outbound` sends to other
//! systems, `intake` keeps what they report, `bulk` changes many at once. Deliberately absent: accounts,
//! screens.

mod bulk;
mod domain;
mod entity;
mod events;
mod evidence;
mod fields;
mod files;
mod form;
mod intake;
mod migration;
mod outbound;
mod rpc;
pub mod seed;
mod settings;
mod store;
#[cfg(test)]
mod tests;

use std::time::Duration;

use ::store::published::Published;
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::sealed::Sealer;
use kit::service::{FirstRun, Service, Task};
use proto::deliveries::v1::bulk_service_server::BulkServiceServer;
use proto::deliveries::v1::dead_letters_service_server::DeadLettersServiceServer;
use proto::deliveries::v1::deliveries_service_server::DeliveriesServiceServer;
use proto::deliveries::v1::intake_service_server::IntakeServiceServer;
use proto::deliveries::v1::parties_service_server::PartiesServiceServer;
use proto::deliveries::v1::proof_service_server::ProofServiceServer;
use proto::deliveries::v1::snapshot_service_server::SnapshotServiceServer;
use tonic::service::Routes;

pub use events::copies;
pub use form::code::Seal;
pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "deliveries";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);
const SEAL_ANEW_EVERY: Duration = Duration::from_secs(60);
/// What was sent or discarded is shown for so long.
const KEEP_SENDS: chrono::Duration = chrono::Duration::days(90);

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub config: kit::config::Deliveries,
    pub organization: kit::config::Organization,
    /// Runtime settings; they override `config` and `organization`.
    pub settings: ::store::settings::Settings,
    /// Where attachments lie.
    pub blob: Blob,
    /// Where people reach us, for what is printed.
    pub public_url: String,
    /// Makes the codes of forms.
    pub seal: Seal,
    /// Keeps the secrets of endpoints.
    pub sealer: Sealer,
}

/// The service. Makes the first source when there is none.
pub async fn service(context: Context) -> Result<Service> {
    store::sources::ensure_default(&context.db, &context.clock).await?;
    let proof = rpc::proof::Service::new(context.clone())?;
    let jobs = bulk::with_jobs(&context, outbound::jobs(&context).await?);
    Ok(Service {
        consumers: events::consumers(&context),
        intake: Some(intake::intake(&context)),
        tasks: vec![
            events::follow_settings(&context).task(),
            prune_client_events(&context),
            sweep_files(&context),
            clear_undo(&context),
            clear_bulk(&context),
            prune_sends(&context),
            seal_anew(&context),
            outbound::backlog::look(&context),
            Task::new("jobs", |stop| jobs.run(stop)),
        ],
        checks: vec![context.blob.check()],
        ..Service::new(NAME, routes(context, proof))
    })
}

fn routes(context: Context, proof: rpc::proof::Service) -> Routes {
    let published = Published::service(&context.db, NAME);
    let deliveries = rpc::deliveries::Service { context: context.clone() };
    let snapshot = rpc::snapshot::Service { db: context.db.clone() };
    let mut routes = Routes::builder();
    let dead_letters = rpc::dead_letters::Service::new(context.clone());
    let intake = rpc::intake::Service { context: context.clone() };
    let bulk = rpc::bulk::Service { context: context.clone() };
    routes
        .add_service(published)
        .add_service(BulkServiceServer::new(bulk))
        .add_service(DeadLettersServiceServer::new(dead_letters))
        .add_service(IntakeServiceServer::new(intake))
        // An import batch of 1,000 wide rows stays below this.
        .add_service(DeliveriesServiceServer::new(deliveries).max_decoding_message_size(16 << 20))
        .add_service(PartiesServiceServer::new(rpc::parties::Service { context }))
        .add_service(ProofServiceServer::new(proof))
        .add_service(SnapshotServiceServer::new(snapshot));
    routes.routes()
}

/// Deletes client events that are too old to be sent again.
fn prune_client_events(context: &Context) -> Task {
    let context = context.clone();
    Task::every("client events", CHORES_EVERY, FirstRun::AtStart, move || {
        let Context { db, clock, .. } = context.clone();
        async move {
            let gone = store::client_events::prune(&db, clock.now()).await?;
            if gone > 0 {
                tracing::debug!(events = gone, "old client events were deleted");
            }
            Ok(())
        }
    })
}

/// Clears what was kept for undoing imports, once it is old.
fn clear_undo(context: &Context) -> Task {
    let context = context.clone();
    Task::every("values for undo", CHORES_EVERY, FirstRun::AtStart, move || {
        let Context { db, clock, .. } = context.clone();
        async move {
            let cleared = store::undo::clear(&db, clock.now()).await?;
            if cleared > 0 {
                tracing::debug!(deliveries = cleared, "old values for undoing imports were cleared");
            }
            Ok(())
        }
    })
}

/// Clears what was kept for undoing changes of many, once it is old.
fn clear_bulk(context: &Context) -> Task {
    let context = context.clone();
    Task::every("rows of bulk changes", CHORES_EVERY, FirstRun::AtStart, move || {
        let Context { db, clock, .. } = context.clone();
        async move {
            let cleared = store::bulk_rows::clear(&db, ::store::clearing::now(&db, &clock).await?).await?;
            if cleared > 0 {
                tracing::debug!(rows = cleared, "old rows of bulk changes were cleared");
            }
            Ok(())
        }
    })
}

/// Deletes what was sent or discarded long ago.
fn prune_sends(context: &Context) -> Task {
    let context = context.clone();
    Task::every("sent messages", CHORES_EVERY, FirstRun::AtStart, move || {
        let Context { db, clock, .. } = context.clone();
        async move {
            let before = ::store::clearing::now(&db, &clock).await? - KEEP_SENDS;
            let gone = store::sends::prune(&db, before).await?;
            if gone > 0 {
                tracing::debug!(messages = gone, "old messages to other systems were deleted");
            }
            Ok(())
        }
    })
}

/// Seals secrets of endpoints with the present service secret, while the one before it is accepted still.
fn seal_anew(context: &Context) -> Task {
    let context = context.clone();
    // A process of before the change may seal with the old one until it ends.
    Task::every("sealed secrets", SEAL_ANEW_EVERY, FirstRun::AtStart, move || {
        let Context { db, sealer, .. } = context.clone();
        async move {
            let changed =
                if sealer.is_changing() { store::endpoints::seal_anew(&db, &sealer).await? } else { 0 };
            if changed > 0 {
                tracing::info!(
                    endpoints = changed,
                    "secrets of endpoints were sealed with the present service secret"
                );
            }
            Ok(())
        }
    })
}

/// Removes files that nobody added to a delivery.
fn sweep_files(context: &Context) -> Task {
    let context = context.clone();
    Task::every("unused files", CHORES_EVERY, FirstRun::AtStart, move || {
        let Context { db, blob, .. } = context.clone();
        async move {
            let gone = files::sweep(&db, &blob).await?;
            if gone > 0 {
                tracing::debug!(links = gone, "uploads that nobody added were removed");
            }
            Ok(())
        }
    })
}
