//! Settings that apply to everybody, changed by administrators and, for some settings, planners; the
//! customer's logo; announcements; report definitions and their schedules; saved views of lists and saved
//! queries.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` has the tables,
//! `fields` lists what each list can be filtered and sorted by. `domain::catalogue` lists all settings.
//! Deliberately absent: the effect of a setting. Each service that uses one keeps a copy, updated by our
//! events (`settings` of the crate `store`), so that nobody waits for this service.

mod domain;
mod entity;
mod events;
mod fields;
mod logo;
mod migration;
mod rpc;
pub mod seed;
mod store;
#[cfg(test)]
mod tests;

use std::time::Duration;

use ::store::clearing;
use ::store::published::Published;
use kit::Result;
use kit::blob::Blob;
use kit::clock::Clock;
use kit::service::{Service, Task};
use proto::events::SettingChanged;
use proto::settings::v1::announcements_service_server::AnnouncementsServiceServer;
use proto::settings::v1::logo_service_server::LogoServiceServer;
use proto::settings::v1::report_schedules_service_server::ReportSchedulesServiceServer;
use proto::settings::v1::report_settings_service_server::ReportSettingsServiceServer;
use proto::settings::v1::saved_views_service_server::SavedViewsServiceServer;
use proto::settings::v1::settings_service_server::SettingsServiceServer;
use tonic::service::Routes;

pub use domain::catalogue::Defaults;
pub use migration::Migrator;

use rpc::Shared;

/// The service's name in addresses, subjects and databases.
pub const NAME: &str = "settings";

const CHORES_EVERY: Duration = Duration::from_secs(3_600);

/// The dependencies of the service.
#[derive(Clone)]
pub struct Context {
    pub db: ::store::Db,
    pub clock: Clock,
    pub blob: Blob,
    /// The product's public address, for permanent links; empty if none is configured.
    pub public_url: String,
    /// Values of settings that were never changed.
    pub defaults: Defaults,
}

/// Assembles the service. Updates the rows of settings from the catalogue first.
pub async fn service(context: Context) -> Result<Service> {
    store::settings::align(&context.db).await?;
    let shared = Shared { context: context.clone() };
    let announcements = rpc::announcements::Service { shared: shared.clone() };
    let report_settings = rpc::report_settings::Service { shared: shared.clone() };
    let report_schedules = rpc::report_schedules::Service { shared: shared.clone() };
    let saved_views = rpc::saved_views::Service { shared: shared.clone() };
    let published =
        Published::new(&context.db, NAME).with_snapshot::<SettingChanged>(store::settings::Values);
    let mut routes = Routes::builder();
    routes
        .add_service(published.serve())
        .add_service(SettingsServiceServer::new(rpc::settings::Service { shared: shared.clone() }))
        .add_service(AnnouncementsServiceServer::new(announcements))
        .add_service(ReportSettingsServiceServer::new(report_settings))
        .add_service(ReportSchedulesServiceServer::new(report_schedules))
        .add_service(SavedViewsServiceServer::new(saved_views))
        .add_service(LogoServiceServer::new(rpc::logo::Service::new(shared)));
    Ok(Service {
        consumers: events::consumers(&context),
        checks: vec![context.blob.check()],
        tasks: vec![sweep_logos(context)],
        ..Service::new(NAME, routes.routes())
    })
}

/// Creates the task that removes unreferenced logos and uploads.
fn sweep_logos(context: Context) -> Task {
    let (db, clock) = (context.db.clone(), context.clock.clone());
    clearing::task("unused files", CHORES_EVERY, &db, &clock, move |_, _, doubts| {
        let context = context.clone();
        async move { logo::sweep::sweep(&context, &doubts).await }
    })
}
