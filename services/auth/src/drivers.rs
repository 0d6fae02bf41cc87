//! Accounts of drivers: they follow the drivers, by events, and by nothing else.
//!
//! A driver signs in with a username and a PIN. The account comes without a PIN; a link that somebody
//! of the office hands over sets it. Blocking acts in the transaction that handles the event.

use std::sync::Arc;

use ::store::outbox::DeadLetters;
use ::store::{Db, inbox};
use async_trait::async_trait;
use kit::bus::{Consumer, Handler};
use kit::clock::Clock;
use kit::{Error, Kind, Result};
use proto::events::envelope::Payload;
use proto::events::{DriverChanged, Envelope};
use uuid::Uuid;

use crate::domain::{Username, note};
use crate::store::drivers::apply;

/// Durable name of the consumer.
const CONSUMER: &str = "auth-drivers";
const SUBJECT: &str = "waybill.drivers.driver.changed.v1";
const DRIVER_ID_CHARS: usize = 64;
/// A username, or `system:<service>`.
const ACTOR_CHARS: usize = 100;
const NAME_CHARS: usize = 100;

/// A driver as they are now.
#[derive(Debug, Clone)]
pub struct DriverChange {
    pub(crate) driver_id: String,
    pub(crate) name: String,
    pub(crate) username: Username,
    pub(crate) blocked: bool,
    /// Of the driver: tells which of two changes is the newer one.
    pub(crate) version: i64,
    pub(crate) actor: String,
}

impl DriverChange {
    pub fn parse(driver: DriverChanged, version: u64, actor: &str) -> Result<Self> {
        let DriverChanged { driver_id, name, username, status } = driver;
        let refused = |field: &str, text: &str| Error::invalid_field(field, text);
        if driver_id.trim().is_empty() || driver_id.chars().count() > DRIVER_ID_CHARS {
            return Err(refused("driverId", "Driver id must have 1 to 64 characters"));
        }
        let blocked = match status.as_str() {
            "active" => false,
            "blocked" => true,
            _ => return Err(refused("status", "Status must be active or blocked")),
        };
        Ok(Self {
            driver_id: driver_id.trim().to_owned(),
            // Only shown: too long a name must not keep an account from being made or blocked.
            name: note(name.trim(), NAME_CHARS),
            username: Username::parse(&username).map_err(|text| refused("username", text))?,
            blocked,
            version: i64::try_from(version).map_err(Error::internal)?,
            actor: note(actor, ACTOR_CHARS),
        })
    }
}

/// Makes the accounts of drivers be as these say; returns of how many. One whose username belongs to
/// somebody else is left out.
pub async fn follow(db: &Db, clock: &Clock, changes: &[DriverChange]) -> Result<usize> {
    let mut followed = 0;
    let tx = db.begin().await?;
    for change in changes {
        match apply(&tx, clock.now(), change).await {
            Ok(()) => followed += 1,
            Err(error) if error.kind == Kind::AlreadyExists => tracing::warn!("{}", error.message),
            Err(error) => return Err(error),
        }
    }
    tx.commit().await?;
    Ok(followed)
}

/// What keeps the accounts up to date.
pub fn consumer(db: &Db, clock: &Clock) -> Consumer {
    Consumer {
        name: CONSUMER,
        subject: SUBJECT.to_owned(),
        handler: Arc::new(Follower { db: db.clone(), clock: clock.clone() }),
        dead_letters: Arc::new(DeadLetters { db: db.clone(), service: crate::NAME, clock: clock.clone() }),
    }
}

struct Follower {
    db: Db,
    clock: Clock,
}

#[async_trait]
impl Handler for Follower {
    async fn handle(&self, envelope: &Envelope) -> Result<()> {
        let Some(Payload::DriverChanged(driver)) = envelope.payload.clone() else { return Ok(()) };
        let id = Uuid::parse_str(&envelope.id).map_err(Error::internal)?;
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        if !inbox::once(&tx, CONSUMER, id, now).await? {
            return Ok(());
        }
        let change = DriverChange::parse(driver, envelope.aggregate_version, &envelope.actor)?;
        apply(&tx, now, &change).await?;
        tx.commit().await
    }
}
