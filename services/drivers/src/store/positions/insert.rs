//! Inserts positions with one statement, whose text does not depend on the number of rows: the rows are
//! passed as arrays on Postgres and as one JSON string on SQLite. Updates those that are judged again in the same way.

use chrono::{DateTime, Utc};
use kit::{Error, Result};
use sea_orm::{ConnectionTrait, DbBackend, Statement, Value};
use serde_json::json;

use super::{Row, sqlite_time};
use crate::domain::position::{Filtered, Point};
use ::store::{Tx, db};

const INSERT_POSTGRES: &str = "INSERT INTO position (driver, occurred_at, fingerprint, received_at, lat, lng, \
    altitude, speed_kmh, heading_deg, accuracy_m, battery_pct, charging, motion, odometer_m, provider, filtered, \
    attributes) \
    SELECT driver, occurred_at, fingerprint, $4::timestamptz, lat, lng, NULLIF(altitude, 'NaN'), \
    NULLIF(speed_kmh, 'NaN'), NULLIF(heading_deg, 'NaN'), NULLIF(accuracy_m, 'NaN'), NULLIF(battery_pct, 'NaN'), \
    NULLIF(charging, '')::boolean, NULLIF(motion, '')::boolean, NULLIF(odometer_m, 'NaN'), provider, \
    NULLIF(filtered, ''), NULLIF(attributes, '') \
    FROM UNNEST($1::int[], $2::timestamptz[], $3::bigint[], $5::float8[], $6::float8[], $7::float8[], $8::float8[], \
    $9::float8[], $10::float8[], $11::float8[], $12::text[], $13::text[], $14::float8[], $15::text[], $16::text[], \
    $17::text[]) AS t (driver, occurred_at, fingerprint, lat, lng, altitude, speed_kmh, heading_deg, accuracy_m, \
    battery_pct, charging, motion, odometer_m, provider, filtered, attributes)";
const INSERT_SQLITE: &str = "INSERT INTO position (driver, occurred_at, fingerprint, received_at, lat, lng, \
    altitude, speed_kmh, heading_deg, accuracy_m, battery_pct, charging, motion, odometer_m, provider, filtered, \
    attributes) \
    SELECT value ->> 0, value ->> 1, value ->> 2, ?2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, \
    value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, \
    value ->> 15 \
    FROM json_each(?1)";

