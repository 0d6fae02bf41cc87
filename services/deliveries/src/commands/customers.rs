//! Edits of customers.

use std::collections::BTreeMap;

use ::store::audit::{self, Act, By, Changes};
use ::store::bulk;
use ::store::filter::fold;
use ::store::{Db, Tx, db, require_version};
use kit::Result;
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};

use crate::domain::party::Customer;
use crate::entity::customer::{ActiveModel, Column, Entity, Model};
use crate::entity::delivery::place;
use crate::entity::requirement::Requirement;
use crate::queries::customers::not_found;
use crate::tables::addresses::{self, Located};
use crate::tables::customers::New;

/// Changes everything except the name. An edit of an old version is refused.
pub async fn update(db_: &Db, name: &str, version: u64, form: Customer, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let row = Entity::find_by_id(fold(name))
        .lock_exclusive()
        .one(&*tx)
        .await
        .map_err(db)?
        .ok_or_else(|| not_found(name))?;
    require_version(row.version, version, "CUSTOMER_CHANGED", &row.customer_name)?;
    let stored = place(row.address_lat, row.address_lng, row.address_accuracy);
    let stored = Located { text: &row.customer_address, place: stored };
    addresses::save(&*tx, Located { text: &form.address, place: form.place }, Some(stored)).await?;
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
    record(&tx, before, &row, by).await?;
    kit::fail_point("deliveries.customer.updated");
    tx.commit().await?;
    Ok(row)
}

/// Fills in the email and address of existing customers that have none. `named` holds the customers of the file by
/// folded name.
pub async fn fill_empty(tx: &Tx, named: &BTreeMap<String, New>, by: By<'_>) -> Result<()> {
    let keys_of = |has: fn(&New) -> bool| -> Vec<&str> {
        named.iter().filter(|(_, it)| has(it)).map(|(key, _)| key.as_str()).collect()
    };
    let (with_email, with_address) = (keys_of(|it| it.email.is_some()), keys_of(|it| !it.address.is_empty()));
    if with_email.is_empty() && with_address.is_empty() {
        return Ok(());
    }
    let among = |keys: Vec<&str>| bulk::among(&**tx, Column::CustomerNameKey, keys);
    let lacks_email = Condition::all().add(Column::CustomerEmail.is_null()).add(among(with_email));
    let lacks_address = Condition::all().add(Column::CustomerAddress.eq("")).add(among(with_address));
    // Lock only customers that change.
    let rows = Entity::find()
        .filter(Condition::any().add(lacks_email).add(lacks_address))
        .order_by_asc(Column::CustomerNameKey)
        .lock_exclusive()
        .all(&**tx)
        .await
        .map_err(db)?;
    for row in rows {
        let Some(new) = named.get(&row.customer_name_key) else { continue };
        let email = row.customer_email.clone().or_else(|| new.email.clone());
        let address = if row.customer_address.is_empty() { &new.address } else { &row.customer_address };
        let (before, next) = (fields_of(&row), row.version + 1);
        let row = ActiveModel {
            customer_email_key: Set(email.as_deref().map(fold)),
            customer_email: Set(email),
            customer_address_key: Set(fold(address)),
            customer_address: Set(address.clone()),
            updated_at: Set(by.now),
            updated_by: Set(by.actor.to_owned()),
            version: Set(next),
            ..row.into_active_model()
        };
        let row = row.update(&**tx).await.map_err(db)?;
        record(tx, before, &row, by).await?;
    }
    Ok(())
}

async fn record(tx: &Tx, before: audit::Fields, row: &Model, by: By<'_>) -> Result<()> {
    let act = Act {
        service: crate::NAME,
        action: "customer.updated",
        entity: "customer",
        entity_id: &row.customer_name,
        entity_name: &row.customer_name,
        changes: Changes::between(before, fields_of(row)),
    };
    audit::record(tx, by, act).await
}

/// Returns the fields for the audit log.
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
