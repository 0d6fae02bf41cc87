//! Stores reports of other systems, each once, as dead letters that an administrator resends.
//!
//! A letter is identified by producer and key, so a producer may safely repeat a report. An unreadable report
//! becomes a letter, too: stored unchanged, without a delivery, for somebody to look at and discard.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ::store::filter::fold;
use ::store::{Tx, bulk, db, sequence};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use serde_json::value::RawValue;
use serde_json::{Value, from_str};
use uuid::Uuid;

use crate::domain::intake::{Letter, malformed_id, message_id, without_nul};
use crate::domain::outbound::{ErrorClass, Method, State, fingerprint};
use crate::entity::dead_letter::{ActiveModel, Column, Entity, Model};
use crate::entity::producer;
use crate::outbound::sends::{self, SEND};

/// The stored result of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    pub id: Uuid,
    pub repeated: bool,
}

/// Stores letters in this transaction. Returns for each, in order, what was stored, or an error if its key
/// belongs to a letter with other content.
pub async fn keep(
    tx: &Tx,
    letters: &[(&producer::Model, Letter)],
    now: DateTime<Utc>,
) -> Result<Vec<Result<Kept>>> {
    let keys: Vec<String> = letters.iter().map(|(of, letter)| message_id(of.id, &letter.key)).collect();
    let before = known(tx, &keys).await?;
    let mut new: BTreeMap<&String, &(&producer::Model, Letter)> = BTreeMap::new();
    for (key, letter) in keys.iter().zip(letters).filter(|(key, _)| !before.contains_key(*key)) {
        new.entry(key).or_insert(letter);
    }
    let endpoints = endpoints_now(tx, new.values().map(|(of, _)| of.id).collect()).await?;
    let ids = new.values().map(|(_, letter)| letter.delivery_id.as_str());
    let positions = sequence::next_of(tx, SEND, ids).await?;
    let mut rows = Vec::new();
    for (key, (of, letter)) in &new {
        let position = positions.get(&fold(&letter.delivery_id)).copied().unwrap_or_default();
        let endpoint = endpoints.get(&of.id).copied().unwrap_or(of.endpoint_id);
        rows.push(ActiveModel { endpoint_id: Set(Some(endpoint)), ..row(key, of, letter, position, now) });
    }
    let mine: Vec<Uuid> = rows.iter().filter_map(|row| row.id.try_as_ref().copied()).collect();
    insert(tx, rows).await?;
    let after = known(tx, &keys).await?;
    let mut answered: Vec<Uuid> = Vec::new();
    let mut answers = Vec::new();
    for (key, (_, letter)) in keys.iter().zip(letters) {
        let row = after.get(key).ok_or_else(|| Error::internal("a letter vanished"))?;
        let is_same = row.delivery_id == letter.delivery_id
            && row.method == letter.method
            && is_same_payload(&row.payload, &letter.payload);
        let repeated = !mine.contains(&row.id) || answered.contains(&row.id);
        answered.push(row.id);
        answers.push(if is_same { Ok(Kept { id: row.id, repeated }) } else { Err(reused(&letter.key)) });
    }
    Ok(answers)
}

/// Digits of a number that are kept when it is parsed.
const EXACT_DIGITS: usize = 15;

/// Returns whether payloads are the same JSON value. A repeated report may have other spaces or another order of
/// keys, and earlier releases stored payloads with their numbers rewritten.
fn is_same_payload(stored: &str, reported: &str) -> bool {
    let rewritten = || from_str::<Value>(reported).map(|value| value.to_string());
    is_same(stored, reported) || rewritten().is_ok_and(|reported| reported == stored)
}

/// Compares JSON texts by their values, and long numbers by their digits, some of which are lost when parsed.
fn is_same(one: &str, other: &str) -> bool {
    type Members<'a> = BTreeMap<String, &'a RawValue>;
    if one == other {
        return true;
    }
    if let (Ok(one), Ok(other)) = (from_str::<Members<'_>>(one), from_str::<Members<'_>>(other)) {
        let has = |(key, value): (&String, &&RawValue)| {
            other.get(key).is_some_and(|other| is_same(value.get(), other.get()))
        };
        return one.len() == other.len() && one.iter().all(has);
    }
    if let (Ok(one), Ok(other)) = (from_str::<Vec<&RawValue>>(one), from_str::<Vec<&RawValue>>(other)) {
        return one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| is_same(one.get(), other.get()));
    }
    let value = |text: &str| from_str::<Value>(text).ok();
    let is_text = one.trim_start().starts_with('"');
    let is_exact = one.trim().len() <= EXACT_DIGITS && other.trim().len() <= EXACT_DIGITS;
    (is_text || is_exact) && value(one).is_some_and(|one| value(other) == Some(one))
}

