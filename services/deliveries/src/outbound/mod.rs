//! Sending to other systems: message contents, their order, and the sender.
//!
//! `outgoing` turns a change into messages, `sends` has their rows and order, `webhook` sends one, `sender`
//! sends all that are due, `backlog` counts them for metrics. Administrators resend and discard with
//! `commands::dead_letters` and `commands::dead_letter_jobs`. docs/adr/0054 gives the reasons.

pub mod backlog;
pub mod outgoing;
pub mod sender;
pub mod sends;
pub mod webhook;

use ::store::jobs::Jobs;
use kit::Result;

use crate::Context;

/// Creates the sender's job if it does not exist yet; returns the jobs that run the sender.
pub async fn jobs(context: &Context) -> Result<Jobs> {
    sender::ensure(context).await?;
    let sender = sender::Sender::new(context)?;
    Ok(Jobs::new(crate::NAME, context.db.clone(), context.clock.clone()).with(sender))
}
