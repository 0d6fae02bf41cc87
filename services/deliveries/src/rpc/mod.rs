//! The contract's handlers. The first line of each is its access rule.

pub mod bulk;
mod changes;
pub mod dead_letters;
pub mod deliveries;
mod imports;
pub mod intake;
mod lists;
mod outcomes;
pub mod parties;
pub mod proof;
mod reasons;
pub mod snapshot;
mod undo;

use futures::StreamExt;
use kit::principal::{Principal, Role};
use kit::{Error, Result};
use proto::deliveries::v1::{BulkResult, BulkResults, Delivery};

use crate::domain::actor::Actor;
use crate::domain::allowed::allowed;
use crate::domain::driver::require_own;
use crate::entity::delivery;

/// Ids that one batch call may name.
const MAX_IDS: usize = 1_000;
/// Deliveries of one call that are changed at the same time.
const AT_ONCE: usize = 4;

fn bounded(ids: Vec<String>) -> Result<Vec<String>> {
    if ids.len() > MAX_IDS {
        return Err(Error::invalid_field("ids", format!("at most {MAX_IDS} at once")));
    }
    Ok(ids)
}

/// Passes people with any of the roles, and drivers. What of all that is a driver's own is for the
/// handler to see to.
fn admit(principal: &Principal, roles: &[Role]) -> Result<Actor> {
    if principal.driver().is_err() {
        principal.require(roles)?;
    }
    Ok(principal.into())
}

/// A delivery with what the caller may do to it. The office's own note is for no driver.
fn shown(row: delivery::Model, caller: &Actor) -> Delivery {
    let actions = allowed(&row, caller);
    let allowed_actions = actions.into_iter().map(|action| action.as_str().to_owned()).collect();
    let internal_note = row.internal_note.clone().filter(|_| !caller.is_driver());
    Delivery { allowed_actions, internal_note, ..row.into() }
}

/// Whether a row may be read: drivers see only what is assigned to them.
fn is_readable(row: &delivery::Model, caller: &Actor) -> bool {
    require_own(&row.id, row.driver_id.as_deref(), caller).is_ok()
}

/// Why a row of many was refused: its delivery and its status are beside it already.
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

/// Changes several deliveries, each for itself; the answers are in the order of the ids.
async fn each<F>(ids: Vec<String>, change: impl Fn(String) -> F) -> Result<BulkResults>
where
    F: Future<Output = Result<delivery::Model>>,
{
    each_of("deliveryIds", ids, |id| id.clone(), change).await
}

/// The same with more to say of each than its id.
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
