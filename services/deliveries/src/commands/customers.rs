//! Edits of customers.

use ::store::audit::{self, Act, By, Changes};
use ::store::filter::fold;
use ::store::{Db, db};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QuerySelect};

use crate::domain::party::Customer;
use crate::entity::customer::{ActiveModel, Entity, Model};
use crate::entity::delivery::place;
use crate::entity::requirement::Requirement;
use crate::queries::customers::not_found;
use crate::tables::addresses::{self, Located};

/// Changes everything except the name. An edit of an old version is refused.
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
