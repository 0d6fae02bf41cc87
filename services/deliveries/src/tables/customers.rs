//! Customers that deliveries name.

use ::store::bulk::chunk;
use ::store::db;
use ::store::filter::fold;
use chrono::{DateTime, Utc};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, EntityTrait};

use crate::entity::customer::{ActiveModel, Column, Entity};

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
    let mut created = 0;
    let mut rows = customers.into_iter().peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(chunk::<Entity>()).map(|it| ActiveModel {
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
        created += Entity::insert_many(some)
            .on_conflict(OnConflict::column(Column::CustomerNameKey).do_nothing().to_owned())
            .exec_without_returning(connection)
            .await
            .map_err(db)?;
    }
    Ok(created)
}
