//! Corrects the outcome of a delivery, or reopens a rejected one.

use kit::Result;

use super::transition::{self, Submission};
use crate::Context;
use crate::domain::command::{Command, Correct};
use crate::entity::delivery;

pub async fn run(context: &Context, submission: &Submission, correct: Correct) -> Result<delivery::Model> {
    transition::run(context, submission, &Command::Correct(correct)).await
}
