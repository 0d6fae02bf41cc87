//! Prepares what a simulation needs: drivers, their accounts, their PINs and deliveries.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use chrono::{Days, NaiveDate, SecondsFormat};
use futures::stream::{self, StreamExt, TryStreamExt};
use kit::input::time::first_instant_of;
use rand::Rng;
use reqwest::Client;
use serde_json::{Value, json};

use super::api::{Driver, Ended, Staff};
use super::roads::Place;
use super::{Options, Problem, Result};

/// Concurrent calls. Signing in is expensive, and other people want to sign in, too.
const AT_ONCE: usize = 4;
const PAGE: usize = 100;
/// The maximum number of deliveries per driver.
const LOAD: usize = 12;
/// How long to wait for accounts, which are created by the drivers' events.
const PATIENCE: Duration = Duration::from_secs(120);

fn id(number: u64) -> String {
    format!("SIM-{number:03}")
}

/// A signed-in driver with the last known position. Points that jump away from there would be rejected.
pub struct Ready {
    pub number: u64,
    pub driver: Driver,
    pub last: Option<Place>,
}

/// Returns drivers in the order of their numbers.
pub async fn prepare(
    staff: &Staff,
    http: &Client,
    base: &str,
    options: &Options,
    say: &impl Fn(&str),
) -> Result<Vec<Ready>> {
    let numbers: Vec<u64> = (1..=u64::from(options.drivers)).collect();
    let ids: Vec<String> = numbers.iter().map(|number| id(*number)).collect();
    let (made, last) = make_missing(staff, &numbers).await?;
    say(&format!("{made} drivers were made, {} were there", ids.len() - made));
    let accounts = accounts(staff, &ids).await?;
    let pin = pin();
    let (pin, accounts, last) = (&pin, &accounts, &last);
    let ready = stream::iter(numbers.iter().copied()).map(|number| async move {
        let account = accounts
            .get(&id(number))
            .ok_or_else(|| Problem::new(format!("{} has no account", id(number))))?;
        staff.set_pin(&account.id, pin).await?;
        let driver = Driver::sign_in(http.clone(), base, &account.username, pin).await?;
        Ok::<_, Problem>(Ready { number, driver, last: last.get(&id(number)).copied() })
    });
    let mut drivers = Vec::new();
    let mut ready = ready.buffer_unordered(AT_ONCE);
    let mut told = Instant::now();
    while let Some(driver) = ready.try_next().await? {
        drivers.push(driver);
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            say(&format!("{} of {} drivers are signed in", drivers.len(), ids.len()));
        }
    }
    drop(ready);
    drivers.sort_by_key(|ready: &Ready| ready.number);
    let Some(first) = drivers.first_mut() else { return Ok(drivers) };
    let today = today(&mut first.driver).await?;
    let loaded = load(staff, &ids, today, options.take_over).await?;
    say(&match loaded {
        0 if options.take_over => "There is nothing pending today: the drivers just drive".to_owned(),
        0 => {
            "No pending delivery of today is free: the drivers just drive; --take-over takes those of others"
                .to_owned()
        }
        count => format!("{count} pending deliveries of today are theirs"),
    });
    Ok(drivers)
}

/// Returns six random digits that auth accepts as a PIN, used in this run only.
fn pin() -> String {
    loop {
        let pin = rand::rng().random_range(100_000..1_000_000).to_string();
        let digits: Vec<i32> = pin.bytes().map(i32::from).collect();
        let steps: HashSet<i32> = digits.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let different: HashSet<&i32> = digits.iter().collect();
        if steps.len() > 2 && different.len() > 3 {
            return pin;
        }
    }
}

/// Creates missing drivers; returns how many, and the positions of existing ones.
async fn make_missing(staff: &Staff, numbers: &[u64]) -> Result<(usize, HashMap<String, Place>)> {
    let list =
        "query Q($page: PageOptions) { drivers(page: $page) { driverId status lastPosition { lat lng } } }";
    let (mut missing, mut last): (Vec<u64>, _) = (Vec::new(), HashMap::new());
    for some in numbers.chunks(PAGE) {
        let ids: Vec<String> = some.iter().map(|number| id(*number)).collect();
        let found = staff.graphql(list, json!({ "page": page("driverId", &ids) })).await?;
        let rows = found["drivers"].as_array().cloned().unwrap_or_default();
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        if let Some(blocked) = rows.iter().find(|row| row["status"] == "blocked") {
            let text = format!("{} is blocked; permit it, or take fewer drivers", text(blocked, "driverId"));
            return Err(Problem::new(text));
        }
        let known: HashSet<String> = rows.iter().map(|row| text(row, "driverId")).collect();
        for row in &rows {
            let place = &row["lastPosition"];
            if let (Some(lat), Some(lng)) = (place["lat"].as_f64(), place["lng"].as_f64()) {
                last.insert(text(row, "driverId"), Place { lat, lng });
            }
        }
        missing.extend(some.iter().filter(|number| !known.contains(&id(**number))));
    }
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }";
    let makes = stream::iter(missing.iter().copied()).map(|number| {
        let input = json!({
            "driverId": id(number),
            "name": name(number),
            "username": format!("sim-{number:03}"),
            "trucker": "Simulation",
        });
        staff.graphql(create, json!({ "input": input }))
    });
    makes.buffer_unordered(AT_ONCE).try_for_each(|_| async { Ok(()) }).await?;
    Ok((missing.len(), last))
}

