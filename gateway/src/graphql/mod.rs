//! The GraphQL API for the browser, assembled from the services' answers.
//!
//! This module holds the schema and the cache of documents. `viewer` gives resolvers the caller of a
//! request, `clients` the services to call. Objects wrap the contract's messages and only add names and
//! loaders. Every field requires a signed-in caller except `redwood`, `adminNeeded`, `signUpPolicy`,
//! `sendsMail` and `createAdmin`; services check roles. Deliberately absent: rules, defaults of lists, the
//! meaning of filters.

mod documents;
pub mod error;
mod limits;

mod account;
mod analytics;
mod announcements;
mod attachments;
mod audit;
mod bulk_change;
mod clients;
mod correct;
mod create;
mod current_user;
mod dead_letter_jobs;
mod dead_letters;
mod deliveries;
mod delivery_fields;
mod driver_logs;
mod drivers;
mod edit;
mod edit_items;
mod endpoints;
mod enums;
mod form_description;
mod head;
mod history;
mod items;
mod live;
mod loaders;
pub mod measured;
mod page;
mod parties;
mod presign;
mod producers;
mod progress;
mod reasons;
mod record_outcome;
mod report_schedules;
mod report_settings;
mod reschedule;
mod resolve_conflict;
mod saved_views;
mod selected;
mod settings;
mod tracker;
mod tracking;
mod upload_columns;
mod upload_corrections;
mod upload_items;
mod upload_mapping;
mod upload_progress;
mod upload_reading;
mod upload_review;
mod upload_rows;
mod upload_saved_mappings;
mod upload_values;
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
    upload_review::UploadReviewQuery,
    upload_saved_mappings::SavedMappingsQuery,
    upload_values::UploadValuesQuery,
    drivers::DriversQuery,
    driver_logs::DriverLogsQuery,
    tracker::TrackerQuery,
    settings::SettingsQuery,
    announcements::AnnouncementsQuery,
    report_settings::ReportSettingsQuery,
    report_schedules::ReportSchedulesQuery,
    saved_views::SavedViewsQuery,
    dead_letters::DeadLettersQuery,
    endpoints::EndpointsQuery,
    analytics::AnalyticsQuery,
    producers::ProducersQuery,
    bulk_change::BulkQuery,
);

#[derive(MergedObject, Default)]
pub struct Mutation(
    account::AccountMutation,
    users::UsersMutation,
    create::CreateMutation,
    edit::EditMutation,
    selected::SelectedMutation,
    edit_items::ItemsMutation,
    record_outcome::RecordOutcomeMutation,
    reschedule::RescheduleMutation,
    correct::CorrectMutation,
    resolve_conflict::ResolveConflictMutation,
    attachments::AttachmentsMutation,
    presign::PresignMutation,
    reasons::ReasonsMutation,
    parties::PartiesMutation,
    drivers::DriversMutation,
    settings::SettingsMutation,
    announcements::AnnouncementsMutation,
    report_settings::ReportSettingsMutation,
    report_schedules::ReportSchedulesMutation,
    saved_views::SavedViewsMutation,
    uploads::UploadsMutation,
    upload_corrections::UploadCorrectionsMutation,
    upload_mapping::UploadMappingMutation,
    upload_saved_mappings::SavedMappingsMutation,
    upload_values::UploadValuesMutation,
    dead_letters::DeadLettersMutation,
    endpoints::EndpointsMutation,
    analytics::AnalyticsMutation,
    producers::ProducersMutation,
    bulk_change::BulkMutation,
);

#[derive(MergedSubscription, Default)]
pub struct Subscription(
    live::DeliverySubscription,
    tracking::TrackingSubscription,
    current_user::CurrentUserSubscription,
    dead_letter_jobs::DeadLettersSubscription,
    upload_progress::UploadsSubscription,
);

pub type Schema = async_graphql::Schema<Query, Mutation, Subscription>;

/// The schema, and the cache of parsed documents.
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

/// Returns the schema in SDL, always in the same order.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions()
        .use_space_ident();
    build(None).sdl_with_options(options)
}
