//! Marks a driver's superseded update as reviewed.

use kit::Result;
use proto::events::DeliveryChangeKind as Kind;
use sea_orm::ActiveValue::Set;

use crate::Context;
use crate::commands::edit::{Edited, Editor, fresh};
use crate::commands::write;
use crate::domain::state::FieldChange;
use crate::entity::delivery;

/// Clears the conflict mark of a delivery that somebody has reviewed.
pub async fn run(context: &Context, editor: &Editor<'_>) -> Result<delivery::Model> {
    write(&context.db, |tx| async move {
        let (stored, _) = fresh(&tx, editor).await?;
        if !stored.conflict {
            return Ok((tx, stored));
        }
        let now = context.clock.now();
        let changes = vec![FieldChange {
            item_number: None,
            field: "conflict",
            before: Some("true".to_owned()),
            after: Some("false".to_owned()),
        }];
        let columns = delivery::ActiveModel { conflict: Set(false), ..Default::default() };
        let edited = Edited { stored: &stored, columns, changes, kind: Kind::Edited, left: None };
        let done = edited.write(&tx, context, editor.actor, now).await?;
        Ok((tx, done))
    })
    .await
}
