//! Publishes what happens to the accounts of drivers, for the driver log.

use ::store::Tx;
use ::store::outbox::{self, NewEvent};
use chrono::{DateTime, Utc};
use kit::Result;
use proto::events::{DriverAccountReportKind, DriverAccountReported};

use crate::audit::Actor;
use crate::entity::user;

/// Publishes that the PIN of a driver was set. Ignores accounts of the office.
pub async fn pin_set(tx: &Tx, now: DateTime<Utc>, actor: &Actor, account: &user::Model) -> Result<()> {
    match &account.driver_id {
        Some(driver_id) => report(tx, now, actor, driver_id, DriverAccountReportKind::PinSet).await,
        None => Ok(()),
    }
}

/// Publishes that a sign-in with a driver's username was refused.
pub async fn sign_in_failed(tx: &Tx, at: DateTime<Utc>, actor: &Actor, driver_id: &str) -> Result<()> {
    report(tx, at, actor, driver_id, DriverAccountReportKind::SignInFailed).await
}

async fn report(
    tx: &Tx,
    at: DateTime<Utc>,
    actor: &Actor,
    driver_id: &str,
    kind: DriverAccountReportKind,
) -> Result<()> {
    let payload = DriverAccountReported {
        driver_id: driver_id.to_owned(),
        kind: kind.into(),
        address: actor.address.clone(),
    };
    let event = NewEvent {
        service: crate::NAME,
        actor: &actor.name,
        aggregate_id: driver_id,
        aggregate_version: 0,
        occurred_at: at,
        payload: payload.into(),
    };
    outbox::add(tx, event).await.map(|_| ())
}
