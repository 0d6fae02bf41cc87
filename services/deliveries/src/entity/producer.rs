use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

/// Another system that reports messages it could not send.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "producer")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Never changes, because it is part of the producer's subject.
    #[sea_orm(unique)]
    pub name: String,
    /// The endpoint that receives the producer's messages when they are resent.
    pub endpoint_id: Uuid,
    pub is_active: bool,
    /// SHA-256 of the token. A fast hash suffices, because the token is random and long.
    #[sea_orm(unique)]
    pub token_hash: String,
    pub token_made_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
    pub created_by: String,
    pub updated_at: DateTimeUtc,
    pub updated_by: String,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Returns the subject that the producer publishes to, before the bus' namespace is applied.
    pub fn subject(&self) -> String {
        kit::bus::intake::subject(&self.name)
    }
}

/// Omits the token; the caller fills in the endpoint's name.
impl From<Model> for wire::Producer {
    fn from(row: Model) -> Self {
        let subject = row.subject();
        let Model {
            id,
            name,
            endpoint_id,
            is_active,
            token_hash: _,
            token_made_at,
            created_at,
            created_by: _,
            updated_at,
            updated_by,
            version,
        } = row;
        wire::Producer {
            id: id.to_string(),
            name,
            endpoint_id: endpoint_id.to_string(),
            endpoint_name: String::new(),
            is_active,
            subject,
            token_made_at: Some(proto::timestamp(token_made_at)),
            created_at: Some(proto::timestamp(created_at)),
            updated_at: Some(proto::timestamp(updated_at)),
            updated_by,
            version: version.unsigned_abs(),
            token: String::new(),
        }
    }
}
