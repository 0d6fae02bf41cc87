//! A driver's deliveries of one day.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use chrono::{DateTime, Days, NaiveDate, SecondsFormat, Utc};
use kit::config::Organization;
use kit::input::time::first_instant_of;
use kit::rpc::Client;
use kit::{Error, Result};
use proto::common::v1::{Filter, Page, Sort, SortDirection};
use proto::deliveries::v1 as contract;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::deliveries::{Delivery, client, with_items};
use super::enums::FailedAttemptProof;
use super::refusals::Refusals;
use super::wire::{Answer, Driver};
use crate::settings;
use crate::state::App;

/// Number of rows per request to the service.
const PAGE: usize = 100;
/// Maximum pages of one day: more than anybody delivers.
const MAX_PAGES: usize = 5;
/// Maximum number of values of one filter.
const MAX_VALUES: usize = 50;
/// Maximum number of lines of one day: more than anybody delivers.
const MAX_LINES: usize = 20_000;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Ask {
    /// The day of dispatch, in the organization's time zone; default: today.
    #[param(value_type = Option<String>, format = Date)]
    date: Option<NaiveDate>,
}

/// The deliveries of a day, earliest first.
#[derive(Serialize, ToSchema)]
pub struct Day {
    #[schema(value_type = String, format = Date)]
    date: NaiveDate,
    /// IANA name of the day's time zone.
    timezone: String,
    rules: Rules,
    deliveries: Vec<Delivery>,
    /// Whether the day has more deliveries than those in `deliveries`: at most 500, with at most 20,000 lines
    /// unless the first one has more.
    more: bool,
}

/// The current rules that apply to every delivery. Keep them with the day: without network, the app has to follow
/// them itself.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    failed_attempt_proof: FailedAttemptProof,
    /// Whether delivered and rejected together may be more than expected, with a reason.
    allow_over_delivery: bool,
    /// Maximum number of files per attempt.
    max_attachments: u64,
    /// Maximum size of a file, in bytes.
    max_attachment_bytes: u64,
}

impl From<&settings::Rules> for Rules {
    fn from(rules: &settings::Rules) -> Self {
        Self {
            failed_attempt_proof: rules.failed_attempt_proof.into(),
            allow_over_delivery: rules.allow_over_delivery,
            max_attachments: rules.max_attachments,
            max_attachment_bytes: rules.max_attachment_bytes,
        }
    }
}

/// The deliveries of a day
#[utoipa::path(
    get,
    path = "/driver/v1/deliveries",
    tag = "deliveries",
    security(("bearer" = [])),
    params(Ask),
    responses((status = 200, body = Day), Refusals),
)]
pub async fn list(
    State(app): State<Arc<App>>,
    Driver(session): Driver,
    ask: Result<Query<Ask>, QueryRejection>,
) -> Answer<Json<Day>> {
    let Query(Ask { date }) =
        ask.map_err(|_| Error::invalid_field("date", "Date must be a day, as in 2026-11-30"))?;
    let organization = app.office.organization().await?;
    let rules = Rules::from(&*app.office.now().await.rules);
    let zone = organization.zone();
    let date = date.unwrap_or_else(|| app.clock.now().with_timezone(&zone).date_naive());
    let (from, to) = bounds(date, &organization)?;
    let mut client = client(&app, &session);
    let (mut rows, more) = of_day(&mut client, from, to).await?;
    // A delivery that was assigned in the meantime may be earlier than those of previous pages.
    rows.sort_by_key(|row| row.scheduledatetime.map(|at| (at.seconds, at.nanos)));
    let deliveries = with_items(&mut client, rows).await?;
    Ok(Json(Day { date, timezone: zone.to_string(), rules, deliveries, more }))
}

/// Returns the first instant of a day, and the first instant of the next day.
fn bounds(date: NaiveDate, organization: &Organization) -> Result<(DateTime<Utc>, DateTime<Utc>)> {
    let next = date
        .checked_add_days(Days::new(1))
        .ok_or_else(|| Error::invalid_field("date", "There is no such day"))?;
    let zone = organization.zone();
    Ok((first_instant_of(zone, date), first_instant_of(zone, next)))
}

/// Returns the rows of a time range, each once, and whether there are more. The service restricts them to the
/// driver's own deliveries.
async fn of_day(
    client: &mut DeliveriesServiceClient<Client>,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<(Vec<contract::Delivery>, bool)> {
    let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let within = Filter {
        key: "scheduledatetime".to_owned(),
        operator: "inDateRange".to_owned(),
        values: vec![text(from), text(to)],
    };
    let earliest = Sort { key: within.key.clone(), direction: SortDirection::Asc.into() };
    let (mut rows, mut lines) = (Vec::<contract::Delivery>::new(), 0);
    for _ in 0..MAX_PAGES {
        // Exclude the rows of previous pages. With an offset, rows would be repeated or missed when deliveries are
        // assigned between two calls.
        let page = Page {
            r#where: std::iter::once(within.clone()).chain(except(&rows)).collect(),
            sort: vec![earliest.clone()],
            limit: PAGE as u32,
            offset: 0,
        };
        let ask = contract::ListDeliveriesRequest { page: Some(page), ..Default::default() };
        let contract::ListDeliveriesResponse { deliveries, more } =
            client.list_deliveries(ask).await?.into_inner();
        for row in deliveries {
            lines += row.linecount as usize;
            // One delivery is always answered, however many lines it has.
            if lines > MAX_LINES && !rows.is_empty() {
                return Ok((rows, true));
            }
            rows.push(row);
        }
        if !more {
            return Ok((rows, false));
        }
    }
    Ok((rows, true))
}

/// Returns filters that exclude these rows.
fn except(rows: &[contract::Delivery]) -> impl Iterator<Item = Filter> {
    rows.chunks(MAX_VALUES).map(|rows| Filter {
        key: "id".to_owned(),
        operator: "!equals".to_owned(),
        values: rows.iter().map(|row| row.id.clone()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_as_long_as_it_is_there() {
        let day = |date: &str, zone: &str| {
            let organization = Organization { name: String::new(), timezone: zone.to_owned() };
            let (from, to) = bounds(date.parse().unwrap(), &organization).unwrap();
            (from.to_rfc3339_opts(SecondsFormat::Secs, true), (to - from).num_hours())
        };
        assert_eq!(day("2026-11-21", "Asia/Manila"), ("2026-11-20T16:00:00Z".to_owned(), 24));
        assert_eq!(day("2026-10-25", "Europe/Berlin").1, 25);
        assert_eq!(day("2026-03-29", "Europe/Berlin").1, 23);
        // On that day the clock jumps from 23:59 to 01:00.
        assert_eq!(day("2026-09-06", "America/Santiago"), ("2026-09-06T04:00:00Z".to_owned(), 23));
    }
}
