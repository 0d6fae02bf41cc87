//! Believable demo data, each part where its service keeps it.

use kit::Result;
use kit::clock::Clock;
use proto::events::DriverChanged;
use store::Db;

pub const DEFAULT_DELIVERIES: u64 = 20_000;
/// Who made the demo data.
const ACTOR: &str = "demo";

const FIRST: [&str; 20] = [
    "Alma", "Arnel", "Bayani", "Cesar", "Danilo", "Edgar", "Efren", "Gina", "Joel", "Jun", "Lorna", "Manny",
    "Nestor", "Oscar", "Pepito", "Ramil", "Rey", "Rodel", "Teresa", "Vic",
];
const LAST: [&str; 19] = [
    "Aguinaldo",
    "Banzon",
    "Capistrano",
    "Dalisay",
    "Estrella",
    "Gatdula",
    "Halili",
    "Ilagan",
    "Jacinto",
    "Lacson",
    "Mercado",
    "Nolasco",
    "Ordoñez",
    "Pangilinan",
    "Roxas",
    "Salazar",
    "Tuazon",
    "Velasco",
    "Zabala",
];

/// Fills empty databases; says what was made.
pub async fn run(
    deliveries: &Db,
    accounts: &Db,
    clock: &Clock,
    zone: chrono_tz::Tz,
    count: u64,
) -> Result<String> {
    let made = deliveries::seed::run(deliveries, clock, zone, count).await?;
    let drivers = driver_accounts()?;
    let followed = auth::follow_drivers(accounts, clock, &drivers).await?;
    Ok(format!("{made} {followed} drivers have an account that waits for its PIN."))
}

/// The accounts of the drivers of the demo data. They are older than anything that the drivers
/// themselves will tell.
fn driver_accounts() -> Result<Vec<auth::DriverChange>> {
    let made = deliveries::seed::driver_ids().zip(0..).map(|(driver_id, index)| {
        let (name, username) = person(index);
        let driver = DriverChanged { driver_id, name, username, status: "active".to_owned() };
        auth::DriverChange::parse(driver, 0, ACTOR)
    });
    made.collect()
}

/// A name and a username. As the numbers of names have no common divisor, no two of 380 are the same.
fn person(index: usize) -> (String, String) {
    let (first, last) = (FIRST[index % FIRST.len()], LAST[index % LAST.len()]);
    let plain = last.to_lowercase().replace('ñ', "n");
    (format!("{first} {last}"), format!("{}.{plain}", first.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_driver_has_a_name_of_their_own() {
        let accounts = driver_accounts().unwrap();
        let ids: Vec<String> = deliveries::seed::driver_ids().collect();
        assert_eq!(accounts.len(), ids.len());
        let usernames: BTreeSet<String> = (0..ids.len()).map(|index| person(index).1).collect();
        assert_eq!(usernames.len(), ids.len());
        assert!(usernames.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'.')));
    }
}
