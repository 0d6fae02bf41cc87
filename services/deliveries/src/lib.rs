//! The core: deliveries with their items, history and shipments; customers and sources.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the
//! tables, `fields` says what each list can be filtered and sorted by. Deliberately absent:
//! accounts, files, screens.

mod domain;
mod entity;
mod fields;
mod migration;
mod rpc;
pub mod seed;
mod store;
#[cfg(test)]
mod tests;

use kit::Result;
use kit::clock::Clock;
use proto::deliveries::v1::deliveries_service_server::DeliveriesServiceServer;
use proto::deliveries::v1::parties_service_server::PartiesServiceServer;
use tonic::service::Routes;

pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "deliveries";

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
}

/// The service's contract, to be mounted. Makes the first source when there is none.
pub async fn service(context: Context) -> Result<Routes> {
    store::sources::ensure_default(&context.db, &context.clock).await?;
    let deliveries = rpc::deliveries::Service { context: context.clone() };
    let parties = rpc::parties::Service { context };
    let mut routes = Routes::builder();
    routes
        // An import batch of 1,000 wide rows stays below this.
        .add_service(DeliveriesServiceServer::new(deliveries).max_decoding_message_size(16 << 20))
        .add_service(PartiesServiceServer::new(parties));
    Ok(routes.routes())
}
