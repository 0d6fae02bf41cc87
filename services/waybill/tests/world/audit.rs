//! The audit log of all services: its entries after each act, and its integrity.
//!
//! Each module below does the acts of one area, and lists in `LEFT` the entries that they leave.

mod accounts;
mod exchange;
mod office;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{Settings, World, until};
use crate::in_both_shapes;
use crate::resets::mailed_user;

const ENTRIES: &str = "query Q($page: PageOptions) { auditEntries(page: $page) { actor address action entity entityId \
                       entityName before after } auditEntriesCount { total } }";
const DAY: &str = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
/// The entries that reading data leaves in the audit log.
const LOOKED: &[(&str, usize)] = &[
    ("deliveries.exported delivery ", 4),
    ("driver_positions.exported driver Nestor", 2),
    ("forms.exported delivery DR-1", 2),
    ("proof.viewed delivery DR-1", 2),
    ("driver_location.viewed driver DRV-1", 2),
    ("driver_location.viewed driver ", 2),
    ("driver_log.viewed driver ", 2),
    ("analytics.queried analytics ", 1),
];

/// Acts of background work that may follow acts of this scenario, but need not while it lasts.
const LATER: [&str; 2] = ["report_schedule.report_mailed", "report_schedule.schedule_paused"];

/// Runs a mutation with one input. `fields` are the fields that are selected from its result.
pub async fn act(browser: &Browser, name: &str, fields: &str, input: Value) -> Value {
    let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
    let mutation = format!("mutation M($input: {kind}!) {{ {name}(input: $input) {fields} }}");
    browser.data(&mutation, json!({ "input": input })).await[name].clone()
}

async fn entries(admin: &Browser) -> Vec<Value> {
    let page = json!({ "limit": 100 });
    admin.data(ENTRIES, json!({ "page": page })).await["auditEntries"].as_array().unwrap().clone()
}

fn is_later(entry: &Value) -> bool {
    LATER.contains(&entry["action"].as_str().unwrap())
}

/// Counts the audit entries by action, kind of entity and name of the entity.
fn done(entries: &[Value]) -> BTreeMap<String, usize> {
    let mut done = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !is_later(entry)) {
        let text = |key: &str| entry[key].as_str().unwrap().to_owned();
        *done.entry(format!("{} {} {}", text("action"), text("entity"), text("entityName"))).or_default() +=
            1;
    }
    done
}

/// Returns the fields of entries that have a name on the screen.
fn named_fields() -> BTreeSet<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../frontend/src/i18n/locales/en/audit.json");
    let texts: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    texts["changes"]["fields"].as_object().unwrap().keys().cloned().collect()
}

async fn file(browser: &Browser, path: &str) -> reqwest::StatusCode {
    let token = browser.token.clone().unwrap();
    let answer = browser.http.get(format!("{}{path}", browser.base)).bearer_auth(token).send().await.unwrap();
    let status = answer.status();
    answer.bytes().await.unwrap();
    status
}

/// Reads data in the ways that leave entries in the audit log.
async fn look(browser: &Browser, proof: &str) {
    let way = "query Q($id: String!) { driverPositions(driverId: $id, from: \"2026-11-21T00:00:00Z\", \
               to: \"2026-11-22T00:00:00Z\") { more } }";
    browser.data(way, json!({ "id": "DRV-1" })).await;
    browser.data(way, json!({ "id": "drv-1" })).await;
    browser.data("{ driverLocations { more } }", json!({})).await;
    browser.data("{ driverLogs { id } }", json!({})).await;
    browser.presigned(proof).await.unwrap();
}

/// Runs a query as a screen does, which is not recorded, and as the query lab does, which is recorded.
async fn query(vera: &Browser) {
    let body = json!({ "query": { "measures": ["Delivery.count"] } });
    for lab in [None, Some("1")] {
        let mut ask = vera.http.post(vera.url("/cubejs-api/v1/load")).headers(vera.bearer()).json(&body);
        if let Some(value) = lab {
            ask = ask.header("x-query-lab", value);
        }
        assert_eq!(ask.send().await.unwrap().status(), 200);
    }
}

