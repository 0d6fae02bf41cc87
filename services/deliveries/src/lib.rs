//! The core: deliveries with their items, history and shipments; customers and sources.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the
//! tables, `fields` says what each list can be filtered and sorted by. `evidence` looks at files that
//! prove something, `form` prints, `drivers` follows events. Deliberately absent: accounts, screens.

mod domain;
mod drivers;
mod entity;
mod evidence;
mod fields;
mod form;
mod migration;
mod places;
mod rpc;
pub mod seed;
mod settings;
mod store;
#[cfg(test)]
mod tests;

use std::time::Duration;

use ::store::settings::Follow;
use kit::Result;
use kit::blob::Blob;
use kit::bus::Consumer;
use kit::clock::Clock;
use proto::deliveries::v1::deliveries_service_server::DeliveriesServiceServer;
use proto::deliveries::v1::parties_service_server::PartiesServiceServer;
use proto::deliveries::v1::proof_service_server::ProofServiceServer;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

pub use drivers::follow as follow_drivers;
pub use form::code::Seal;
pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "deliveries";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub config: kit::config::Deliveries,
    pub organization: kit::config::Organization,
    /// What was set since, and counts before both.
    pub settings: ::store::settings::Settings,
    /// Where attachments lie.
    pub blob: Blob,
    /// Where people reach us, for what is printed.
    pub public_url: String,
    /// Makes the codes of forms.
    pub seal: Seal,
}

/// What keeps the service up to date about others: to be registered before any relay starts, and run.
pub fn consumers(context: &Context) -> Vec<Consumer> {
    vec![drivers::consumer(&context.db, &context.clock), follow_settings(context).consumer()]
}

/// Keeps the settings that are obeyed here.
pub fn follow_settings(context: &Context) -> Follow {
    Follow {
        db: context.db.clone(),
        clock: context.clock.clone(),
        settings: context.settings.clone(),
        service: NAME,
        consumer: "deliveries-settings",
        wanted: settings::OBEYED,
    }
}

/// The service's contract, to be mounted. Makes the first source when there is none.
pub async fn service(context: Context) -> Result<Routes> {
    store::sources::ensure_default(&context.db, &context.clock).await?;
    let deliveries = rpc::deliveries::Service { context: context.clone() };
    let parties = rpc::parties::Service { context: context.clone() };
    let proof = rpc::proof::Service::new(context)?;
    let mut routes = Routes::builder();
    routes
        // An import batch of 1,000 wide rows stays below this.
        .add_service(DeliveriesServiceServer::new(deliveries).max_decoding_message_size(16 << 20))
        .add_service(PartiesServiceServer::new(parties))
        .add_service(ProofServiceServer::new(proof));
    Ok(routes.routes())
}

/// What happens by itself until told to stop: what is too old to be sent again is forgotten.
pub async fn run(context: Context, stop: CancellationToken) -> Result<()> {
    let mut due = tokio::time::interval(CHORES_EVERY);
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            _ = due.tick() => {}
        }
        match store::client_events::prune(&context.db, context.clock.now()).await {
            Ok(0) => {}
            Ok(gone) => tracing::debug!(events = gone, "old client events were forgotten"),
            Err(error) => tracing::warn!("old client events wait for the next time: {error}"),
        }
    }
}
