use sea_orm::entity::prelude::*;

use crate::domain::command::Effect;

/// An event that was accepted: the same one again changes nothing.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub client_event_id: Uuid,
    /// Of what was asked for: the same id must not come with something else.
    pub fingerprint: Vec<u8>,
    pub effect: Effect,
    /// Of the delivery afterwards.
    pub version: i64,
    pub at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