pub(super) async fn insert(tx: &Tx, rows: &[&Row<'_>], received_at: DateTime<Utc>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let backend = tx.get_database_backend();
    let statement = match backend {
        DbBackend::Postgres => {
            Statement::from_sql_and_values(backend, INSERT_POSTGRES, arrays(rows, received_at)?)
        }
        _ => {
            let rows = rows.iter().map(|row| listed(row)).collect::<Result<Vec<_>>>()?;
            let rows = serde_json::to_string(&rows).map_err(Error::internal)?;
            let values = [rows.into(), sqlite_time(received_at).into()];
            Statement::from_sql_and_values(backend, INSERT_SQLITE, values)
        }
    };
    tx.execute_raw(statement).await.map_err(db)?;
    Ok(())
}

const UPDATE_POSTGRES: &str = "UPDATE position p SET filtered = NULLIF(k.filtered, '') \
    FROM UNNEST($1::int[], $2::timestamptz[], $3::bigint[], $4::text[]) AS k (driver, at, fingerprint, filtered) \
    WHERE p.driver = k.driver AND p.occurred_at = k.at AND p.fingerprint = k.fingerprint";
const UPDATE_SQLITE: &str = "UPDATE position AS p SET filtered = k.value ->> 3 FROM json_each(?1) k \
    WHERE p.driver = k.value ->> 0 AND p.occurred_at = k.value ->> 1 AND p.fingerprint = k.value ->> 2";

/// Writes why stored positions are rejected, or that they are accepted.
pub(super) async fn update(tx: &Tx, rows: &[&Row<'_>]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let backend = tx.get_database_backend();
    let statement = match backend {
        DbBackend::Postgres => {
            let filtered = |row: &&Row<'_>| row.filtered.map_or("", Filtered::as_str).to_owned();
            let values: [Value; 4] = [
                rows.iter().map(|row| row.driver).collect::<Vec<i32>>().into(),
                rows.iter().map(|row| row.point.occurred_at).collect::<Vec<DateTime<Utc>>>().into(),
                rows.iter().map(|row| row.fingerprint).collect::<Vec<i64>>().into(),
                rows.iter().map(filtered).collect::<Vec<String>>().into(),
            ];
            Statement::from_sql_and_values(backend, UPDATE_POSTGRES, values)
        }
        _ => {
            let listed = |row: &&Row<'_>| {
                let at = sqlite_time(row.point.occurred_at);
                json!([row.driver, at, row.fingerprint, row.filtered.map(Filtered::as_str)])
            };
            let rows = serde_json::Value::Array(rows.iter().map(listed).collect()).to_string();
            Statement::from_sql_and_values(backend, UPDATE_SQLITE, [rows.into()])
        }
    };
    tx.execute_raw(statement).await.map_err(db)?;
    Ok(())
}

/// Builds one array per column. Arrays cannot contain missing values, so NaN or an empty string stands for
/// them. If all values of a column are missing, its array is empty, to save space.
fn arrays(rows: &[&Row<'_>], received_at: DateTime<Utc>) -> Result<Vec<Value>> {
    let number = |value: fn(&Point) -> Option<f64>| -> Value {
        if rows.iter().all(|row| value(row.point).is_none()) {
            return Vec::<f64>::new().into();
        }
        rows.iter().map(|row| value(row.point).unwrap_or(f64::NAN)).collect::<Vec<f64>>().into()
    };
    let texts = |texts: Vec<String>| -> Value {
        if texts.iter().all(String::is_empty) { Vec::<String>::new() } else { texts }.into()
    };
    let flag = |value: fn(&Point) -> Option<bool>| -> Value {
        let text = |row: &&Row<'_>| value(row.point).map(|it| it.to_string()).unwrap_or_default();
        texts(rows.iter().map(text).collect())
    };
    let text = |value: fn(&Row<'_>) -> &'static str| -> Value {
        texts(rows.iter().map(|row| value(row).to_owned()).collect())
    };
    let attributes = rows.iter().map(|row| attributes(row.point).map(Option::unwrap_or_default));
    Ok(vec![
        rows.iter().map(|row| row.driver).collect::<Vec<i32>>().into(),
        rows.iter().map(|row| row.point.occurred_at).collect::<Vec<DateTime<Utc>>>().into(),
        rows.iter().map(|row| row.fingerprint).collect::<Vec<i64>>().into(),
        received_at.into(),
        number(|it| Some(it.lat)),
        number(|it| Some(it.lng)),
        number(|it| it.altitude),
        number(|it| it.speed_kmh),
        number(|it| it.heading_deg),
        number(|it| it.accuracy_m),
        number(|it| it.battery_pct),
        flag(|it| it.charging),
        flag(|it| it.motion),
        number(|it| it.odometer_m),
        text(|row| row.provider.as_str()),
        text(|row| row.filtered.map_or("", Filtered::as_str)),
        texts(attributes.collect::<Result<Vec<String>>>()?),
    ])
}

/// Formats a row as a JSON array.
fn listed(row: &Row<'_>) -> Result<serde_json::Value> {
    let it = row.point;
    Ok(json!([
        row.driver,
        sqlite_time(it.occurred_at),
        row.fingerprint,
        it.lat,
        it.lng,
        it.altitude,
        it.speed_kmh,
        it.heading_deg,
        it.accuracy_m,
        it.battery_pct,
        it.charging,
        it.motion,
        it.odometer_m,
        row.provider.as_str(),
        row.filtered.map(Filtered::as_str),
        attributes(it)?,
    ]))
}

fn attributes(point: &Point) -> Result<Option<String>> {
    match point.attributes.is_empty() {
        true => Ok(None),
        false => serde_json::to_string(&point.attributes).map(Some).map_err(Error::internal),
    }
}
