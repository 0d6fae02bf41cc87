//! Matches the names of a file with drivers, customers and truckers.

use std::collections::{BTreeMap, BTreeSet};

use ::store::filter::fold;
use ::store::{Db, bulk, db};
use kit::{Error, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::domain::driver::DriverStatus;
use crate::domain::likeness::{Parties, Party};
use crate::entity::{customer, driver, trucker};

/// Number of records among which similar ones are searched, in the order of their names.
const SEARCHED: u64 = 50_000;

/// What a name of a file can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Driver,
    Customer,
    Trucker,
}

/// An answer about the names of a file.
#[derive(Debug, Default)]
pub struct Matches {
    /// Names that match no record, with similar ones.
    pub unmatched: Vec<(String, Vec<Party>)>,
    /// The targets that exist.
    pub targets: Vec<Party>,
}

/// A record, found by the key of its name.
type Record = (String, Party);

/// Looks up names and targets. While no record of this kind is known, every name is accepted, because the
/// office then does not maintain them in Waybill.
pub async fn matches(db_: &Db, kind: Kind, names: Vec<String>, targets: &[String]) -> Result<Matches> {
    let keys: BTreeSet<String> = names.iter().chain(targets).map(|name| fold(name)).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let (mut known, mut blocked) = (BTreeMap::new(), BTreeSet::new());
    match kind {
        Kind::Driver => {
            for some in bulk::chunks::<driver::Entity, _>(&keys) {
                let found = driver::Entity::find().filter(driver::Column::DriverIdKey.is_in(some));
                for row in found.all(db_.read()).await.map_err(db)? {
                    if row.status == DriverStatus::Blocked {
                        blocked.insert(row.driver_id_key.clone());
                    }
                    known.extend([driver(row)]);
                }
            }
        }
        Kind::Customer => {
            for some in bulk::chunks::<customer::Entity, _>(&keys) {
                let found = customers().filter(customer::Column::CustomerNameKey.is_in(some));
                let found: Vec<(String, String)> = found.into_tuple().all(db_.read()).await.map_err(db)?;
                known.extend(found.into_iter().map(plain));
            }
        }
        Kind::Trucker => {
            for some in bulk::chunks::<trucker::Entity, _>(&keys) {
                let found = trucker::Entity::find().filter(trucker::Column::NameKey.is_in(some));
                let found = found.all(db_.read()).await.map_err(db)?;
                known.extend(found.into_iter().map(|row| plain((row.name_key, row.name))));
            }
        }
    }
    let is_target = |key: &String| known.contains_key(key) && !blocked.contains(key);
    let found: BTreeSet<String> = targets.iter().map(|name| fold(name)).filter(is_target).collect();
    let targets = found.into_iter().filter_map(|key| known.get(&key).cloned()).collect();
    let unknown: Vec<String> = names.into_iter().filter(|name| !known.contains_key(&fold(name))).collect();
    let unmatched = if unknown.is_empty() { Vec::new() } else { suggest(db_, kind, unknown).await? };
    Ok(Matches { unmatched, targets })
}

/// Returns the unknown names with similar ones; nothing while no record of this kind is known.
async fn suggest(db_: &Db, kind: Kind, unknown: Vec<String>) -> Result<Vec<(String, Vec<Party>)>> {
    let known: Vec<Party> = match kind {
        Kind::Driver => {
            let all = driver::Entity::find().order_by_asc(driver::Column::DriverIdKey).limit(SEARCHED);
            let all = all.all(db_.read()).await.map_err(db)?;
            if all.is_empty() {
                return Ok(Vec::new());
            }
            let active = all.into_iter().filter(|row| row.status != DriverStatus::Blocked);
            active.map(|row| driver(row).1).collect()
        }
        Kind::Customer => {
            let all = customers().order_by_asc(customer::Column::CustomerNameKey).limit(SEARCHED);
            let all: Vec<(String, String)> = all.into_tuple().all(db_.read()).await.map_err(db)?;
            all.into_iter().map(|row| plain(row).1).collect()
        }
        Kind::Trucker => {
            let all = trucker::Entity::find().order_by_asc(trucker::Column::NameKey).limit(SEARCHED);
            let all = all.all(db_.read()).await.map_err(db)?;
            all.into_iter().map(|row| plain((row.name_key, row.name)).1).collect()
        }
    };
    if known.is_empty() && kind != Kind::Driver {
        return Ok(Vec::new());
    }
    let compare = move || {
        let parties = Parties::new(known);
        let similar = |name: String| {
            let found = parties.similar(&name).into_iter().cloned().collect();
            (name, found)
        };
        unknown.into_iter().map(similar).collect()
    };
    tokio::task::spawn_blocking(compare).await.map_err(Error::internal)
}

fn customers() -> sea_orm::Select<customer::Entity> {
    let columns = [customer::Column::CustomerNameKey, customer::Column::CustomerName];
    customer::Entity::find().select_only().columns(columns)
}

fn driver(row: driver::Model) -> Record {
    let label = format!("{} ({})", row.name, row.driver_id);
    (row.driver_id_key, Party { name: row.driver_id, label, other: Some(row.name) })
}

fn plain((key, name): (String, String)) -> Record {
    (key, Party { label: name.clone(), name, other: None })
}
