//! Plans another attempt of an Undelivered delivery.

use ::store::Tx;
use chrono::{DateTime, Utc};
use kit::Result;

use super::transition::{self, Submission};
use crate::Context;
use crate::domain::command::Command;
use crate::entity::delivery;

/// When the next attempt is, and why.
#[derive(Debug, Clone)]
pub struct NextAttempt {
    pub scheduledatetime: DateTime<Utc>,
    pub note: Option<String>,
}

impl From<NextAttempt> for Command {
    fn from(NextAttempt { scheduledatetime, note }: NextAttempt) -> Self {
        Self::Reschedule { scheduledatetime, note }
    }
}

pub async fn run(context: &Context, submission: &Submission, next: NextAttempt) -> Result<delivery::Model> {
    transition::run(context, submission, &next.into()).await
}

/// Plans the next attempt; the caller commits the transaction.
pub async fn apply(
    tx: &Tx,
    context: &Context,
    submission: &Submission,
    next: NextAttempt,
) -> Result<delivery::Model> {
    transition::apply(tx, context, submission, &next.into()).await
}
