use proto::common::v1::{Filter as WireFilter, SortDirection};
use proto::settings::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::report_member::ReportKey;
use crate::domain::report_setting::{
    Column as ReportColumn, Columns, Filter, Filters, Format, Granularity, Members, Sort, Sorts,
};

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "report_setting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub creation_id: Uuid,
    /// Fingerprint of the input that created the row. Distinguishes a retry from other content with the same
    /// `creation_id`.
    pub creation_fingerprint: Vec<u8>,
    pub name: String,
    #[sea_orm(unique)]
    pub name_key: String,
    pub report_key: ReportKey,
    pub columns: Columns,
    pub default_filters: Filters,
    pub range_days: i32,
    pub granularity: Option<Granularity>,
    pub group_by: Members,
    pub sort: Sorts,
    pub format: Format,
    pub is_active: bool,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub updated_by_key: String,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::ReportSetting {
    fn from(row: Model) -> Self {
        let Model {
            id,
            creation_id: _,
            creation_fingerprint: _,
            name,
            name_key: _,
            report_key,
            columns,
            default_filters,
            range_days,
            granularity,
            group_by,
            sort,
            format,
            is_active,
            created_at,
            created_by,
            updated_at,
            updated_by,
            updated_by_key: _,
            version,
        } = row;
        let columns = columns.0.into_iter().map(|it| {
            let ReportColumn { member, label, visible, width } = it;
            wire::ReportColumn { member, label, visible, width }
        });
        let default_filters = default_filters.0.into_iter().map(|it| {
            let Filter { key, operator, values } = it;
            WireFilter { key, operator, values }
        });
        let sort = sort.0.into_iter().map(|it| {
            let Sort { member, descending } = it;
            let direction = if descending { SortDirection::Desc } else { SortDirection::Asc };
            wire::ReportSort { member, direction: direction.into() }
        });
        wire::ReportSetting {
            id: id.to_string(),
            content: Some(wire::ReportSettingInput {
                name,
                report_key: report_key.as_str().to_owned(),
                columns: columns.collect(),
                default_filters: default_filters.collect(),
                range_days: range_days.unsigned_abs(),
                granularity: granularity.map_or(wire::Granularity::Unspecified, Into::into).into(),
                group_by: group_by.0,
                sort: sort.collect(),
                format: wire::ReportFormat::from(format).into(),
                is_active,
            }),
            created_at: Some(proto::timestamp(created_at)),
            created_by,
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
        }
    }
}