in_both_shapes!(
    every_privileged_act_leaves_exactly_one_entry,
    // The clock stands still, so that all acts happen within the same hour.
    |it: &mut Settings| {
        it.hold_time();
        // Reports are scheduled only where mail is set up.
        it.send_mail_from_here();
        it.config.http.trusted_proxies = 1;
        it.config.auth.sign_up = kit::config::SignUp::Pending;
        it.config.deliveries.private_endpoints = true;
    },
    |world: World| async move {
        let admin = world.admin().await.at("203.0.113.9");
        let dina = mailed_user(&world, &admin, "dina", &["dispatcher"]).await;
        let vera = mailed_user(&world, &admin, "vera", &["viewer"]).await;
        accounts::manage_people(&admin).await;
        office::set_something(&admin).await;
        office::manage_a_driver(&dina).await;
        let proof = office::deliver(&dina).await;
        office::keep_parties(&admin).await;
        office::import(&dina).await;
        office::import_checked(&admin, &dina).await;
        exchange::exchange(&world, &admin).await;
        // Read everything twice: each export leaves its own entry, but repeated views leave one per person.
        for _ in 0..2 {
            look(&vera, &proof).await;
            look(&dina, &proof).await;
            for path in [
                "/export/deliveries?format=csv",
                "/export/deliveries?format=xlsx",
                &format!("/export/driver-positions?driverId=DRV-1&format=gpx&{DAY}"),
                "/delivery-forms/DR-1.pdf",
            ] {
                assert_eq!(file(&vera, path).await, 200, "{path}");
            }
        }
        query(&vera).await;
        assert_eq!(file(&vera, "/export/deliveries?format=csv&filters=!").await, 400);
        // A refused act leaves no entry.
        let input = json!({ "id": "delivery-max-attempts", "value": "9" });
        let set = "mutation M($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { id } }";
        vera.refused(set, json!({ "input": input })).await;
        exchange::rebuild_reports(&admin).await;
        accounts::choose_a_pin(&dina).await;
        world.settle().await;
        let areas = [accounts::LEFT, office::LEFT, exchange::LEFT, LOOKED];
        let expected: BTreeMap<String, usize> =
            areas.concat().into_iter().map(|(what, times)| (what.to_owned(), times)).collect();
        let count = expected.values().sum::<usize>();
        until("every act is in the log", || async { entries(&admin).await.len() >= count }).await;
        let all = entries(&admin).await;
        assert_eq!(done(&all), expected);
        let seen: BTreeSet<&str> = all.iter().map(|it| it["action"].as_str().unwrap()).chain(LATER).collect();
        let known: BTreeSet<&str> = auth::AuditAction::SPELLINGS.iter().copied().collect();
        assert_eq!(seen, known, "every action has its act in this scenario");
        let named = named_fields();
        for entry in &all {
            for field in
                [&entry["before"], &entry["after"]].into_iter().filter_map(Value::as_object).flatten()
            {
                assert!(named.contains(field.0), "{} has no name on the screen: {entry}", field.0);
            }
        }

        let one = |action: &str| all.iter().find(|it| it["action"] == action).unwrap();
        let setting = one("setting.updated");
        assert_eq!((&setting["actor"], &setting["address"]), (&json!("admin"), &json!("203.0.113.9")));
        assert_eq!(setting["entityId"], "delivery-max-attempts");
        assert_eq!(
            (&setting["before"], &setting["after"]),
            (&json!({ "value": "3" }), &json!({ "value": "7" }))
        );
        let actors = ["driver.updated", "user.password_changed", "import.corrected"];
        assert_eq!(actors.map(|it| one(it)["actor"].as_str().unwrap()), ["dina", "ana", "dina"]);
        let viewed = all.iter().filter(|it| it["action"] == "proof.viewed");
        let viewers: BTreeSet<_> = viewed.map(|it| it["actor"].as_str().unwrap()).collect();
        assert_eq!(viewers, BTreeSet::from(["dina", "vera"]));
        let by_name = |name: &str| all.iter().find(|it| it["entityName"] == name).unwrap();
        // The administrator checked both files.
        assert_eq!(["checked.csv", "discarded.csv"].map(|it| by_name(it)["actor"].clone()), ["dina", "dina"]);
        assert_eq!(by_name("discarded.csv")["before"], json!({ "status": "validated" }));
        let positions = &one("driver_positions.exported")["after"];
        assert_eq!(
            (&positions["format"], &positions["from"]),
            (&json!("gpx"), &json!("2026-11-21T00:00:00Z"))
        );

        let db = world.database(auth::NAME).await;
        match auth::check_audit(&db, None).await.unwrap() {
            auth::AuditFound::Intact { head } => {
                let later = all.iter().filter(|entry| is_later(entry)).count();
                assert_eq!(head.number, (count + later) as i64);
            }
            broken => panic!("{broken:?}"),
        }
        db.close().await;
        world
    }
);

/// Returns the output of `waybill audit-check`, and whether it succeeded.
fn audit_check(data: &Path, more: &[&str]) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_waybill"));
    let output = command.arg("--data").arg(data).arg("audit-check").args(more).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_says_whether_the_log_is_whole() {
    let world = World::all().await;
    let admin = world.admin().await;
    admin.make_user("ana", &["viewer"], crate::browser::PASSWORD).await;
    // Check the log while the product runs.
    let data = world.config.data.clone();
    let (text, good) = audit_check(&data, &[]);
    assert!(good && text.starts_with("The audit log is intact: 4 entries"), "{text}");
    let seal = text.lines().find_map(|line| line.strip_prefix("Its seal is ")).unwrap().to_owned();
    assert!(audit_check(&data, &["--noted", &seal]).1);
    let other = format!("4:{}", "A".repeat(43));
    let (text, good) = audit_check(&data, &["--noted", &other]);
    assert!(!good && text.contains("Entry 4 is the first"), "{text}");

    let db = world.database(auth::NAME).await;
    let tx = db.begin().await.unwrap();
    for statement in
        ["DROP TRIGGER audit_entry_not_updated", "UPDATE audit_entry SET actor = 'nobody' WHERE number = 2"]
    {
        tx.execute_unprepared(statement).await.unwrap();
    }
    tx.commit().await.unwrap();
    db.close().await;
    let (text, good) = audit_check(&data, &[]);
    assert!(!good && text.contains("NOT intact. Entry 2 is the first"), "{text}");
    world.stop().await;
}
