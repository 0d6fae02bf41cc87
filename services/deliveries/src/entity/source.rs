use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use super::requirement::Requirement;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "source")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    #[sea_orm(unique)]
    pub name_key: String,
    pub is_active: bool,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
    pub pod_requirement: Option<Requirement>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Source {
    fn from(row: Model) -> Self {
        let Model {
            id,
            name,
            name_key: _,
            is_active,
            created_at,
            created_by,
            updated_at,
            updated_by,
            version,
            pod_requirement,
        } = row;
        wire::Source {
            id: id.to_string(),
            name,
            is_active,
            created_at: Some(proto::timestamp(created_at)),
            updated_at: Some(proto::timestamp(updated_at)),
            version: version.unsigned_abs(),
            pod_requirement: pod_requirement.map(Into::into),
            created_by,
            updated_by,
        }
    }
}
