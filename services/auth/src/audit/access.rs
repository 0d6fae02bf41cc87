//! Audit entries of reads. Reads have no transaction in which a service could record them, so the gateway
//! reports them.
//!
//! Every export gets an entry. Views get one entry per actor, action, entity and hour: the entry's id is
//! derived from these, so several gateways that report the same view cause one entry.

use chrono::{DateTime, Timelike, Utc};
use kit::clock::derived_id;
use kit::{Error, Result};
use sea_orm::Iterable;
use uuid::Uuid;

use ::store::filter::fold;
use proto::auth::v1::RecordAccessRequest;

use super::{Action, Entity};

/// Maximum size of `detail_json`: filters and the format of an export.
const MAX_DETAIL: usize = 2_048;
const ID_CHARS: usize = 200;
const HOUR: u32 = 3_600;

/// How often a repeated read gets an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Often {
    EachTime,
    Hourly,
}

/// Returns the kind of entity that the action reads and how often it is recorded; `None` for actions that are
/// not reads.
fn reads(action: Action) -> Option<(Entity, Often)> {
    match action {
        Action::DeliveriesExported | Action::FormsExported => Some((Entity::Delivery, Often::EachTime)),
        Action::AnalyticsQueried => Some((Entity::Analytics, Often::EachTime)),
        Action::PositionsExported => Some((Entity::Driver, Often::EachTime)),
        Action::ProofViewed => Some((Entity::Delivery, Often::Hourly)),
        Action::LocationViewed | Action::LogViewed => Some((Entity::Driver, Often::Hourly)),
        _ => None,
    }
}

/// A validated access.
#[derive(Debug)]
pub struct Access {
    pub action: Action,
    pub entity: Entity,
    pub often: Often,
    /// Id of the entity that was read; empty means all entities.
    pub entity_id: String,
    pub entity_name: String,
    pub detail: String,
}

impl Access {
    pub fn parse(request: RecordAccessRequest) -> Result<Self> {
        let RecordAccessRequest { action, entity_id, entity_name, detail_json } = request;
        let known = Action::iter().find(|it| it.as_str() == action);
        let known = known.and_then(|action| reads(action).map(|reads| (action, reads)));
        let (action, (entity, often)) =
            known.ok_or_else(|| Error::invalid_field("action", "Action must be one that reads"))?;
        for (field, text) in [("entityId", &entity_id), ("entityName", &entity_name)] {
            if text.chars().count() > ID_CHARS || text.chars().any(char::is_control) {
                return Err(Error::invalid_field(
                    field,
                    format!("{field} must be {ID_CHARS} characters at most"),
                ));
            }
        }
        let detail = match detail_json.is_empty() {
            true => String::new(),
            false => detail(&detail_json)?,
        };
        Ok(Self { action, entity, often, entity_id, entity_name, detail })
    }

    /// Returns the id of a view's entry: the same for repeated views within an hour.
    pub fn id_of_hour(&self, actor_id: &str, now: DateTime<Utc>) -> Uuid {
        let entity_id = fold(&self.entity_id);
        let hour = now.timestamp().div_euclid(i64::from(HOUR)).to_string();
        derived_id(&[actor_id, self.action.as_str(), self.entity.as_str(), &entity_id, &hour])
    }
}

/// Returns the number of seconds until a repeated view gets a new entry.
pub fn seconds_left(now: DateTime<Utc>) -> u32 {
    HOUR - (now.minute() * 60 + now.second()) % HOUR
}

fn detail(json: &str) -> Result<String> {
    let wrong = || {
        let text = format!("Detail must be a JSON object of {MAX_DETAIL} bytes at most");
        Error::invalid_field("detailJson", text)
    };
    let fields = serde_json::from_str::<serde_json::Map<_, _>>(json).map_err(|_| wrong())?;
    let text = serde_json::Value::Object(fields).to_string();
    if text.len() > MAX_DETAIL { Err(wrong()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_ends_for_all_at_once() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert_eq!(seconds_left(at("2026-11-21T08:00:00Z")), 3_600);
        assert_eq!(seconds_left(at("2026-11-21T08:59:59.999Z")), 1);
        let request = RecordAccessRequest {
            action: "driver_location.viewed".into(),
            entity_id: "DRV-1".into(),
            ..Default::default()
        };
        let access = Access::parse(request.clone()).unwrap();
        let id = |actor: &str, text: &str| access.id_of_hour(actor, at(text));
        let first = id("u1", "2026-11-21T08:00:00Z");
        assert_eq!(first, id("u1", "2026-11-21T08:59:59.999Z"));
        assert_ne!(first, id("u1", "2026-11-21T09:00:00Z"));
        assert_ne!(first, id("u2", "2026-11-21T08:00:00Z"));
        let other = Access::parse(RecordAccessRequest { entity_id: "drv-1".into(), ..request }).unwrap();
        assert_eq!(first, other.id_of_hour("u1", at("2026-11-21T08:00:00Z")), "case does not tell ids apart");
    }

    #[test]
    fn only_what_reads_is_told_so() {
        let ask = |action: &str, detail: &str| {
            Access::parse(RecordAccessRequest {
                action: action.into(),
                detail_json: detail.into(),
                ..Default::default()
            })
        };
        let reading: Vec<_> = Action::SPELLINGS.iter().filter(|it| ask(it, "").is_ok()).collect();
        assert_eq!(reading.len(), 7);
        assert!(
            reading.iter().all(|it| [".exported", ".viewed", ".queried"].iter().any(|end| it.ends_with(end)))
        );
        for action in ["", "user.roles_changed", "deliveries.imported"] {
            assert!(ask(action, "").unwrap_err().fields.contains_key("action"), "{action}");
        }
        for bad in ["[]", "1", "{", &format!(r#"{{"a":"{}"}}"#, "x".repeat(2_050))] {
            assert!(ask("proof.viewed", bad).unwrap_err().fields.contains_key("detailJson"));
        }
        let kept = ask("proof.viewed", r#"{ "b": 1, "a": [] }"#).unwrap();
        assert_eq!(kept.detail, r#"{"a":[],"b":1}"#);
    }
}
