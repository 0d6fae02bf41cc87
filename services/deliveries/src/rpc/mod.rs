//! The contract's handlers. The first line of each handler is its access rule.
//!
//! There is a file for each service of the contract, and one for each command whose request needs converting,
//! named like the command.

pub mod bulk_change;
mod client_event;
mod correct;
mod create;
pub mod dead_letters;
pub mod deliveries;
mod edit;
mod edit_items;
mod export;
mod histories;
mod import;
pub mod intake;
mod match_parties;
pub mod parties;
pub mod proof;
mod reasons;
mod record_outcome;
mod reschedule;
mod resolve_conflict;
mod selected;
pub mod snapshot;
mod undo_import;

use futures::StreamExt;
use kit::principal::{Principal, Role};
use kit::{Error, Result};
use proto::deliveries::v1::{BulkResult, BulkResults, Delivery};

use crate::domain::actor::Actor;
use crate::domain::allowed::allowed;
use crate::domain::driver::require_own;
use crate::entity::delivery;

/// Maximum ids of one batch call.
const MAX_IDS: usize = 1_000;
/// Concurrent changes within one call.
const AT_ONCE: usize = 4;

fn bounded(ids: Vec<String>) -> Result<Vec<String>> {
    if ids.len() > MAX_IDS {
        return Err(Error::invalid_field("ids", format!("at most {MAX_IDS} at once")));
    }
    Ok(ids)
}

/// Admits people with any of the roles, and drivers. The handler must restrict drivers to their own
/// deliveries.
fn admit(principal: &Principal, roles: &[Role]) -> Result<Actor> {
    if principal.driver().is_err() {
        principal.require(roles)?;
    }
    Ok(principal.into())
}

/// Returns a delivery with the actions that the caller may perform.
fn shown(row: delivery::Model, caller: &Actor) -> Delivery {
    let actions = allowed(&row, caller);
    let allowed_actions = actions.into_iter().map(|action| action.as_str().to_owned()).collect();
    Delivery { allowed_actions, ..without_actions(row, caller) }
}

/// Returns a delivery as the caller may see it. Drivers do not see the office's internal note.
fn without_actions(row: delivery::Model, caller: &Actor) -> Delivery {
    let internal_note = row.internal_note.clone().filter(|_| !caller.is_driver());
    Delivery { internal_note, ..row.into() }
}

/// Returns whether the caller may read a row: drivers see only deliveries assigned to them.
fn is_readable(row: &delivery::Model, caller: &Actor) -> bool {
    require_own(&row.id, row.driver_id.as_deref(), caller).is_ok()
}

/// Returns why one of many deliveries was refused, without its id and status, which are shown beside the
/// text.
fn guard(error: &Error) -> String {
    let is_named = ["DELIVERY_TRANSITION_NOT_ALLOWED", "DELIVERY_ACTION_NOT_ALLOWED"];
    match error.message.split_once(": ") {
        Some((_, guard)) if is_named.contains(&error.reason.as_str()) => {
            let mut letters = guard.chars();
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
        }
        _ => error.message.clone(),
    }
}

/// Changes several deliveries, each separately; results are in the order of the ids.
async fn each<F>(ids: Vec<String>, change: impl Fn(String) -> F) -> Result<BulkResults>
where
    F: Future<Output = Result<delivery::Model>>,
{
    each_of("deliveryIds", ids, |id| id.clone(), change).await
}

/// Changes several deliveries like [`each`], where each change needs more than the delivery's id.
async fn each_of<T, F>(
    field: &str,
    asked: Vec<T>,
    id: impl Fn(&T) -> String,
    change: impl Fn(T) -> F,
) -> Result<BulkResults>
where
    F: Future<Output = Result<delivery::Model>>,
{
    if asked.is_empty() || asked.len() > MAX_IDS {
        return Err(Error::invalid_field(field, format!("1 to {MAX_IDS} at once")));
    }
    let changes = asked.into_iter().map(|asked| {
        let delivery_id = id(&asked);
        let change = change(asked);
        async move {
            match change.await {
                Ok(_) => BulkResult { delivery_id, ok: true, ..BulkResult::default() },
                Err(error) => {
                    error.log();
                    let text = guard(&error);
                    BulkResult { delivery_id, ok: false, code: error.reason, text }
                }
            }
        }
    });
    let results = futures::stream::iter(changes).buffered(AT_ONCE).collect().await;
    Ok(BulkResults { results })
}

/// Converts a version from the wire. An out-of-range version becomes one that no delivery has.
fn seen(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}
