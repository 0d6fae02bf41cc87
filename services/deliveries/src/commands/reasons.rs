//! Edits of the catalogue of reasons.

use ::store::audit::{self, Act, By, Changes};
use ::store::filter::fold;
use ::store::{Db, db};
use kit::{Error, Result};
use sea_orm::ActiveValue::{Set, Unchanged};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use crate::domain::reason::Reason;
use crate::entity::reason::{ActiveModel, Column, Entity, Model};
use crate::entity::reason_label;

/// Edits everything except list and code, which identify the reason.
pub async fn update(db_: &Db, version: i64, reason: Reason, by: By<'_>) -> Result<Model> {
    let tx = db_.begin().await?;
    let rows = Entity::find().filter(Column::AppliesTo.eq(reason.applies_to)).all(&*tx).await.map_err(db)?;
    let Some(stored) = rows.into_iter().find(|row| row.code == reason.code) else {
        let text = format!("There is no reason {} of the list {}", reason.code, reason.applies_to.as_str());
        return Err(Error::not_found("REASON_NOT_FOUND", text));
    };
    if stored.version == version && Reason::from(stored.clone()) == reason {
        return Ok(stored);
    }
    let label_key = fold(&reason.label);
    let row = ActiveModel {
        applies_to: Unchanged(reason.applies_to),
        code: Unchanged(reason.code),
        label: Set(reason.label),
        requires_photo: Set(reason.requires_photo),
        requires_note: Set(reason.requires_note),
        responsible: Set(reason.responsible),
        is_active: Set(reason.is_active),
        place: Set(reason.order),
        version: Set(version + 1),
        updated_at: Set(Some(by.now)),
        updated_by: Set(Some(by.actor.to_owned())),
    };
    let update = Entity::update(row).validate().map_err(db)?.filter(Column::Version.eq(version));
    let updated = update.exec(&*tx).await.map_err(|error| match error {
        DbErr::RecordNotUpdated => Error::changed_meanwhile("REASON_CHANGED", "The reason"),
        other => db(other),
    })?;
    let label = reason_label::ActiveModel { label_key: Set(label_key) };
    reason_label::Entity::insert(label).on_conflict_do_nothing().exec(&*tx).await.map_err(db)?;
    let act = Act {
        service: crate::NAME,
        action: "reason.updated",
        entity: "reason",
        entity_id: &format!("{}/{}", updated.applies_to.as_str(), updated.code),
        entity_name: &updated.label,
        changes: Changes::between(fields_of(&stored), fields_of(&updated)),
    };
    audit::record(&tx, by, act).await?;
    kit::fail_point("deliveries.reason.updated");
    tx.commit().await?;
    Ok(updated)
}

/// Returns the fields for the audit log.
fn fields_of(row: &Model) -> audit::Fields {
    vec![
        ("label", row.label.as_str().into()),
        ("requiresPhoto", row.requires_photo.into()),
        ("requiresNote", row.requires_note.into()),
        ("responsible", row.responsible.as_str().into()),
        ("isActive", row.is_active.into()),
        ("order", row.place.into()),
    ]
}
