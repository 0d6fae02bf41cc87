//! Finds drivers by device or id. The results are cached until a driver changes, because positions arrive a
//! thousand times as often as changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use kit::{Error, Kind, Result};
use store::Db;
use tokio::sync::Mutex;

use crate::domain::driver::Status;
use crate::domain::form::Name;
use crate::entity::{driver, ended_pairing};
use crate::store::{devices, drivers};

/// How long this process may go on accepting positions of a driver whom another process has blocked.
const BELIEVED: Duration = Duration::from_secs(1);
const CAPACITY: u64 = 50_000;
/// How long entries stay in the cache. Dropping them only saves memory; they do not become wrong with time.
const TTL: Duration = Duration::from_secs(600);

/// The data about a driver that is needed to record positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub number: i32,
    blocked: bool,
}

impl Known {
    /// Refuses a blocked driver.
    pub fn require_active(&self) -> Result<()> {
        if self.blocked { Err(blocked()) } else { Ok(()) }
    }
}

impl From<driver::Model> for Known {
    fn from(row: driver::Model) -> Self {
        Self { number: row.number, blocked: row.status == Status::Blocked }
    }
}

pub fn blocked() -> Error {
    let text = "This driver is blocked. The office can unblock them.";
    Error::new(Kind::Forbidden, "DRIVER_BLOCKED", text)
}

/// The drivers of a device.
#[derive(Debug)]
pub struct Pairings {
    pub current: Option<Known>,
    ended: Vec<(Known, ended_pairing::Model)>,
}

impl Pairings {
    /// Returns the driver who owns a position of this time: the one who had the device then. If nobody had it,
    /// the current driver, or `None` if there is none.
    pub fn driver_at(&self, at: DateTime<Utc>) -> Option<&Known> {
        let then = self.ended.iter().find(|(_, ended)| ended.paired_at <= at && at < ended.unpaired_at);
        then.map(|(driver, _)| driver).or(self.current.as_ref())
    }

    /// Returns whether the device had a driver before.
    pub fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }
}

pub struct Lookup {
    db: Db,
    /// Number of the cache's generation. A lookup that began before a change is stored under the old number,
    /// where it is never found.
    generation: AtomicU64,
    drivers: moka::sync::Cache<(u64, String), Known>,
    devices: moka::sync::Cache<(u64, String), Arc<Pairings>>,
    seen: Mutex<Seen>,
}

/// The state of all drivers when this process last checked it; empty before the first check.
#[derive(Default)]
struct Seen {
    at: Option<Instant>,
    state: drivers::State,
}

impl Lookup {
    pub fn new(db: Db) -> Self {
        let drivers = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(TTL).build();
        let devices = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(TTL).build();
        Self { db, generation: AtomicU64::new(0), drivers, devices, seen: Mutex::default() }
    }

    /// Invalidates the cache. Call it after committing a change of a driver or device.
    pub fn forget(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub async fn driver(&self, id: &str) -> Result<Known> {
        let key = self.key(::store::filter::fold(id)).await?;
        if let Some(known) = self.drivers.get(&key) {
            return Ok(known);
        }
        let known = Known::from(drivers::get(&self.db, id).await?);
        self.drivers.insert(key, known.clone());
        Ok(known)
    }

    /// Returns the drivers of a device, current and former.
    pub async fn device(&self, device: &Name) -> Result<Arc<Pairings>> {
        let key = self.key(device.key.clone()).await?;
        if let Some(pairings) = self.devices.get(&key) {
            return Ok(pairings);
        }
        let current = devices::driver_of(&self.db, device).await?.map(Known::from);
        let ended = devices::ended_pairings(&self.db, device).await?;
        let ended = ended.into_iter().map(|(driver, ended)| (Known::from(driver), ended)).collect();
        let pairings = Pairings { current, ended };
        // Unknown devices are not cached, because anybody may invent ids.
        let is_known = pairings.current.is_some() || !pairings.ended.is_empty();
        let pairings = Arc::new(pairings);
        if is_known {
            self.devices.insert(key, pairings.clone());
        }
        Ok(pairings)
    }

    async fn key(&self, key: String) -> Result<(u64, String)> {
        self.look().await?;
        Ok((self.generation.load(Ordering::SeqCst), key))
    }

    /// Checks whether other processes have changed drivers. Asks the database at most once per second, for
    /// all requests together.
    async fn look(&self) -> Result<()> {
        let mut seen = self.seen.lock().await;
        if seen.at.is_some_and(|at| at.elapsed() < BELIEVED) {
            return Ok(());
        }
        let at = Instant::now();
        let state = drivers::state(&self.db).await?;
        if state != seen.state {
            self.forget();
        }
        *seen = Seen { at: Some(at), state };
        Ok(())
    }
}
