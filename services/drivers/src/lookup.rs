//! Who a device or a driver id is, remembered until a driver changes: positions come a thousand times as
//! often as that.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kit::{Error, Kind, Result};
use store::Db;
use tokio::sync::Mutex;

use crate::domain::driver::Status;
use crate::domain::form::Name;
use crate::entity::driver;
use crate::store::{devices, drivers};

/// Longer than that no process believes that a driver is not blocked: another may have changed it.
const BELIEVED: Duration = Duration::from_secs(1);
const CAPACITY: u64 = 50_000;
/// For memory alone.
const TTL: Duration = Duration::from_secs(600);

/// What positions need to know of a driver.
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
    let text = "This driver is blocked. The office can let them work again.";
    Error::new(Kind::Forbidden, "DRIVER_BLOCKED", text)
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Driver(String),
    Device(String),
}

pub struct Lookup {
    db: Db,
    /// Of what is remembered. A look that began before a change is kept under the old number, where
    /// nobody finds it.
    generation: AtomicU64,
    known: moka::sync::Cache<(u64, Key), Known>,
    seen: Mutex<Seen>,
}

/// The state of all drivers, as it was then. A process that has not looked yet has seen nothing.
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

    /// Invalidates the cache; call after a driver or device commit.
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

    /// The driver of a device, or nothing when it is nobody's.
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

    /// Once in a while, one request asks for all whether drivers have changed elsewhere.
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
