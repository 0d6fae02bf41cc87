//! Creates the table of schedules by which reports are sent by mail.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, boolean, integer, json, text, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
    uuid_null,
};

use crate::entity::report_schedule::{Column as C, Entity};
use crate::entity::report_setting;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0008_report_schedules"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // A schedule is deleted with its report setting.
        let mut of_setting = ForeignKey::create()
            .name("schedule_report_setting")
            .from(Entity, C::ReportSettingId)
            .to(report_setting::Entity, report_setting::Column::Id)
            .on_delete(ForeignKeyAction::Cascade)
            .to_owned();
        // The table has no more rows than there are report settings, so finding due ones needs no index.
        let table = Table::create()
            .table(Entity)
            .col(uuid(C::Id).primary_key())
            .col(uuid(C::ReportSettingId).unique_key())
            .col(text(C::Cadence))
            .col(integer(C::Weekday))
            .col(integer(C::MonthDay))
            .col(text(C::LocalTime))
            .col(text(C::Zone))
            .col(json(C::Recipients))
            .col(text(C::Format))
            .col(boolean(C::IsPaused))
            .col(text(C::PausedReason))
            .col(text(C::Owner))
            .col(timestamp_with_time_zone_null(C::NextAt))
            .col(uuid_null(C::SendRequest))
            .col(timestamp_with_time_zone_null(C::SendRequestedAt))
            .col(timestamp_with_time_zone_null(C::SentAt))
            .col(integer(C::SentCount))
            .col(text(C::Skipped))
            .col(timestamp_with_time_zone_null(C::FailedAt))
            .col(text(C::Failure))
            .col(timestamp_with_time_zone(C::CreatedAt))
            .col(text(C::CreatedBy))
            .col(timestamp_with_time_zone(C::UpdatedAt))
            .col(text(C::UpdatedBy))
            .col(big_integer(C::Version))
            .foreign_key(&mut of_setting)
            .to_owned();
        manager.create_table(table).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Entity).to_owned()).await
    }
}
