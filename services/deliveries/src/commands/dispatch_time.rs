//! Moves a delivery to another dispatch time, and restores the previous one.

use ::store::Tx;
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::DeliveryChangeKind as Kind;
use sea_orm::ActiveValue::Set;

use crate::Context;
use crate::commands::edit::{Edited, Editor, locked};
use crate::domain::allowed::{self, Action};
use crate::domain::dispatch::{self, Planned};
use crate::domain::entry::head_changes;
use crate::entity::delivery;
use crate::tables::columns::head_of;
use crate::tables::deliveries;

/// Moves a Pending delivery to another dispatch time, without committing; its time window moves along. A delivery
/// that has this time already stays unchanged, whatever version the editor saw.
pub async fn change(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    at: DateTime<Utc>,
) -> Result<delivery::Model> {
    let (stored, _) = deliveries::lock(tx, editor.delivery_id).await?;
    // A request whose answer was lost is repeated with the version from before its change.
    if stored.scheduledatetime != at {
        editor.require_current(&stored)?;
    }
    allowed::require(Action::Edit, &stored.id, &stored, editor.actor)?;
    let (status, zone) = (stored.deliverystatus, context.zone());
    let Some(moved) = dispatch::moved(&stored.id, status, &planned(&stored), at, zone)? else {
        return Ok(stored);
    };
    let now = context.clock.now();
    dispatch::require_ahead(at, now)?;
    plan(tx, context, editor, (&stored, moved), now).await
}

/// Restores the previous plan of a Pending delivery, even if it is in the past.
pub async fn restore(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    planned: Planned,
) -> Result<delivery::Model> {
    let (stored, _) = locked(tx, editor, Action::Edit).await?;
    plan(tx, context, editor, (&stored, planned), context.clock.now()).await
}

async fn plan(
    tx: &Tx,
    context: &Context,
    editor: &Editor<'_>,
    (stored, planned): (&delivery::Model, Planned),
    now: DateTime<Utc>,
) -> Result<delivery::Model> {
    let before = head_of(stored);
    let mut after = before.clone();
    after.header.scheduledatetime = planned.at;
    (after.header.time_window_start, after.header.time_window_end) = planned.window;
    let edited = Edited {
        stored,
        columns: delivery::ActiveModel {
            scheduledatetime: Set(planned.at),
            time_window_start: Set(planned.window.0),
            time_window_end: Set(planned.window.1),
            ..Default::default()
        },
        changes: head_changes(&before, &after),
        kind: Kind::Edited,
        left: None,
    };
    edited.write(tx, context, editor.actor, now).await
}

fn planned(row: &delivery::Model) -> Planned {
    Planned { at: row.scheduledatetime, window: (row.time_window_start, row.time_window_end) }
}
