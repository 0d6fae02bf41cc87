use proto::auth::v1 as wire;
use sea_orm::entity::prelude::*;

/// A privileged act. The database refuses to change or delete a row.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub at: DateTimeUtc,
    pub actor: String,
    pub actor_key: String,
    pub address: String,
    pub action: String,
    pub entity: String,
    pub entity_id: String,
    pub entity_name: String,
    pub entity_name_key: String,
    pub before_json: String,
    pub after_json: String,
    pub request_id: String,
    /// 1, 2, 3 and so on, in the order of writing.
    #[sea_orm(unique)]
    pub number: i64,
    /// The hash of the previous entry.
    pub previous_hash: Vec<u8>,
    /// The hash of this entry.
    pub hash: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::AuditEntry {
    fn from(row: Model) -> Self {
        let Model {
            id,
            at,
            actor,
            actor_key: _,
            address,
            action,
            entity,
            entity_id,
            entity_name,
            entity_name_key: _,
            before_json,
            after_json,
            request_id,
            number: _,
            previous_hash: _,
            hash: _,
        } = row;
        wire::AuditEntry {
            id: id.to_string(),
            at: Some(proto::timestamp(at)),
            actor,
            address,
            action,
            entity,
            entity_id,
            entity_name,
            before_json,
            after_json,
            request_id,
        }
    }
}
