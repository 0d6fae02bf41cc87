//! Proof requirements of deliveries: the customer's, otherwise the source's, otherwise the setting's.

use std::collections::BTreeMap;

use ::store::db;
use chrono::{DateTime, Utc};
use kit::Result;
use kit::config::Deliveries;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::proof::PodRequirement;
use crate::entity::requirement::Requirement;
use crate::entity::{customer, delivery, edit, source};

/// Returns the requirement that the setting contains.
pub fn default(config: &Deliveries) -> PodRequirement {
    PodRequirement::of(&config.pod_requirement.iter().map(|proof| (*proof).into()).collect::<Vec<_>>())
}

pub async fn of_one(
    connection: &impl ConnectionTrait,
    delivery: &delivery::Model,
    default: &PodRequirement,
) -> Result<PodRequirement> {
    let mut of = of(connection, std::slice::from_ref(delivery), default).await?;
    Ok(of.pop().unwrap_or_default())
}

/// Returns the requirement of a delivery as it applies to an outcome that a driver recorded at that time. What was
/// required before its customer or source was last changed, or before it got another customer, is not known, so
/// nothing is required then.
pub async fn of_one_at(
    connection: &impl ConnectionTrait,
    delivery: &delivery::Model,
    default: &PodRequirement,
    at: DateTime<Utc>,
) -> Result<PodRequirement> {
    if has_new_customer(connection, delivery, at).await? {
        return Ok(PodRequirement::default());
    }
    // A party of version 1 was created, and not changed.
    let then = |requirement: Option<Requirement>, version: i64, updated_at: DateTime<Utc>| {
        let is_newer = version > 1 && updated_at > at;
        if is_newer {
            Ok(Some(PodRequirement::default()))
        } else {
            requirement.map(|it| it.read()).transpose()
        }
    };
    let key = delivery.customername_key.clone();
    let customer = customer::Entity::find_by_id(key).one(connection).await.map_err(db)?;
    let customer =
        customer.map(|it| then(it.pod_requirement, it.version, it.updated_at)).transpose()?.flatten();
    let source = match delivery.source_id {
        Some(id) => source::Entity::find_by_id(id).one(connection).await.map_err(db)?,
        None => None,
    };
    let source = source.map(|it| then(it.pod_requirement, it.version, it.updated_at)).transpose()?.flatten();
    Ok(PodRequirement::resolve(customer.as_ref(), source.as_ref(), default).clone())
}

/// Returns whether the delivery got another customer after that time.
async fn has_new_customer(
    connection: &impl ConnectionTrait,
    delivery: &delivery::Model,
    at: DateTime<Utc>,
) -> Result<bool> {
    use edit::Column as C;
    // Each edit sets this time, so most outcomes need no query.
    if delivery.updated_at <= at {
        return Ok(false);
    }
    let later = edit::Entity::find().filter(C::DeliveryKey.eq(delivery.id_key.as_str())).filter(C::At.gt(at));
    let edits = later.all(connection).await.map_err(db)?;
    Ok(edits.iter().flat_map(|row| edit::read(&row.changes)).any(|change| change.field == "customername"))
}

/// Returns the requirement of each delivery, in the order of `deliveries`.
pub async fn of(
    connection: &impl ConnectionTrait,
    deliveries: &[delivery::Model],
    default: &PodRequirement,
) -> Result<Vec<PodRequirement>> {
    let names = deliveries.iter().map(|it| it.customername_key.as_str());
    let customers = of_customers(connection, names).await?;
    let sources = of_sources(connection, deliveries.iter().filter_map(|it| it.source_id)).await?;
    let of = |it: &delivery::Model| {
        let customer = customers.get(&it.customername_key);
        let source = it.source_id.and_then(|id| sources.get(&id));
        PodRequirement::resolve(customer, source, default).clone()
    };
    Ok(deliveries.iter().map(of).collect())
}

/// Returns the requirements of customers that have one, by folded name.
async fn of_customers(
    connection: &impl ConnectionTrait,
    keys: impl Iterator<Item = &str>,
) -> Result<BTreeMap<String, PodRequirement>> {
    use customer::Column as C;
    let rows: Vec<(String, Requirement)> = customer::Entity::find()
        .select_only()
        .columns([C::CustomerNameKey, C::PodRequirement])
        .filter(C::CustomerNameKey.is_in(keys))
        .filter(C::PodRequirement.is_not_null())
        .into_tuple()
        .all(connection)
        .await
        .map_err(db)?;
    rows.into_iter().map(|(key, requirement)| Ok((key, requirement.read()?))).collect()
}

async fn of_sources(
    connection: &impl ConnectionTrait,
    ids: impl Iterator<Item = Uuid>,
) -> Result<BTreeMap<Uuid, PodRequirement>> {
    use source::Column as C;
    let rows: Vec<(Uuid, Requirement)> = source::Entity::find()
        .select_only()
        .columns([C::Id, C::PodRequirement])
        .filter(C::Id.is_in(ids))
        .filter(C::PodRequirement.is_not_null())
        .into_tuple()
        .all(connection)
        .await
        .map_err(db)?;
    rows.into_iter().map(|(id, requirement)| Ok((id, requirement.read()?))).collect()
}
