//! People, requests and helpers for tests of announcements and report settings.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use chrono::Duration;
pub use kit::clock::new_id;
pub use proto::common::v1::{CountRequest, Filter, Page, Sort, SortDirection};
pub use proto::events::envelope::Payload;
pub use sea_orm::PaginatorTrait;

use super::*;

/// Starts a service that several tasks share.
pub async fn start(db: Db) -> Arc<World> {
    Arc::new(World::start(db).await)
}

/// Returns somebody whose id is derived from their name.
pub fn person(name: &str, roles: &[Role]) -> Principal {
    Principal::User {
        id: format!("id of {}", name.to_lowercase()),
        username: name.into(),
        roles: roles.to_vec(),
        session: "s1".into(),
        driver_id: roles.contains(&Role::Driver).then(|| "DRV-1".to_owned()),
    }
}

pub fn viewer<T>(message: T) -> Request<T> {
    by(user(Role::Viewer), message)
}

/// Returns everybody except administrators, including a background service.
pub fn others() -> Vec<Principal> {
    let roles = [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver];
    let mut all: Vec<Principal> = roles.map(user).into();
    all.push(person("nobody", &[]));
    all.push(Principal::Service { name: "gateway".into() });
    all
}

pub fn filter(key: &str, operator: &str, values: &[&str]) -> Filter {
    let values = values.iter().map(|it| (*it).to_owned()).collect();
    Filter { key: key.into(), operator: operator.into(), values }
}

pub fn sort(key: &str, direction: SortDirection) -> Sort {
    Sort { key: key.into(), direction: direction.into() }
}

/// Asserts that the edits of each row got the versions 2, 3 and so on, each once; returns the last version of
/// each row.
pub fn chains(made: Vec<(String, u64)>) -> BTreeMap<String, u64> {
    let mut versions: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (id, version) in made {
        versions.entry(id).or_default().push(version);
    }
    let chain = |mut made: Vec<u64>| {
        made.sort_unstable();
        let last = made.len() as u64 + 1;
        assert_eq!(made, (2..=last).collect::<Vec<_>>(), "each edit is a version of its own");
        last
    };
    versions.into_iter().map(|(id, made)| (id, chain(made))).collect()
}
