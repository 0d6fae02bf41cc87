//! Converts a request to mark a conflict as reviewed, and runs the command.

use kit::Result;
use proto::deliveries::v1::*;

use super::edit::editor;
use super::shown;
use crate::Context;
use crate::commands::resolve_conflict;
use crate::domain::actor::Actor;

pub async fn run(context: &Context, caller: &Actor, request: ResolveConflictRequest) -> Result<Delivery> {
    let ResolveConflictRequest { delivery_id, version } = request;
    Ok(shown(resolve_conflict::run(context, &editor(caller, &delivery_id, version)).await?, caller))
}
