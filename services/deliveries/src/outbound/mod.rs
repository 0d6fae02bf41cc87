//! Sending to other systems: what a message says, the sender, and what administrators do to many at once.
//!
//! `outgoing` turns a change into messages, `webhook` sends one, `sender` sends all that are due, `bulk` resends and
//! discards many, `backlog` counts them for metrics. The rows and their order are in `store::sends`. Why it is done so is told in docs/adr/0054.

pub mod backlog;
pub mod bulk;
pub mod outgoing;
pub mod sender;
pub mod webhook;

use ::store::jobs::Jobs;
use kit::Result;

use crate::Context;

/// The jobs of the service, with the one of the sender put in place.
pub async fn jobs(context: &Context) -> Result<Jobs> {
    sender::ensure(context).await?;
    let sender = sender::Sender::new(context)?;
    let bulk = bulk::Bulk { context: context.clone() };
    Ok(Jobs::new(context.db.clone(), context.clock.clone()).with(sender).with(bulk))
}
