//! Converts a request to edit the head of a delivery, and runs the command.

use kit::Result;
use proto::deliveries::v1::*;

use super::{seen, shown};
use crate::Context;
use crate::commands::edit::{self, Editor};
use crate::domain::actor::Actor;
use crate::domain::entry;

pub async fn run(context: &Context, caller: &Actor, request: UpdateDeliveryRequest) -> Result<Delivery> {
    let UpdateDeliveryRequest { id, version, head } = request;
    let head = entry::head(&id, head.unwrap_or_default())?;
    Ok(shown(edit::edit(context, &editor(caller, &id, version), &head).await?, caller))
}

pub fn editor<'a>(actor: &'a Actor, delivery_id: &'a str, version: u64) -> Editor<'a> {
    Editor { actor, delivery_id, version: Some(seen(version)) }
}
