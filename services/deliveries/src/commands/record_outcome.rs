//! Records how an attempt ended, as a driver or the office reports it.

use kit::Result;

use super::transition::{self, Submission};
use crate::Context;
use crate::domain::command::{Command, RecordOutcome};
use crate::entity::delivery;

/// Records an outcome once, however often it is submitted; returns the resulting delivery.
pub async fn run(
    context: &Context,
    submission: &Submission,
    outcome: RecordOutcome,
) -> Result<delivery::Model> {
    transition::run(context, submission, &Command::RecordOutcome(outcome)).await
}
