//! The core: deliveries with their items, history and shipments; customers and sources.
//!
//! `rpc` implements the contract: with `commands`, one file per change, and `queries`, one file per resource.
//! `domain` decides, `tables` writes the rows that commands share, `entity` has the tables. `attachments`
//! checks and stores uploaded files, `form` prints, `events` emits and handles events, `outbound` sends to
//! other systems, `chores` deletes old data. Deliberately absent: accounts, screens.

mod attachments;
mod chores;
mod commands;
mod domain;
mod entity;
mod events;
mod form;
mod migration;
mod outbound;
mod queries;
mod rpc;
pub mod seed;
mod settings;
mod tables;
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
pub use outbound::sends::after_restore;

/// The service's name in addresses, subjects and databases.
pub const NAME: &str = "deliveries";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);
const SEAL_ANEW_EVERY: Duration = Duration::from_secs(60);

/// The dependencies of the service.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub config: kit::config::Deliveries,
    pub organization: kit::config::Organization,
    /// Runtime settings; they override `config` and `organization`.
    pub settings: ::store::settings::Settings,
    /// Storage of attachments.
    pub blob: Blob,
    /// The product's public address, for printed forms.
    pub public_url: String,
    /// Computes the codes of forms.
    pub seal: Seal,
    /// Encrypts the secrets of endpoints.
    pub sealer: Sealer,
}

/// Assembles the service. Creates the first source if there is none.
pub async fn service(context: Context) -> Result<Service> {
    commands::sources::ensure_default(&context.db, &context.clock).await?;
    let proof = rpc::proof::Service::new(context.clone())?;
    let jobs = commands::bulk_change::with_jobs(&context, outbound::jobs(&context).await?)
        .with(commands::dead_letter_jobs::Bulk { context: context.clone() })
        .with(commands::endpoint_letters::Discard { context: context.clone() })
        .with(commands::reported_letters::Follow { context: context.clone() });
    let mut tasks = vec![
        events::follow_settings(&context).task(),
        note_closed_sends(&context),
        seal_anew(&context),
        outbound::backlog::look(&context),
        Task::new("jobs", |stop| jobs.run(stop)),
    ];
    tasks.extend(chores::tasks(&context));
    Ok(Service {
        consumers: events::consumers(&context),
        intake: Some(commands::intake::intake(&context)),
        tasks,
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
    let bulk = rpc::bulk_change::Service { context: context.clone() };
    routes
        .add_service(published)
        .add_service(BulkServiceServer::new(bulk))
        .add_service(DeadLettersServiceServer::new(dead_letters))
        .add_service(IntakeServiceServer::new(intake))
        // An import batch of 1,000 wide rows stays below this limit.
        .add_service(DeliveriesServiceServer::new(deliveries).max_decoding_message_size(16 << 20))
        .add_service(PartiesServiceServer::new(rpc::parties::Service { context }))
        .add_service(ProofServiceServer::new(proof))
        .add_service(SnapshotServiceServer::new(snapshot));
    routes.routes()
}

/// Creates the task that fills in `closed_at` of messages that an earlier release sent or discarded without
/// it.
fn note_closed_sends(context: &Context) -> Task {
    let context = context.clone();
    Task::every("times of closed messages", CHORES_EVERY, FirstRun::AtStart, move || {
        let Context { db, clock, .. } = context.clone();
        async move {
            let noted = outbound::sends::note_closed(&db, ::store::clearing::now(&db, &clock).await?).await?;
            if noted > 0 {
                tracing::info!(messages = noted, "messages that were closed before got the time of that");
            }
            Ok(())
        }
    })
}

/// Creates the task that seals secrets of endpoints with the new service secret while the old one is still
/// accepted.
fn seal_anew(context: &Context) -> Task {
    let context = context.clone();
    // Repeated, because a process that still has only the old secret may seal with that secret until the
    // process is replaced.
    Task::every("sealed secrets", SEAL_ANEW_EVERY, FirstRun::AtStart, move || {
        let Context { db, sealer, .. } = context.clone();
        async move {
            let changed =
                if sealer.is_changing() { commands::endpoints::seal_anew(&db, &sealer).await? } else { 0 };
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
