//! The hash chain of the audit log: each entry seals all entries before it.
//!
//! An entry has the next number, and a hash over the previous hash and all of its own columns. The head is
//! one row with the number and hash of the last entry, so that even the removal of the last entry is noticed.
//! An append locks the head until its transaction ends: entries are in one order, without gaps, and nobody
//! sees a head without its entry.
//!
//! The database's owner can rewrite the whole chain, head included. Detecting that takes a [`Seal`] that
//! somebody noted elsewhere before ([`check`] compares it).

use std::fmt;
use std::str::FromStr;

use ::store::filter::fold;
use ::store::{Tx, db};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, SubsecRound, Utc};
use kit::{Error, Result};
use ring::digest::{Context, SHA256, SHA256_OUTPUT_LEN};
use sea_orm::ActiveValue::{Set, Unchanged};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
};
use uuid::Uuid;

use crate::entity::audit_entry::{self, Column, Model};
use crate::entity::audit_head::{self, ROW};

/// Prefix of the bytes of each entry that are hashed. Nothing that is hashed for another purpose begins with
/// it.
const SUBJECT: &[u8] = b"waybill audit entry, first form";
/// The previous hash in the first entry, which has no predecessor.
pub const NOTHING: [u8; SHA256_OUTPUT_LEN] = [0; SHA256_OUTPUT_LEN];
/// Number of entries read per query.
const PAGE: u64 = 1_000;

/// An entry before it gets its number and hashes.
pub struct Entry {
    pub id: Uuid,
    pub at: DateTime<Utc>,
    pub actor: String,
    pub address: String,
    pub action: String,
    pub entity: String,
    pub entity_id: String,
    pub entity_name: String,
    pub before_json: String,
    pub after_json: String,
    pub request_id: String,
}

/// Adds an entry at the end. Lock everything else in the transaction before calling this: the head must be
/// locked last, or two transactions could deadlock.
pub async fn append(tx: &Tx, entry: Entry) -> Result<()> {
    let head = lock(tx).await?;
    put(tx, head, entry).await
}

/// Adds an entry like [`append`], unless an entry with its id exists. Returns whether it was added.
pub async fn append_once(tx: &Tx, entry: Entry) -> Result<bool> {
    // With the head locked, nobody else can add this entry in the meantime.
    let head = lock(tx).await?;
    if is_there(&**tx, entry.id).await? {
        return Ok(false);
    }
    put(tx, head, entry).await?;
    Ok(true)
}

pub async fn is_there<C: ConnectionTrait>(connection: &C, id: Uuid) -> Result<bool> {
    let found = audit_entry::Entity::find_by_id(id).select_only().column(Column::Id);
    Ok(found.into_tuple::<Uuid>().one(connection).await.map_err(db)?.is_some())
}

async fn lock(tx: &Tx) -> Result<audit_head::Model> {
    let head = audit_head::Entity::find_by_id(ROW).lock_exclusive().one(&**tx).await.map_err(db)?;
    head.ok_or_else(|| Error::internal("the head of the audit log is missing"))
}

async fn put(tx: &Tx, head: audit_head::Model, entry: Entry) -> Result<()> {
    let Entry {
        id,
        at,
        actor,
        address,
        action,
        entity,
        entity_id,
        entity_name,
        before_json,
        after_json,
        request_id,
    } = entry;
    let mut row = Model {
        id,
        // Truncate to the precision that both databases have, so that the stored time equals the hashed one.
        at: at.trunc_subsecs(6),
        actor_key: fold(&actor),
        actor,
        address,
        action,
        entity,
        entity_id,
        entity_name_key: fold(&entity_name),
        entity_name,
        before_json,
        after_json,
        request_id,
        number: head.number + 1,
        previous_hash: head.hash,
        hash: Vec::new(),
    };
    row.hash = hash(&row);
    let next =
        audit_head::ActiveModel { id: Unchanged(ROW), number: Set(row.number), hash: Set(row.hash.clone()) };
    let row = audit_entry::ActiveModel::from(row).reset_all();
    audit_entry::Entity::insert(row).exec_without_returning(&**tx).await.map_err(db)?;
    next.update(&**tx).await.map_err(db)?;
    Ok(())
}

/// Hashes the previous hash and every column except the entry's own hash. Each part is preceded by its
/// length, so that no two entries give the same text to hash.
pub fn hash(row: &Model) -> Vec<u8> {
    let Model {
        id,
        at,
        actor,
        actor_key,
        address,
        action,
        entity,
        entity_id,
        entity_name,
        entity_name_key,
        before_json,
        after_json,
        request_id,
        number,
        previous_hash,
        hash: _,
    } = row;
    let mut context = Context::new(&SHA256);
    let mut put = |bytes: &[u8]| {
        context.update(&(bytes.len() as u64).to_be_bytes());
        context.update(bytes);
    };
    put(SUBJECT);
    put(previous_hash);
    put(&number.to_be_bytes());
    put(id.as_bytes());
    put(&at.timestamp().to_be_bytes());
    put(&at.timestamp_subsec_nanos().to_be_bytes());
    for text in [
        actor,
        actor_key,
        address,
        action,
        entity,
        entity_id,
        entity_name,
        entity_name_key,
        before_json,
        after_json,
        request_id,
    ] {
        put(text.as_bytes());
    }
    context.finish().as_ref().to_vec()
}

