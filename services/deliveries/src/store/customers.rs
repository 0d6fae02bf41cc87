//! Customers.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use proto::common::v1::SortDirection;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};

use super::addresses;
use crate::domain::party::Customer;
use crate::entity::customer::{ActiveModel, Column, Entity, Model};
use crate::entity::delivery::place;
use crate::entity::requirement::Requirement;
use crate::fields;
use ::store::audit::{self, Act, By, Changes};
use ::store::bulk::chunk;
use ::store::filter::fold;
use ::store::list::{Bounds, Listing};
use ::store::{Db, db};

pub const LIST: Listing<Entity> = Listing {
    fields: fields::CUSTOMERS,
    key: &[Column::CustomerNameKey],
    default: ("customerName", SortDirection::Asc),
    bounds: Bounds::DEFAULT,
};

/// A customer as a delivery brings it along.
pub struct New {
    pub name: String,
    pub email: Option<String>,
    pub address: String,
}

/// Makes the customers that do not exist yet; returns how many those were.
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

/// Several by name, ignoring case; unknown names are left out.
pub async fn by_names(db_: &Db, names: &[String]) -> Result<Vec<Model>> {
    let keys = names.iter().map(|name| fold(name));
    Entity::find().filter(Column::CustomerNameKey.is_in(keys)).all(db_.read()).await.map_err(db)
}

pub async fn get(db_: &Db, name: &str) -> Result<Model> {
    Entity::find_by_id(fold(name)).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(name))
}

/// Changes everything but the name. An edit of an old version is refused.
pub async fn update(db_: &Db, name: &str, version: u64, form: Customer, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(fold(name))
        .lock_exclusive()
        .one(&*tx)
        .await
        .map_err(db)?
        .ok_or_else(|| not_found(name))?;
    if row.version.unsigned_abs() != version {
        let text = format!("{} was changed in the meantime. Reload it and try again.", row.customer_name);
        return Err(Error::precondition("CUSTOMER_CHANGED", text));
    }
    match form.place {
        Some(place) => addresses::place(&*tx, &form.address, place).await?,
        None => addresses::create_missing(&*tx, [form.address.clone()]).await?,
    }
    let next = row.version + 1;
    let before = fields_of(&row);
    let row = ActiveModel {
        customer_email_key: Set(form.email.as_deref().map(fold)),
        customer_email: Set(form.email),
        customer_address_key: Set(fold(&form.address)),
        customer_address: Set(form.address),
        code: Set(form.code),
        phone: Set(form.phone),
        address_lat: Set(form.place.map(|it| it.lat)),
        address_lng: Set(form.place.map(|it| it.lng)),
        address_accuracy: Set(form.place.and_then(|it| it.accuracy)),
        pod_requirement: Set(form.pod_requirement.as_ref().map(Into::into)),
        updated_at: Set(by.now),
        updated_by: Set(by.actor.to_owned()),
        version: Set(next),
        ..row.into_active_model()
    };
    let row = row.update(&*tx).await.map_err(db)?;
    let act = Act {
        service: crate::NAME,
        action: "customer.updated",
        entity: "customer",
        entity_id: &row.customer_name,
        entity_name: &row.customer_name,
        changes: Changes::between(before, fields_of(&row)),
    };
    audit::record(&tx, by, act).await?;
    kit::fail_point("deliveries.customer.updated");
    tx.commit().await?;
    Ok(row)
}

/// What the audit log tells of one.
fn fields_of(row: &Model) -> audit::Fields {
    let place = place(row.address_lat, row.address_lng, row.address_accuracy);
    vec![
        ("email", row.customer_email.as_deref().into()),
        ("address", row.customer_address.as_str().into()),
        ("code", row.code.as_deref().into()),
        ("phone", row.phone.as_deref().into()),
        ("location", place.map(|it| format!("{}, {}", it.lat, it.lng)).into()),
        ("podRequirement", row.pod_requirement.as_ref().map(Requirement::names).into()),
    ]
}

fn not_found(name: &str) -> Error {
    Error::not_found("CUSTOMER_NOT_FOUND", format!("There is no customer {name}"))
}