/// Returns a different name for each driver, so that the map can distinguish drivers by their initials. The
/// driver's id and trucker show that the driver is simulated.
fn name(number: u64) -> String {
    const FIRST: [&str; 13] = [
        "Alma", "Benjie", "Carlo", "Dante", "Elmer", "Fely", "Gardo", "Hilda", "Isko", "Jun", "Kiko", "Lito",
        "Mila",
    ];
    const LAST: [&str; 12] = [
        "Navarro",
        "Ocampo",
        "Perez",
        "Quizon",
        "Reyes",
        "Santos",
        "Tolentino",
        "Umali",
        "Valdez",
        "Wico",
        "Yap",
        "Zamora",
    ];
    // 13 and 12 have no common factor, so every pair of names occurs before one repeats.
    let number = usize::try_from(number).unwrap_or_default();
    format!("{} {}", FIRST[number % FIRST.len()], LAST[number % LAST.len()])
}

struct Account {
    id: String,
    username: String,
}

/// Waits until each driver has an account; returns the accounts by driver id.
async fn accounts(staff: &Staff, ids: &[String]) -> Result<HashMap<String, Account>> {
    let list = "query Q($page: PageOptions) { driverAccounts(page: $page) { id username driverId } }";
    let begun = Instant::now();
    loop {
        let mut all = HashMap::new();
        for some in ids.chunks(PAGE) {
            let found = staff.graphql(list, json!({ "page": page("driverId", some) })).await?;
            for row in found["driverAccounts"].as_array().into_iter().flatten() {
                let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
                all.insert(text("driverId"), Account { id: text("id"), username: text("username") });
            }
        }
        if all.len() >= ids.len() {
            return Ok(all);
        }
        if begun.elapsed() > PATIENCE {
            let text = format!("only {} of {} drivers have an account", all.len(), ids.len());
            return Err(Problem::new(text));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

fn page(key: &str, values: &[String]) -> Value {
    json!({ "limit": PAGE, "where": [{ "key": key, "operator": "equals", "values": values }] })
}

/// Returns the start and end of the day in the organization's time zone.
async fn today(driver: &mut Driver) -> Result<[String; 2]> {
    let day = match driver.get("/driver/v1/deliveries").await {
        Ended::Good(day) => day,
        Ended::Later(text) | Ended::Refused(text) => return Err(Problem::new(text)),
    };
    let unknown = || Problem::new("the driver API did not say which day it is");
    let zone: chrono_tz::Tz = day["timezone"].as_str().and_then(|it| it.parse().ok()).ok_or_else(unknown)?;
    let date: NaiveDate = day["date"].as_str().and_then(|it| it.parse().ok()).ok_or_else(unknown)?;
    let next = date.checked_add_days(Days::new(1)).ok_or_else(unknown)?;
    Ok([date, next].map(|day| first_instant_of(zone, day).to_rfc3339_opts(SecondsFormat::Secs, true)))
}

/// Divides today's pending deliveries among the drivers. Returns how many deliveries the drivers have.
async fn load(staff: &Staff, ids: &[String], [from, to]: [String; 2], take_over: bool) -> Result<usize> {
    let list = "query Q($page: PageOptions) { deliveries(page: $page) { id driverId } }";
    let filters = json!([
        { "key": "deliverystatus", "operator": "equals", "values": ["Pending"] },
        { "key": "scheduledatetime", "operator": "inDateRange", "values": [from, to] },
    ]);
    let ours: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let mut loads: HashMap<&str, usize> = HashMap::new();
    let mut free: Vec<String> = Vec::new();
    for offset in (0..).step_by(PAGE) {
        let sort = json!([{ "key": "scheduledatetime", "direction": "asc" }]);
        let page = json!({ "limit": PAGE, "offset": offset, "where": filters, "sort": sort });
        let found = staff.graphql(list, json!({ "page": page })).await?;
        let rows = found["deliveries"].as_array().cloned().unwrap_or_default();
        for row in &rows {
            let driver = row["driverId"].as_str();
            match driver.and_then(|driver| ours.get(driver)) {
                Some(driver) => *loads.entry(driver).or_default() += 1,
                None if driver.is_some() && !take_over => {}
                None => free.extend(row["id"].as_str().map(str::to_owned)),
            }
        }
        if rows.len() < PAGE || free.len() >= ids.len() * LOAD {
            break;
        }
    }
    let assign = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok } }";
    // Give each driver an equal share of the deliveries.
    let all = free.len() + loads.values().sum::<usize>();
    let share = all.div_ceil(ids.len().max(1)).min(LOAD);
    let mut free = free.into_iter();
    let mut given = 0;
    for driver in ids {
        let room = share.saturating_sub(loads.get(driver.as_str()).copied().unwrap_or_default());
        let deliveries: Vec<String> = free.by_ref().take(room).collect();
        if deliveries.is_empty() {
            continue;
        }
        let input = json!({ "driverId": driver, "deliveryIds": deliveries });
        let done = staff.graphql(assign, json!({ "input": input })).await?;
        given += done["assignDriver"].as_array().into_iter().flatten().filter(|it| it["ok"] == true).count();
    }
    Ok(given + loads.values().sum::<usize>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_six_digits_that_are_not_too_easy() {
        for _ in 0..1_000 {
            let pin = pin();
            assert!(pin.len() == 6 && pin.bytes().all(|b| b.is_ascii_digit()), "{pin}");
            assert!(!["123456", "654321", "111111", "121212"].contains(&pin.as_str()));
        }
    }

    #[test]
    fn drivers_are_numbered_so_that_they_sort() {
        assert_eq!((id(1), id(42), id(1_234)), ("SIM-001".into(), "SIM-042".into(), "SIM-1234".into()));
    }
}