/// An unreadable report.
#[derive(Debug, Clone)]
pub struct Malformed {
    /// The producer's name according to the report. There may be no such producer.
    pub producer: String,
    pub producer_id: Option<Uuid>,
    pub key: String,
    pub message: Vec<u8>,
    /// What is wrong with the report, for administrators.
    pub error: String,
}

/// Stores unreadable reports unchanged, each once.
pub async fn keep_malformed(tx: &Tx, all: Vec<Malformed>, now: DateTime<Utc>) -> Result<()> {
    let mut rows: BTreeMap<String, ActiveModel> = BTreeMap::new();
    for it in all {
        let key = malformed_id(&it.producer, &it.key, &it.message);
        let is_text = std::str::from_utf8(&it.message).is_ok();
        let payload = serde_json::json!({
            "producer": without_nul(&it.producer),
            "key": without_nul(&it.key),
            "message": without_nul(&String::from_utf8_lossy(&it.message)),
            "bytes": (!is_text).then(|| STANDARD.encode(&it.message)),
        });
        let row = ActiveModel {
            state: Set(State::Failed),
            producer_id: Set(it.producer_id),
            error_class: Set(ErrorClass::Validation.as_str().to_owned()),
            error_fingerprint: Set(fingerprint(&it.producer, ErrorClass::Validation, &it.error)),
            error_text: Set(without_nul(&it.error)),
            idempotency_key: Set(key.clone()),
            ..sends::new_row(Method::Event, payload.to_string(), now)
        };
        rows.entry(key).or_insert(row);
    }
    insert(tx, rows.into_values().collect()).await
}

fn row(key: &str, of: &producer::Model, letter: &Letter, position: u64, now: DateTime<Utc>) -> ActiveModel {
    let id = of.id.to_string();
    ActiveModel {
        delivery_id: Set(letter.delivery_id.clone()),
        delivery_key: Set(fold(&letter.delivery_id)),
        state: Set(State::Failed),
        producer_id: Set(Some(of.id)),
        position: Set(i64::try_from(position).unwrap_or(i64::MAX)),
        // At most `now`: if the producer's clock is ahead, the list would show this letter above letters that
        // fail later.
        created_at: Set(letter.failed_at.unwrap_or(now).min(now)),
        error_class: Set(ErrorClass::Reported.as_str().to_owned()),
        error_text: Set(letter.error.clone()),
        error_fingerprint: Set(fingerprint(&id, ErrorClass::Reported, &letter.error)),
        idempotency_key: Set(key.to_owned()),
        ..sends::new_row(letter.method, letter.payload.clone(), now)
    }
}

/// Returns the endpoints of producers, by producer, and keeps them from changing before this transaction ends: a change
/// moves the producer's letters, and would miss those of this transaction. Deleted producers are omitted.
async fn endpoints_now(tx: &Tx, producers: BTreeSet<Uuid>) -> Result<HashMap<Uuid, Uuid>> {
    let these = producer::Entity::find().filter(producer::Column::Id.is_in(producers)).lock_shared();
    let rows = these.all(&**tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.id, row.endpoint_id)).collect())
}

async fn known(tx: &Tx, keys: &[String]) -> Result<HashMap<String, Model>> {
    let found = Entity::find().filter(Column::IdempotencyKey.is_in(keys.iter().map(String::as_str)));
    let rows = found.all(&**tx).await.map_err(db)?;
    Ok(rows.into_iter().map(|row| (row.idempotency_key.clone(), row)).collect())
}

/// Inserts rows, except rows that somebody else inserts at the same moment.
async fn insert(tx: &Tx, rows: Vec<ActiveModel>) -> Result<()> {
    for some in bulk::chunks::<Entity, _>(&rows) {
        let once = OnConflict::column(Column::IdempotencyKey).do_nothing().to_owned();
        let insert = Entity::insert_many(some.to_vec()).on_conflict(once);
        insert.exec_without_returning(&**tx).await.map_err(db)?;
    }
    Ok(())
}

fn reused(key: &str) -> Error {
    let text = format!("The key {key} was already used for another dead letter. Use a new key for each one.");
    Error::invalid("IDEMPOTENCY_KEY_REUSED", text)
}
