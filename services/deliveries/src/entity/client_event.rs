use sea_orm::entity::prelude::*;

use crate::domain::command::Effect;

/// An accepted event. Because of this row, a repetition of the event changes nothing.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub delivery_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub client_event_id: Uuid,
    /// Fingerprint of the request, because the same id must not come with another request.
    pub fingerprint: Vec<u8>,
    pub effect: Effect,
    /// The delivery's version after the event.
    pub version: i64,
    pub at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
