//! Converts a request for a part of an undo.

use kit::{Error, Result};
use proto::deliveries::v1::UndoImportRequest;
use uuid::Uuid;

use crate::commands::undo_import::Undo;
use crate::domain::actor::Actor;

pub fn part(request: UndoImportRequest) -> Result<Undo> {
    let UndoImportRequest { upload_log_id, after, undone_by } = request;
    Ok(Undo {
        upload: upload(&upload_log_id)?,
        after,
        actor: Actor::User { name: undone_by, roles: Vec::new() },
    })
}

pub fn upload(id: &str) -> Result<Uuid> {
    id.parse().map_err(|_| Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload"))
}
