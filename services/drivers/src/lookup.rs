//! Finds drivers by device or id. The results are cached until a driver changes, because positions arrive a
//! thousand times as often as changes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kit::{Error, Kind, Result};
use store::Db;
use tokio::sync::Mutex;

use crate::domain::driver::Status;
use crate::domain::form::Name;
use crate::entity::driver;
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

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Driver(String),
    Device(String),
}

pub struct Lookup {
    db: Db,
    /// Number of the cache's generation. A lookup that began before a change is stored under the old number,
    /// where it is never found.
    generation: AtomicU64,
    known: moka::sync::Cache<(u64, Key), Known>,
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
        let known = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(TTL).build();
        Self { db, generation: AtomicU64::new(0), known, seen: Mutex::default() }
    }

    /// Invalidates the cache. Call it after committing a change of a driver or device.
    pub fn forget(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    pub async fn driver(&self, id: &str) -> Result<Known> {
        let key = self.key(Key::Driver(::store::filter::fold(id))).await?;
        if let Some(known) = self.known.get(&key) {
            return Ok(known);
        }
        let known = Known::from(drivers::get(&self.db, id).await?);
        self.known.insert(key, known.clone());
        Ok(known)
    }

    /// Returns the driver of a device; `None` if the device is not paired.
    pub async fn device(&self, device: &Name) -> Result<Option<Known>> {
        let key = self.key(Key::Device(device.key.clone())).await?;
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(known));
        }
        let Some(row) = devices::driver_of(&self.db, device).await? else { return Ok(None) };
        let known = Known::from(row);
        self.known.insert(key, known.clone());
        Ok(Some(known))
    }

    async fn key(&self, key: Key) -> Result<(u64, Key)> {
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
