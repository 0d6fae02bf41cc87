//! Analytics: answers questions about deliveries, their variances, shipments and drivers in numbers.
//!
//! The tables of `entity` are a projection. Events of deliveries and drivers keep them, and a rebuild reads everything
//! anew from those services. Deliberately absent: a fact that no other service owns.

mod answers;
// Nothing writes the tables yet.
#[allow(dead_code)]
mod entity;
pub mod members;
mod meta;
mod migration;
pub mod query;
mod rpc;

use ::store::published::Published;
use kit::Result;
use kit::clock::Clock;
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::service::Service;
use proto::analytics::v1::analytics_service_server::AnalyticsServiceServer;
use tonic::service::Routes;

pub use migration::Migrator;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "analytics";

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    /// Owners of the facts, which a rebuild reads.
    pub deliveries: Transport,
    pub drivers: Transport,
    pub identity: ServiceIdentity,
}

/// The service.
pub async fn service(context: Context) -> Result<Service> {
    let mut routes = Routes::builder();
    routes
        .add_service(Published::service(&context.db, NAME))
        .add_service(AnalyticsServiceServer::new(rpc::Service::new(context.clone())));
    Ok(Service::new(NAME, routes.routes()))
}
