//! Privileged acts on their way to the audit log, which auth stores.
//!
//! `record` writes the act into the service's outbox in the transaction of the act, so that neither exists
//! without the other. Auth's consumer appends the act to the log under the event's id. Not here: acts on
//! accounts, which auth records itself, and reads, which the gateway reports to auth. [`Changes::hidden`]
//! keeps the values of secrets out of entries.

use chrono::{DateTime, Utc};
use kit::Result;
use kit::principal::Caller;
use proto::events::AuditRecorded;
use proto::events::envelope::Payload;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::Tx;
use crate::outbox::{self, NewEvent};

/// Maximum length of one value as JSON: people read the entries, and the entries are kept forever.
const MAX_VALUE: usize = 4_096;
/// Number of characters that are kept of a longer value.
const SHOWN: usize = 1_000;

/// Who changes something, from where, and when.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// Who acts: a username, or `system:<service>`.
    pub actor: &'a str,
    /// The caller's address as the gateway saw it; empty for background work.
    pub address: &'a str,
    pub now: DateTime<Utc>,
}

/// The caller, as an owned value that lives as long as the request is handled.
#[derive(Debug, Clone)]
pub struct Actor {
    name: String,
    address: String,
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        Self { name: caller.principal.actor(), address: caller.address.clone() }
    }
}

impl Actor {
    pub fn at(&self, now: DateTime<Utc>) -> By<'_> {
        By { actor: &self.name, address: &self.address, now }
    }
}

/// What was done, and to what.
#[derive(Debug)]
pub struct Act<'a> {
    /// The service that records the act.
    pub service: &'a str,
    /// What was done, for example `setting.updated`.
    pub action: &'a str,
    pub entity: &'a str,
    pub entity_id: &'a str,
    /// The name that people know the entity by.
    pub entity_name: &'a str,
    pub changes: Changes,
}

/// Records an act; does nothing if the act changed nothing.
pub async fn record(tx: &Tx, by: By<'_>, act: Act<'_>) -> Result<()> {
    if act.changes.are_none() {
        return Ok(());
    }
    outbox::add(tx, event(by, act)).await.map(drop)
}

/// Records an act that is reported by another service, perhaps repeatedly. Returns false if it was recorded under
/// this id before; auth, too, keeps one entry for each id.
pub async fn record_once(tx: &Tx, id: Uuid, by: By<'_>, act: Act<'_>) -> Result<bool> {
    outbox::add_once(tx, id, event(by, act)).await
}

fn event<'a>(by: By<'a>, act: Act<'a>) -> NewEvent<'a> {
    let Act { service, action, entity, entity_id, entity_name, changes } = act;
    let (before_json, after_json) = changes.texts();
    let payload = Payload::AuditRecorded(AuditRecorded {
        action: action.to_owned(),
        entity: entity.to_owned(),
        entity_id: entity_id.to_owned(),
        entity_name: entity_name.to_owned(),
        before_json,
        after_json,
        address: by.address.to_owned(),
        request_id: kit::trace::id().unwrap_or_default(),
    });
    NewEvent {
        service,
        actor: by.actor,
        aggregate_id: entity_id,
        aggregate_version: 0,
        occurred_at: by.now,
        payload,
    }
}

/// Field values of an entity at one moment, always in the same order, so that two moments can be compared.
pub type Fields = Vec<(&'static str, Value)>;

/// The fields that an act changed, before and after.
#[derive(Debug, Default)]
pub struct Changes {
    before: Map<String, Value>,
    after: Map<String, Value>,
}

impl Changes {
    /// Returns the changes of a creation.
    pub fn created(fields: Fields) -> Self {
        Self { after: given(fields), ..Self::default() }
    }

    /// Returns the changes of a deletion.
    pub fn deleted(fields: Fields) -> Self {
        Self { before: given(fields), ..Self::default() }
    }

    /// Returns the differences between the entity before and after the act.
    pub fn between(before: Fields, after: Fields) -> Self {
        let both = before.into_iter().zip(after);
        both.fold(Self::default(), |all, ((name, before), (_, after))| all.field(name, before, after))
    }

    /// Adds a field unless it is unchanged.
    pub fn field(mut self, name: &str, before: impl Into<Value>, after: impl Into<Value>) -> Self {
        let (before, after) = (before.into(), after.into());
        if before != after {
            self.before.insert(name.to_owned(), shortened(before));
            self.after.insert(name.to_owned(), shortened(after));
        }
        self
    }

    /// Adds a field that had no value before.
    pub fn made(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.after.insert(name.to_owned(), shortened(value.into()));
        self
    }

    /// Records that a secret field changed, without its values.
    pub fn hidden(self, name: &str) -> Self {
        self.made(name, "changed")
    }

    pub fn are_none(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Returns the values before and after the act as JSON; both strings are empty if no field changed.
    pub fn texts(self) -> (String, String) {
        let text = |fields: Map<String, Value>| match fields.is_empty() {
            true => String::new(),
            false => Value::Object(fields).to_string(),
        };
        (text(self.before), text(self.after))
    }
}

fn given(fields: Fields) -> Map<String, Value> {
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name.to_owned(), shortened(value))).collect()
}

fn shortened(value: Value) -> Value {
    let text = value.to_string();
    if text.len() <= MAX_VALUE {
        return value;
    }
    let start: String = text.chars().take(SHOWN).collect();
    Value::String(format!("{start}… ({} bytes)", text.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_changed_is_told() {
        let fields = |name: &str, phone: Value| vec![("name", json!(name)), ("phone", phone)];
        let changes = Changes::between(fields("a", json!(null)), fields("a", json!("1")));
        assert_eq!(changes.texts(), (r#"{"phone":null}"#.into(), r#"{"phone":"1"}"#.into()));
        assert!(Changes::between(fields("a", json!("1")), fields("a", json!("1"))).are_none());
        let (before, after) = Changes::created(fields("a", json!(null))).texts();
        assert_eq!((before.as_str(), after.as_str()), ("", r#"{"name":"a"}"#));
        let (before, after) = Changes::deleted(fields("a", json!(null))).texts();
        assert_eq!((before.as_str(), after.as_str()), (r#"{"name":"a"}"#, ""));
        assert_eq!(Changes::default().hidden("value").texts().1, r#"{"value":"changed"}"#);
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        let (before, after) = Changes::default().field("v", "é".repeat(4_000), "short").texts();
        assert!(before.len() < 2_100 && before.contains("… (8002 bytes)"), "{before}");
        assert_eq!(after, r#"{"v":"short"}"#);
        let twins = ("x".repeat(5_000) + "1", "x".repeat(5_000) + "2");
        assert!(!Changes::default().field("v", twins.0, twins.1).are_none(), "compared whole");
    }
}
