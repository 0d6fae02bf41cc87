//! Creates the customers that deliveries name.

use ::store::bulk;
use ::store::filter::fold;
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::ConnectionTrait;
use sea_orm::sea_query::OnConflict;

use crate::entity::customer::{ActiveModel, Column};

/// A customer named by a delivery.
pub struct New {
    pub name: String,
    pub email: Option<String>,
    pub address: String,
}

/// Creates missing customers; returns how many.
pub async fn create_missing(
    connection: &impl ConnectionTrait,
    customers: Vec<New>,
    actor: &str,
    now: DateTime<Utc>,
) -> Result<u64> {
    let rows = customers.into_iter().map(|it| ActiveModel {
        customer_name_key: Set(fold(&it.name)),
        customer_name: Set(it.name),
        customer_email_key: Set(it.email.as_deref().map(fold)),
        customer_email: Set(it.email),
        customer_address_key: Set(fold(&it.address)),
        customer_address: Set(it.address),
        created_at: Set(now),
        created_by: Set(actor.to_owned()),
        updated_at: Set(now),
        updated_by: Set(actor.to_owned()),
        version: Set(1),
        ..Default::default()
    });
    let keep = OnConflict::column(Column::CustomerNameKey).do_nothing().to_owned();
    bulk::upsert(connection, rows.collect(), &keep).await
}
