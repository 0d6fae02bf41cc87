//! Edits the head of a delivery.
//!
//! An edit is a change of the head, the items or the dispatch time that is not a step of the history. Each
//! edit creates a version and an edit record, so that history and records together cover every version. An
//! edit that changes nothing succeeds without a write. Edits of items are in `edit_items`.

use ::store::Tx;
use ::store::filter::fold;
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DeliveryChangeKind as Kind;
use sea_orm::ActiveValue::Set;

use crate::Context;
use crate::commands::write;
use crate::domain::actor::Actor;
use crate::domain::allowed::{self, Action};
use crate::domain::driver::changed_meanwhile;
use crate::domain::entry::{self, Head, head_changes};
use crate::domain::state::FieldChange;
use crate::entity::{delivery, item};
use crate::events::change::Changed;
use crate::events::emit;
use crate::queries::reasons;
use crate::tables::columns::{columns_of, head_of};
use crate::tables::edits::append;
use crate::tables::{deliveries, drivers, parties, shipments, variances};

/// Who edits which delivery, and the version they saw.
#[derive(Debug, Clone)]
pub struct Editor<'a> {
    pub actor: &'a Actor,
    pub delivery_id: &'a str,
    /// The version that the editor saw; `None` accepts any.
    pub version: Option<i64>,
}

impl Editor<'_> {
    /// Refuses a delivery that has changed since the editor saw it.
    pub(super) fn require_current(&self, stored: &delivery::Model) -> Result<()> {
        match self.version {
            Some(seen) if seen != stored.version => Err(changed_meanwhile(&stored.id)),
            _ => Ok(()),
        }
    }
}

/// Replaces the whole head of a delivery.
pub async fn edit(context: &Context, editor: &Editor<'_>, head: &Head) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let done = edit_head(&tx, context, editor, head.clone()).await?;
        Ok((tx, done))
    })
    .await
}

async fn edit_head(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    mut head: Head,
) -> Result<delivery::Model> {
    let (stored, _) = locked(tx, editor, Action::Edit).await?;
    let before = head_of(&stored);
    entry::keep_unedited(&before.header, &mut head.header);
    parties::fill_address(tx, &mut head).await?;
    // The id keeps the spelling it was created with.
    head.header.id.clone_from(&stored.id);
    let changes = head_changes(&before, &head);
    if changes.is_empty() {
        return Ok(stored);
    }
    let driver = head.header.texts.driver_id.as_deref();
    // A driver who was blocked after being assigned stays assigned until replaced.
    if driver.map(fold) != stored.driver_id_key {
        drivers::require_assignable(&**tx, driver).await?;
    }
    let now = context.clock.now();
    parties::create_missing(tx, &head, Some(&before), editor.actor, now).await?;
    let left = Some(before.header.shipmentnumber.as_str())
        .filter(|number| fold(number) != fold(&head.header.shipmentnumber));
    let columns = columns_of(head);
    let edited = Edited { stored: &stored, columns, changes, kind: Kind::Edited, left };
    edited.write(tx, context, editor.actor, now).await
}

/// Locks the delivery and returns it with its items. Fails if it has changed since the editor saw it.
pub(super) async fn fresh(tx: &Tx, editor: &Editor<'_>) -> Result<(delivery::Model, Vec<item::Model>)> {
    let (stored, items) = deliveries::lock(tx, editor.delivery_id).await?;
    editor.require_current(&stored)?;
    Ok((stored, items))
}

/// Locks the delivery like [`fresh`], and requires that the action is allowed.
pub(super) async fn locked(
    tx: &Tx,
    editor: &Editor<'_>,
    action: Action,
) -> Result<(delivery::Model, Vec<item::Model>)> {
    let (stored, items) = fresh(tx, editor).await?;
    allowed::require(action, &stored.id, &stored, editor.actor)?;
    Ok((stored, items))
}

/// An edit that changes something.
pub(super) struct Edited<'a> {
    pub stored: &'a delivery::Model,
    pub columns: delivery::ActiveModel,
    pub changes: Vec<FieldChange>,
    pub kind: Kind,
    /// The shipment that the delivery leaves.
    pub left: Option<&'a str>,
}

impl Edited<'_> {
    /// Writes the new version, its edit record, the shipment and the event.
    pub async fn write(
        self,
        tx: &Tx,
        context: &Context,
        actor: &Actor,
        now: DateTime<Utc>,
    ) -> Result<delivery::Model> {
        let Self { stored, columns, changes, kind, left } = self;
        let columns = delivery::ActiveModel {
            version: Set(stored.version + 1),
            updated_at: Set(now),
            updated_by: Set(actor.name().to_owned()),
            ..columns
        };
        let delivery = deliveries::update(tx, stored, columns).await?;
        append(tx, &delivery, actor, &changes, now).await?;
        let mut numbers = vec![delivery.shipmentnumber.clone()];
        numbers.extend(left.map(str::to_owned));
        let shipments = shipments::roll_up(tx, &numbers, context.rules().undelivered_is_final).await?;
        let catalogue = reasons::catalogue(&**tx).await?;
        let variances = variances::of_attempt(tx, &delivery).await?;
        let changed = Changed {
            delivery: &delivery,
            kind,
            actor: actor.name(),
            variances: &variances,
            shipments: &shipments,
            left,
            before: Some(stored),
        };
        emit::delivery_changed(tx, changed, &catalogue, now).await?;
        Ok(delivery)
    }
}
