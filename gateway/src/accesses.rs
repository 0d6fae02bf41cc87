//! Reports exports and views to auth's audit log, before any data is returned.
//!
//! Reports carry the caller's own token, so that nobody can be recorded for what somebody else did. If
//! reporting fails, no data is returned. A view is recorded once per hour: a reported view is cached for as
//! long as auth specifies, so a screen that polls every second costs one call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kit::rpc::Transport;
use kit::text::fold;
use kit::{Error, Kind, Result};
use moka::Expiry;
use moka::future::Cache;
use proto::auth::v1::RecordAccessRequest;
use proto::auth::v1::auth_service_client::AuthServiceClient;
use proto::common::v1::Filter;
use serde_json::{Value, json};

use crate::session::Session;

/// Maximum number of cached views.
const MOST: u64 = 100_000;
/// Auth's limit for the details of a request.
const MAX_DETAIL: usize = 2_048;

/// The kinds of exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    Deliveries,
    Positions,
    Form,
}

/// The kinds of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    /// Signature and photos of a delivery.
    Proof,
    /// Current or past positions of a driver.
    Location,
    /// The log of a driver.
    Log,
}

type Key = (String, View, String);

/// Reports accesses to the audit log.
pub struct Accesses {
    auth: Transport,
    /// Recently reported views, each with the time until it must be reported again.
    reported: Cache<Key, Duration>,
}

struct WhileItIsTheHour;

impl Expiry<Key, Duration> for WhileItIsTheHour {
    fn expire_after_create(&self, _: &Key, left: &Duration, _: Instant) -> Option<Duration> {
        Some(*left)
    }
}

impl Accesses {
    pub fn new(auth: Transport) -> Self {
        let reported = Cache::builder().max_capacity(MOST).expire_after(WhileItIsTheHour).build();
        Self { auth, reported }
    }

    /// Records every single export. Call it when the export can no longer be refused, and before the first
    /// byte is sent.
    pub async fn exported(
        &self,
        session: &Session,
        export: Export,
        (id, name): (&str, &str),
        detail: Value,
    ) -> Result<()> {
        let action = match export {
            Export::Deliveries => "deliveries.exported",
            Export::Positions => "driver_positions.exported",
            Export::Form => "forms.exported",
        };
        let reported = self.report(session, action, id, name, detail.to_string()).await;
        reported.map(drop).map_err(|error| match error.kind {
            Kind::Unauthenticated | Kind::Forbidden => error,
            // No other failure is the caller's fault.
            _ => Error::unavailable(
                "EXPORT_UNRECORDED",
                "Exports are recorded in the audit log, which isn't available right now. Nothing was \
                 exported. Try again in a moment.",
            )
            .with_source(error),
        })
    }

    /// Records a view, once per hour. An empty id means several entities.
    pub async fn viewed(&self, session: &Session, view: View, (id, name): (&str, &str)) -> Result<()> {
        let action = match view {
            View::Proof => "proof.viewed",
            View::Location => "driver_location.viewed",
            View::Log => "driver_log.viewed",
        };
        let key = (session.user.id.clone(), view, fold(id));
        let reporting = async {
            let asked = Instant::now();
            let left = self.report(session, action, id, name, String::new()).await?;
            Ok::<_, Error>(left.saturating_sub(asked.elapsed()))
        };
        // Of concurrent views of one record, only one is reported.
        let reported = self.reported.try_get_with(key, reporting).await;
        reported.map(drop).map_err(|error: Arc<Error>| match error.kind {
            // All concurrent callers share the error, and each gets its own copy.
            kind @ (Kind::Unauthenticated | Kind::Forbidden) => {
                Error::new(kind, &error.reason, &error.message)
            }
            _ => Error::unavailable(
                "VIEW_UNRECORDED",
                "Viewing this is recorded in the audit log, which isn't available right now. Try again in a \
                 moment.",
            )
            .with_source(error),
        })
    }

    /// Records a query of the query lab with its text, shortened to fit. For a saved query, records its id
    /// and name, too. Call it before the query runs.
    pub async fn queried(&self, session: &Session, (id, name): (&str, &str), query: &str) -> Result<()> {
        let mut kept = query.chars().count();
        let detail = loop {
            let text: String = query.chars().take(kept).collect();
            let mut detail = json!({ "query": text });
            if text.len() < query.len() {
                detail["bytes"] = query.len().into();
            }
            let text = detail.to_string();
            if text.len() <= MAX_DETAIL {
                break text;
            }
            kept = kept * 3 / 4;
        };
        let reported = self.report(session, "analytics.queried", id, name, detail).await;
        reported.map(drop).map_err(|error| match error.kind {
            Kind::Unauthenticated | Kind::Forbidden => error,
            _ => Error::unavailable(
                "QUERY_UNRECORDED",
                "Queries are recorded in the audit log, which isn't available right now. Try again in a \
                 moment.",
            )
            .with_source(error),
        })
    }

    /// Reports an access; returns how long the same access need not be reported again.
    async fn report(
        &self,
        session: &Session,
        action: &str,
        id: &str,
        name: &str,
        detail_json: String,
    ) -> Result<Duration> {
        let ask = RecordAccessRequest {
            action: action.to_owned(),
            entity_id: id.to_owned(),
            entity_name: name.to_owned(),
            detail_json,
        };
        let answer = AuthServiceClient::new(session.client(&self.auth)).record_access(ask).await?;
        Ok(Duration::from_secs(answer.into_inner().remember_seconds.into()))
    }
}

/// Returns the details to record for an export: its format and sort order, and as many filters as fit.
pub fn asked(format: Value, filters: &[Filter], sort: &str) -> Value {
    let told: Vec<Value> = filters
        .iter()
        .map(|Filter { key, operator, values }| json!({ "key": key, "operator": operator, "values": values }))
        .collect();
    for kept in (0..=told.len()).rev() {
        let mut detail = json!({ "format": format });
        if !sort.is_empty() {
            detail["sort"] = sort.into();
        }
        if kept > 0 {
            detail["filters"] = told[..kept].to_vec().into();
        }
        if kept < told.len() {
            detail["filtersLeftOut"] = (told.len() - kept).into();
        }
        if detail.to_string().len() <= MAX_DETAIL {
            return detail;
        }
    }
    json!({ "format": format, "filtersLeftOut": told.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_has_room() {
        let filter =
            |value: String| Filter { key: "id".into(), operator: "equals".into(), values: vec![value] };
        assert_eq!(asked("csv".into(), &[], ""), json!({ "format": "csv" }));
        let few = asked("xlsx".into(), &[filter("D-1".into())], "-id");
        let told = json!([{ "key": "id", "operator": "equals", "values": ["D-1"] }]);
        assert_eq!(few, json!({ "format": "xlsx", "sort": "-id", "filters": told }));
        let many: Vec<_> = (0..20).map(|_| filter("é".repeat(100))).collect();
        let cut = asked("csv".into(), &many, "");
        let left = cut["filters"].as_array().unwrap().len();
        assert!(left > 2 && cut.to_string().len() <= MAX_DETAIL);
        assert_eq!(cut["filtersLeftOut"], 20 - left);
        for (filters, sort) in [(vec![filter("x".repeat(3_000))], ""), (vec![], &*"-".repeat(3_000))] {
            let none = asked("csv".into(), &filters, sort);
            assert_eq!(none, json!({ "format": "csv", "filtersLeftOut": filters.len() }));
        }
    }
}
