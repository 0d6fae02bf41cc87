//! Converts a request to create a delivery, and runs the command.

use kit::Result;
use proto::deliveries::v1::*;

use super::shown;
use crate::Context;
use crate::commands::create::{self, NewDelivery};
use crate::domain::actor::Actor;
use crate::domain::entry;

pub async fn run(context: &Context, caller: &Actor, request: CreateDeliveryRequest) -> Result<Delivery> {
    let CreateDeliveryRequest { id, head, source_id, items } = request;
    let (head, items) = entry::new(&id, head.unwrap_or_default(), items)?;
    let new = NewDelivery { head, source_id, items };
    Ok(shown(create::create(context, caller, &new).await?, caller))
}
