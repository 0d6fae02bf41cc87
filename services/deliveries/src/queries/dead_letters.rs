//! Dead letters: the list, and single ones. Groups are in `dead_letter_groups`.

use std::collections::HashMap;

use ::store::filter::MAX_FILTERS;
use ::store::list::{Bounds, Listing};
use ::store::{Db, db};
use kit::{Error, Result};
use proto::common::v1::{Count, Filter, Page, SortDirection};
use proto::deliveries::v1 as wire;
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, EntityTrait, Iterable, TryIntoModel};
use uuid::Uuid;

use crate::domain::masking::mask;
use crate::domain::outbound::{Method, State};
use crate::entity::dead_letter::{ActiveModel, Attempts, Column, Entity, Model};
use crate::queries::{dead_letter_turns, endpoints, fields, producers};

pub const LIST: Listing<Entity> = Listing {
    fields: fields::DEAD_LETTERS,
    key: &[Column::Id],
    default: ("createdAt", SortDirection::Desc),
    bounds: Bounds::DEFAULT,
};

/// Prefix of the keys of events that one of our consumers gave up on.
pub const EVENT: &str = "event:";

/// Replaces a text that is hidden completely.
const HIDDEN: &str = "••••";

/// Adds a filter by state to a request's filters: the states of letters that `mode` lists. A `state` in the request
/// narrows them.
pub fn filters(mut filters: Vec<Filter>, mode: wire::DeadLetterMode) -> Result<Vec<Filter>> {
    if filters.len() >= MAX_FILTERS {
        let text = format!("at most {} filters can be used at once", MAX_FILTERS - 1);
        return Err(Error::invalid("TOO_MANY_FILTERS", text.clone()).field("where", text));
    }
    let states: &[State] = match mode {
        wire::DeadLetterMode::Success => &[State::Success],
        wire::DeadLetterMode::Failed => &State::TO_FIX,
        wire::DeadLetterMode::Unspecified => return Ok(filters),
    };
    // Filters with one key are combined with OR, so beside a `state` in the request, exclude the states of other modes.
    let is_narrowed = filters.iter().any(|it| it.key == "state" && !it.operator.starts_with('!'));
    let operator = if is_narrowed { "!equals" } else { "equals" };
    let values = State::iter().filter(|it| states.contains(it) != is_narrowed);
    let values = values.map(|it| it.as_str().to_owned()).collect();
    filters.push(Filter { key: "state".into(), operator: operator.into(), values });
    Ok(filters)
}

/// Returns a page of letters without bodies but with the names of their endpoints, and whether there are
/// more.
pub async fn page(db_: &Db, page: &Page) -> Result<(Vec<wire::DeadLetter>, bool)> {
    let blank = ActiveModel {
        method: Set(Method::Status),
        state: Set(State::Failed),
        attempt_log: Set(Attempts::default()),
        ..ActiveModel::default_values()
    };
    let blank = blank.try_into_model().map_err(db)?;
    let columns = listed();
    let (rows, more) = LIST.page_in_part(db_, page, &columns, &blank).await?;
    Ok((named(db_, rows).await?, more))
}

/// Returns the columns that lists read: all but those that may be large.
pub fn listed() -> Vec<Column> {
    use Column as C;
    let is_large = |column: &C| {
        matches!(column, C::Payload | C::EditedPayload | C::RequestHeaders | C::ResponseBody | C::AttemptLog)
    };
    C::iter().filter(|column| !is_large(column)).collect()
}

pub async fn count(db_: &Db, filters: &[Filter]) -> Result<Count> {
    LIST.count(db_, filters).await
}

pub async fn get(db_: &Db, id: &str) -> Result<wire::DeadLetter> {
    let known = Uuid::try_parse(id).map_err(|_| not_found(id))?;
    let row = Entity::find_by_id(known).one(db_.read()).await.map_err(db)?.ok_or_else(|| not_found(id))?;
    let turns = dead_letter_turns::of(db_, &row).await?;
    let letter = one(db_, row).await?;
    let dead_letter_turns::Turns { before, behind, behind_count } = turns;
    Ok(wire::DeadLetter { waits_behind: before, behind, behind_count, ..letter })
}

/// Returns a letter as administrators see it, with secrets masked.
pub async fn one(db_: &Db, row: Model) -> Result<wire::DeadLetter> {
    let is_unreadable = is_malformed(&row);
    let letters = named(db_, vec![row]).await?;
    let letter = letters.into_iter().next().ok_or_else(|| Error::internal("a letter vanished"))?;
    Ok(masked(letter, is_unreadable))
}

/// Masks the secrets in a letter's bodies. The table keeps them for a resend.
fn masked(mut letter: wire::DeadLetter, is_unreadable: bool) -> wire::DeadLetter {
    let payload = mask(&letter.payload);
    let has_secrets = payload != letter.payload;
    letter.payload = if is_unreadable { without_bytes(payload, has_secrets) } else { payload };
    letter.edited_payload = letter.edited_payload.as_deref().map(mask);
    letter.response_body = mask(&letter.response_body);
    for attempt in &mut letter.attempt_log {
        attempt.request_body = mask(&attempt.request_body);
        attempt.response_body = mask(&attempt.response_body);
    }
    letter
}

/// Hides the raw bytes of a message that is not text. They are stored beside its readable part and contain
/// the same secrets. Hides everything if the payload is not JSON, because then secrets may not be found.
fn without_bytes(payload: String, has_secrets: bool) -> String {
    let Ok(mut whole) = serde_json::from_str::<serde_json::Value>(&payload) else { return HIDDEN.to_owned() };
    if !has_secrets {
        return payload;
    }
    if let Some(bytes @ serde_json::Value::String(_)) = whole.get_mut("bytes") {
        *bytes = HIDDEN.into();
    }
    whole.to_string()
}

async fn named(db_: &Db, rows: Vec<Model>) -> Result<Vec<wire::DeadLetter>> {
    let endpoints = endpoints::list(db_.read()).await?;
    let by_id: HashMap<String, _> = endpoints.into_iter().map(|it| (it.id.to_string(), it)).collect();
    let producers = producers::list(db_.read()).await?;
    let filled = rows.into_iter().map(|row| {
        let producer = producers.iter().find(|it| Some(it.id) == row.producer_id);
        let producer_name = producer.map(|it| it.name.clone()).unwrap_or_default();
        let mut letter = wire::DeadLetter { producer_name, ..row.into() };
        if let Some(endpoint) = by_id.get(&letter.endpoint_id) {
            letter.endpoint_name = endpoint.name.clone();
            letter.endpoint_url = endpoint.url.clone();
            letter.endpoint_paused = endpoint.paused_at.is_some();
            letter.endpoint_off = !endpoint.is_active;
        }
        letter
    });
    Ok(filled.collect())
}

/// Returns whether the letter is an unreadable report of another system.
pub fn is_malformed(row: &Model) -> bool {
    row.method == Method::Event && !row.idempotency_key.starts_with(EVENT)
}

pub fn not_found(id: &str) -> Error {
    Error::not_found("DEAD_LETTER_NOT_FOUND", format!("There is no dead letter {id}"))
}
