//! What has to prove the outcome of deliveries: the customer decides, else the source, else the
//! setting.

use std::collections::BTreeMap;

use kit::Result;
use kit::config::Deliveries;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::proof::PodRequirement;
use crate::entity::requirement::Requirement;
use crate::entity::{customer, delivery, source};
use ::store::db;

/// The setting.
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

/// Of each delivery, in their order.
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

/// By folded name, of those customers that have decided.
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
