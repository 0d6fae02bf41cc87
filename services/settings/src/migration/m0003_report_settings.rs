use ::store::counter;
use ::store::migrate::bytewise_text;
use kit::clock::{Clock, new_id};
use sea_orm::sea_query::Value;
use sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, binary, boolean, integer, json, text, text_null, timestamp_with_time_zone, uuid,
};
use serde_json::{Value as Json, json};

use crate::entity::report_setting::{self, Column as C};
use crate::store::report_settings::COUNTER;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0003_report_settings"
    }
}

fn table(backend: DbBackend) -> TableCreateStatement {
    Table::create()
        .table(report_setting::Entity)
        .col(uuid(C::Id).primary_key())
        .col(uuid(C::CreationId).unique_key())
        .col(binary(C::CreationFingerprint))
        .col(text(C::Name))
        .col(bytewise_text(C::NameKey, backend).not_null().unique_key())
        .col(text(C::ReportKey))
        .col(json(C::Columns))
        .col(json(C::DefaultFilters))
        .col(integer(C::RangeDays))
        .col(text_null(C::Granularity))
        .col(json(C::GroupBy))
        .col(json(C::Sort))
        .col(text(C::Format))
        .col(boolean(C::IsActive))
        .col(timestamp_with_time_zone(C::CreatedAt))
        .col(text(C::CreatedBy))
        .col(timestamp_with_time_zone(C::UpdatedAt))
        .col(text(C::UpdatedBy))
        .col(bytewise_text(C::UpdatedByKey, backend).not_null())
        .col(big_integer(C::Version))
        .to_owned()
}

/// An initial definition. Only this migration creates them, so that a deleted one stays deleted.
struct First {
    name: &'static str,
    report: &'static str,
    columns: &'static [&'static str],
    granularity: Option<&'static str>,
    group_by: &'static [&'static str],
    /// Members to sort by, each with whether its order is descending.
    sort: &'static [(&'static str, bool)],
}

const FIRST: [First; 4] = [
    First {
        name: "Deliveries by day",
        report: "deliveries",
        columns: &[
            "Delivery.scheduledatetime",
            "Delivery.count",
            "Delivery.completedCount",
            "Delivery.pendingCount",
            "Delivery.onTimeRate",
        ],
        granularity: Some("day"),
        group_by: &[],
        sort: &[("Delivery.scheduledatetime", false)],
    },
    First {
        name: "Outcomes by customer",
        report: "customers",
        columns: &["CustomerReport.customername", "Delivery.deliverystatus", "Delivery.count"],
        granularity: None,
        group_by: &["CustomerReport.customername", "Delivery.deliverystatus"],
        sort: &[("CustomerReport.customername", false), ("Delivery.count", true)],
    },
    First {
        name: "Variances by reason",
        report: "variances",
        columns: &[
            "Variance.reason",
            "Variance.kind",
            "Variance.responsible",
            "Variance.count",
            "Variance.quantity",
        ],
        granularity: None,
        group_by: &["Variance.reason", "Variance.kind", "Variance.responsible"],
        sort: &[("Variance.count", true)],
    },
    First {
        name: "Drivers",
        report: "drivers",
        columns: &[
            "Driver.driverId",
            "Driver.driverName",
            "Delivery.count",
            "Delivery.completedCount",
            "Delivery.onTimeRate",
            "Delivery.firstAttemptRate",
            "Delivery.avgStopMinutes",
        ],
        granularity: None,
        group_by: &["Driver.driverId", "Driver.driverName"],
        sort: &[("Driver.driverId", false)],
    },
];

/// The columns of this release. Listed here, because the entity may get more later.
const COLUMNS: [C; 20] = [
    C::Id,
    C::CreationId,
    C::CreationFingerprint,
    C::Name,
    C::NameKey,
    C::ReportKey,
    C::Columns,
    C::DefaultFilters,
    C::RangeDays,
    C::Granularity,
    C::GroupBy,
    C::Sort,
    C::Format,
    C::IsActive,
    C::CreatedAt,
    C::CreatedBy,
    C::UpdatedAt,
    C::UpdatedBy,
    C::UpdatedByKey,
    C::Version,
];

impl First {
    fn values(&self) -> [Expr; 20] {
        const ACTOR: &str = "system:settings";
        const DAYS: i32 = 7;
        let now = Clock::system().now();
        let columns = self.columns.iter().map(|member| {
            let width: Option<u32> = None;
            json!({ "member": member, "label": "", "visible": true, "width": width })
        });
        let sort = self.sort.iter().map(|(member, down)| json!({ "member": member, "descending": down }));
        let values: [Value; 20] = [
            new_id().into(),
            new_id().into(),
            Vec::<u8>::new().into(),
            self.name.into(),
            self.name.to_lowercase().into(),
            self.report.into(),
            columns.collect::<Json>().into(),
            json!([]).into(),
            DAYS.into(),
            self.granularity.into(),
            json!(self.group_by).into(),
            sort.collect::<Json>().into(),
            "xlsx".into(),
            true.into(),
            now.into(),
            ACTOR.into(),
            now.into(),
            ACTOR.into(),
            ACTOR.into(),
            1i64.into(),
        ];
        values.map(Expr::value)
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(table(manager.get_database_backend())).await?;
        let mut rows = Query::insert();
        rows.into_table(report_setting::Entity).columns(COLUMNS);
        for first in &FIRST {
            rows.values_panic(first.values());
        }
        let connection = manager.get_connection();
        connection.execute(&rows).await?;
        let many = FIRST.len() as i64;
        counter::add(connection, COUNTER, many).await.map_err(|error| DbErr::Migration(format!("{error:#}")))
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use counter::row_count::{Column, Entity};
        let count = Query::delete().from_table(Entity).and_where(Expr::col(Column::Name).eq(COUNTER)).take();
        manager.get_connection().execute(&count).await?;
        manager.drop_table(Table::drop().table(report_setting::Entity).to_owned()).await
    }
}
