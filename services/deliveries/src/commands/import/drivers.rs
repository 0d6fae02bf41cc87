//! Checks the drivers in the lines of a batch against the known ones.

use std::collections::{BTreeMap, BTreeSet};

use kit::Result;
use proto::deliveries::v1::ImportRowWarning;

use crate::domain::driver::DriverStatus;
use crate::domain::row::{Outcome, Row};
use crate::entity::driver;
use crate::tables::drivers;
use ::store::Tx;
use ::store::filter::fold;

const COLUMN: &str = "Driver ID";

/// Warns about each line whose driver is unknown or blocked; with `refuse`, refuses it instead. After a
/// warning, an unknown driver stays in the line; a blocked driver is removed from it, so that nobody is
/// assigned. There are no warnings while no driver is known at all, because the office then does not maintain
/// drivers in Waybill.
pub(super) async fn check(tx: &Tx, rows: &mut [Row], refuse: bool) -> Result<Vec<ImportRowWarning>> {
    let named: BTreeSet<String> =
        rows.iter().filter_map(|row| row.texts.driver_id.as_deref().map(fold)).collect();
    let mut warnings = Vec::new();
    if named.is_empty() || (!refuse && !drivers::any(&**tx).await?) {
        return Ok(warnings);
    }
    let known = drivers::by_keys(&**tx, named).await?;
    let known: BTreeMap<&str, &driver::Model> =
        known.iter().map(|driver| (driver.driver_id_key.as_str(), driver)).collect();
    for row in rows {
        let Some(id) = row.texts.driver_id.as_deref() else { continue };
        let (code, text) = match known.get(fold(id).as_str()) {
            Some(driver) if driver.status == DriverStatus::Blocked => {
                row.texts.driver_id = None;
                (
                    "DRIVER_BLOCKED",
                    format!("{} ({}) is blocked and was not assigned.", driver.name, driver.driver_id),
                )
            }
            Some(_) => continue,
            None => {
                ("DRIVER_UNKNOWN", format!("There is no driver {id}. Add the driver or assign another one."))
            }
        };
        if refuse {
            row.refused = Some(Outcome::Refused { column: COLUMN, code, text });
        } else {
            warnings.push(ImportRowWarning {
                column: COLUMN.into(),
                code: code.into(),
                text,
                line: row.line,
            });
        }
    }
    Ok(warnings)
}
