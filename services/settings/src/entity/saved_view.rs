use proto::settings::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::saved_view::{List, State};

/// A person's saved view of a list, or saved query of the query lab.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_view")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(unique)]
    pub creation_id: Uuid,
    /// Fingerprint of the input that created the row. Distinguishes a retry from other content with the same
    /// `creation_id`.
    pub creation_fingerprint: Vec<u8>,
    pub owner_id: String,
    /// The owner's username at the last change; empty if a release without shared queries saved the view.
    pub owner_name: String,
    pub list: List,
    pub name: String,
    /// Unique among the owner's views of the same list.
    pub name_key: String,
    pub state: State,
    /// Whether others may run the query.
    pub shared: bool,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Converts the view to the contract, for this caller.
    pub fn into_wire(self, caller: &str) -> wire::SavedView {
        let Self {
            id,
            creation_id: _,
            creation_fingerprint: _,
            owner_id,
            owner_name,
            list,
            name,
            name_key: _,
            state,
            shared,
            created_at: _,
            updated_at,
            version,
        } = self;
        wire::SavedView {
            id: id.to_string(),
            content: Some(wire::SavedViewInput {
                name,
                list: list.as_str().to_owned(),
                state: state.to_json(),
                shared,
            }),
            updated_at: Some(proto::timestamp(updated_at)),
            version: version.unsigned_abs(),
            owner: owner_name,
            own: owner_id == caller,
        }
    }
}
