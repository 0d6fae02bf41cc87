//! Adds failed sign-ins and new PINs to drivers' logs.

use ::store::consume::Meta;
use ::store::filter::fold;
use ::store::{Tx, db};
use kit::Result;
use proto::events::{DriverAccountReportKind as Kind, DriverAccountReported};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;

use crate::domain::activity::Activity;
use crate::entity::{driver, driver_log};
use crate::store::logs;

pub async fn apply(tx: &Tx, reported: DriverAccountReported, meta: &Meta) -> Result<()> {
    let activity = match reported.kind() {
        Kind::SignInFailed => Activity::LoginFailed,
        Kind::PinSet => Activity::PasswordReset,
        // Only a later release reports it.
        Kind::Unspecified => return Ok(()),
    };
    let driver = driver::Entity::find().filter(driver::Column::DriverIdKey.eq(fold(&reported.driver_id)));
    let Some(driver) = driver.one(&**tx).await.map_err(db)? else { return Ok(()) };
    let entry = driver_log::ActiveModel {
        received_at: Set(meta.now),
        ip: Set((!reported.address.is_empty()).then_some(reported.address)),
        ..logs::fact(&driver, activity, meta.occurred_at, json!({}))
    };
    logs::append(tx, vec![entry]).await?;
    Ok(())
}
