use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

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
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Source {
    fn from(row: Model) -> Self {
        wire::Source {
            id: row.id.to_string(),
            name: row.name,
            is_active: row.is_active,
            created_at: Some(proto::timestamp(row.created_at)),
            updated_at: Some(proto::timestamp(row.updated_at)),
            version: row.version.unsigned_abs(),
        }
    }
}
