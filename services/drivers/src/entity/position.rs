use std::collections::BTreeMap;

use proto::drivers::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::position::{Filtered, Point, Provider};

/// A point as received. On Postgres, the table is partitioned by month.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "position")]
pub struct Model {
    /// The driver's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub driver: i32,
    #[sea_orm(primary_key, auto_increment = false)]
    pub occurred_at: DateTimeUtc,
    /// Hash of the point's content.
    #[sea_orm(primary_key, auto_increment = false)]
    pub fingerprint: i64,
    pub received_at: DateTimeUtc,
    pub lat: f64,
    pub lng: f64,
    pub altitude: Option<f64>,
    pub speed_kmh: Option<f64>,
    pub heading_deg: Option<f64>,
    pub accuracy_m: Option<f64>,
    pub battery_pct: Option<f64>,
    pub charging: Option<bool>,
    pub motion: Option<bool>,
    pub odometer_m: Option<f64>,
    pub provider: Provider,
    pub filtered: Option<Filtered>,
    /// A JSON object whose values are strings.
    pub attributes: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub fn told(self, driver_id: &str) -> wire::Position {
        let Model {
            driver: _,
            occurred_at,
            fingerprint: _,
            received_at,
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            provider,
            filtered,
            attributes,
        } = self;
        let attributes: BTreeMap<String, String> =
            attributes.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let point = Point {
            occurred_at,
            lat,
            lng,
            altitude,
            speed_kmh,
            heading_deg,
            accuracy_m,
            battery_pct,
            charging,
            motion,
            odometer_m,
            attributes,
        };
        point.told(driver_id, received_at, provider, filtered)
    }
}
