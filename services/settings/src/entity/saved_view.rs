use proto::settings::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::saved_view::{List, State};

/// A view of a list that somebody saved for themselves.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_view")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub creation_id: Uuid,
    /// Of what it was created with: tells the same creation again from another one.
    pub creation_fingerprint: Vec<u8>,
    pub owner_id: String,
    pub list: List,
    pub name: String,
    /// Unique among the owner's views of the list.
    pub name_key: String,
    pub state: State,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::SavedView {
    fn from(row: Model) -> Self {
        let Model {
            id,
            creation_id: _,
            creation_fingerprint: _,
            owner_id: _,
            list,
            name,
            name_key: _,
            state,
            created_at: _,
            updated_at,
            version,
        } = row;
        wire::SavedView {
            id: id.to_string(),
            content: Some(wire::SavedViewInput {
                name,
                list: list.as_str().to_owned(),
                state: state.to_json(),
            }),
            updated_at: Some(proto::timestamp(updated_at)),
            version: version.unsigned_abs(),
        }
    }
}
