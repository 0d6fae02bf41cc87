//! The graph: what a browser may ask for, put together from the services' answers.
//!
//! Here: the schema and its documents. What a resolver gets from its request is in `viewer`, the services
//! it calls are in `clients`. Objects wrap the contract's messages and add names and loaders, nothing else. Every field needs a signed-in caller except
//! `redwood`, `adminNeeded`, `signUpPolicy`, `sendsMail` and `createAdmin`; roles are the services' matter.
//! Deliberately absent: rules, defaults of lists, the meaning of filters.

mod documents;
pub mod error;
mod limits;

mod account;
mod analytics;
mod announcements;
mod attachments;
mod audit;
mod bulk;
mod clients;
mod current_user;
mod dead_letter_jobs;
mod dead_letters;
mod deliveries;
mod driver_logs;
mod drivers;
mod editing;
mod endpoints;
mod enums;
mod form_description;
mod history;
mod item_editing;
mod items;
mod live;
mod loaders;
pub mod measured;
mod outcomes;
mod page;
mod parties;
mod presign;
mod producers;
mod reasons;
mod report_settings;
mod saved_views;
mod settings;
mod tracker;
mod tracking;
mod upload_corrections;
mod upload_mapping;
mod uploads;
mod users;
pub mod value;
mod variances;
mod viewer;

use std::sync::Arc;

use async_graphql::{MergedObject, MergedSubscription, SDLExportOptions};
use kit::config::Graphql;

pub use account::Address;
use documents::Documents;
pub use viewer::Viewer;

#[derive(MergedObject, Default)]
pub struct Query(
    account::AccountQuery,
    users::UsersQuery,
    audit::AuditQuery,
    deliveries::DeliveriesQuery,
    items::ItemsQuery,
    history::HistoryQuery,
    reasons::ReasonsQuery,
    parties::PartiesQuery,
    uploads::UploadsQuery,
    upload_mapping::UploadMappingQuery,
    drivers::DriversQuery,
    driver_logs::DriverLogsQuery,
    tracker::TrackerQuery,
    settings::SettingsQuery,
    announcements::AnnouncementsQuery,
    report_settings::ReportSettingsQuery,
    saved_views::SavedViewsQuery,
    dead_letters::DeadLettersQuery,
    endpoints::EndpointsQuery,
    analytics::AnalyticsQuery,
    producers::ProducersQuery,
    bulk::BulkQuery,
);

#[derive(MergedObject, Default)]
pub struct Mutation(
    account::AccountMutation,
    users::UsersMutation,
    editing::EditingMutation,
    item_editing::ItemsMutation,
    outcomes::OutcomesMutation,
    attachments::AttachmentsMutation,
    presign::PresignMutation,
    reasons::ReasonsMutation,
    parties::PartiesMutation,
    drivers::DriversMutation,
    settings::SettingsMutation,
    announcements::AnnouncementsMutation,
    report_settings::ReportSettingsMutation,
    saved_views::SavedViewsMutation,
    uploads::UploadsMutation,
    upload_corrections::UploadCorrectionsMutation,
    upload_mapping::UploadMappingMutation,
    dead_letters::DeadLettersMutation,
    endpoints::EndpointsMutation,
    analytics::AnalyticsMutation,
    producers::ProducersMutation,
    bulk::BulkMutation,
);

#[derive(MergedSubscription, Default)]
pub struct Subscription(
    live::DeliverySubscription,
    tracking::TrackingSubscription,
    current_user::CurrentUserSubscription,
    dead_letter_jobs::DeadLettersSubscription,
);

pub type Schema = async_graphql::Schema<Query, Mutation, Subscription>;

/// What answers a document: the schema, and the documents that were read before.
pub struct Graph {
    pub schema: Schema,
    pub documents: Documents,
}

impl Graph {
    pub fn new(config: &Graphql) -> Arc<Self> {
        Arc::new(Self { schema: build(Some(config)), documents: Documents::new(config.clone()) })
    }
}

fn build(config: Option<&Graphql>) -> Schema {
    let mut builder =
        Schema::build(Query::default(), Mutation::default(), Subscription::default()).disable_suggestions();
    if let Some(config) = config {
        builder = builder.limit_complexity(config.max_complexity);
        if !config.introspection {
            builder = builder.disable_introspection();
        }
    }
    builder.finish()
}

/// The schema in its own language, always in the same order.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions()
        .use_space_ident();
    build(None).sdl_with_options(options)
}
