//! Assigns a delivery to a driver, or to nobody.

use ::store::Tx;
use kit::Result;

use super::transition::{self, Submission};
use crate::Context;
use crate::domain::command::Command;
use crate::entity::delivery;

/// Assigns the driver, without committing. Assigning the same driver again changes nothing.
pub async fn apply(
    tx: &Tx,
    context: &Context,
    submission: &Submission,
    driver_id: Option<String>,
) -> Result<delivery::Model> {
    transition::apply(tx, context, submission, &Command::AssignDriver { driver_id }).await
}
