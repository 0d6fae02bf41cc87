use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::reason::{AppliesTo, Reason, Responsible};

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reason")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub applies_to: AppliesTo,
    #[sea_orm(primary_key, auto_increment = false)]
    pub code: String,
    pub label: String,
    pub requires_photo: bool,
    pub requires_note: bool,
    pub responsible: Responsible,
    pub is_active: bool,
    /// Place in its list, from 1.
    pub place: i32,
    pub version: i64,
    /// NULL while the version is 1.
    pub updated_at: Option<DateTimeUtc>,
    pub updated_by: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for Reason {
    fn from(row: Model) -> Self {
        let Model {
            applies_to,
            code,
            label,
            requires_photo,
            requires_note,
            responsible,
            is_active,
            place,
            version: _,
            updated_at: _,
            updated_by: _,
        } = row;
        Reason {
            applies_to,
            code,
            label,
            requires_photo,
            requires_note,
            responsible,
            is_active,
            order: place,
        }
    }
}

impl From<Model> for wire::Reason {
    fn from(row: Model) -> Self {
        let version = row.version.unsigned_abs();
        let Reason { applies_to, code, label, requires_photo, requires_note, responsible, is_active, order } =
            row.into();
        wire::Reason {
            applies_to: applies_to.as_str().to_owned(),
            code,
            label,
            requires_photo,
            requires_note,
            responsible: responsible.as_str().to_owned(),
            is_active,
            order: order.unsigned_abs(),
            version,
        }
    }
}