/// Number and hash of an entry. Whoever notes a seal can check later whether the log up to that entry is
/// still the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    pub number: i64,
    pub hash: Vec<u8>,
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, URL_SAFE_NO_PAD.encode(&self.hash))
    }
}

impl FromStr for Seal {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "a seal is written as waybill audit-check prints it, NUMBER:HASH";
        let (number, hash) = text.trim().split_once(':').ok_or(wrong)?;
        let number = number.parse().ok().filter(|number| *number >= 0).ok_or(wrong)?;
        let hash = URL_SAFE_NO_PAD.decode(hash).ok().filter(|it| it.len() == NOTHING.len()).ok_or(wrong)?;
        Ok(Self { number, hash })
    }
}

/// The result of checking the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// No entry is changed or missing, and the last one matches the head.
    Intact { head: Seal },
    /// Number of the first entry that is changed or missing.
    Broken { number: i64, why: &'static str },
}

/// Checks all entries, from the first to the head. With a seal that was noted earlier, also checks that the
/// entry of that number still has that hash.
pub async fn check<C: ConnectionTrait>(connection: &C, noted: Option<&Seal>) -> Result<Found> {
    let mut last = Seal { number: 0, hash: NOTHING.to_vec() };
    let (mut head, mut after) = (None, None);
    loop {
        let page = page(connection, after).await?;
        let is_end = page.is_empty();
        for row in page {
            let row = match follows(row, &last) {
                Ok(row) => row,
                Err(why) => return Ok(Found::Broken { number: last.number + 1, why }),
            };
            after = Some(row.number);
            last = Seal { number: row.number, hash: row.hash };
            if noted.is_some_and(|noted| noted.number == last.number && noted.hash != last.hash) {
                return Ok(Found::Broken {
                    number: last.number,
                    why: "it is not the one whose seal was noted",
                });
            }
        }
        if !is_end {
            continue;
        }
        // If the head's number is higher than that of the last entry read, entries may have been added during
        // the check, so read on. If the head is unchanged the next time, those entries are missing.
        let now = read_head(connection).await?;
        match now {
            Some(now) if now.number > last.number && head.as_ref() != Some(&now) => head = Some(now),
            now => return Ok(at_the_end(now, last, noted)),
        }
    }
}

fn at_the_end(head: Option<Seal>, last: Seal, noted: Option<&Seal>) -> Found {
    let next = last.number + 1;
    let Some(head) = head else {
        return Found::Broken { number: next, why: "the head, which tells whether it was there, is missing" };
    };
    if head.number > last.number || noted.is_some_and(|noted| noted.number > last.number) {
        return Found::Broken { number: next, why: "it is missing" };
    }
    if head.number < last.number {
        return Found::Broken { number: head.number + 1, why: "the head does not know it" };
    }
    match head.hash == last.hash {
        true => Found::Intact { head },
        false => Found::Broken { number: last.number, why: "it is not the one that the head knows" },
    }
}

/// Returns the row if it correctly follows the last one of the chain.
fn follows(row: Option<Model>, last: &Seal) -> Result<Model, &'static str> {
    let Some(row) = row else { return Err("it cannot be read") };
    if row.number != last.number + 1 {
        return Err("it is missing, or another one has its number");
    }
    if row.previous_hash != last.hash {
        return Err("it does not follow the entry before it");
    }
    if row.hash != hash(&row) {
        return Err("it is not as it was written");
    }
    Ok(row)
}

/// Returns the entries after a number, in order. A row with a wrongly typed column, which the owner of a
/// SQLite file can create, is returned as `None`.
async fn page<C: ConnectionTrait>(connection: &C, after: Option<i64>) -> Result<Vec<Option<Model>>> {
    let mut query = audit_entry::Entity::find().order_by_asc(Column::Number).limit(PAGE);
    if let Some(after) = after {
        query = query.filter(Column::Number.gt(after));
    }
    let rows = connection.query_all(&query.into_query()).await.map_err(db)?;
    Ok(rows.iter().map(|row| Model::from_query_result(row, "").ok()).collect())
}

async fn read_head<C: ConnectionTrait>(connection: &C) -> Result<Option<Seal>> {
    let query = audit_head::Entity::find_by_id(ROW).into_query();
    let row = connection.query_one(&query).await.map_err(db)?;
    let head = row.and_then(|row| audit_head::Model::from_query_result(&row, "").ok());
    Ok(head.map(|audit_head::Model { id: _, number, hash }| Seal { number, hash }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_read_as_it_is_written() {
        let seal = Seal { number: 17, hash: (0..32).collect() };
        assert_eq!(seal.to_string(), "17:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
        assert_eq!(seal.to_string().parse(), Ok(seal));
        for wrong in ["", "17", "17:", "17:AAEC", "-1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "x:y"] {
            assert!(wrong.parse::<Seal>().is_err(), "{wrong}");
        }
    }
}
