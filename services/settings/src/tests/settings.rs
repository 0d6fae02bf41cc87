use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::Duration;
use proto::common::v1::{CountRequest, Filter, Page, Sort, SortDirection};
use proto::events::Envelope;
use proto::events::envelope::Payload;
use proto::settings::v1::settings_service_server::SettingsService;
use proto::settings::v1::*;
use sea_orm::{ColumnTrait, ConnectionTrait, QueryFilter, Statement};

use store::snapshot::Snapshot;

use super::office::person;
use super::*;
use crate::domain::access::Access;
use crate::domain::catalogue;
use crate::entity::{setting, setting_history};
use crate::store::settings::Values;

const ATTEMPTS: &str = "delivery-max-attempts";

impl World {
    async fn get(&self, id: &str) -> Setting {
        good(self.settings.get_setting(admin(GetSettingRequest { id: id.into() })).await)
    }

    async fn set(&self, id: &str, value: &str) -> Setting {
        good(self.settings.update_setting(admin(change(id, value, None))).await)
    }

    async fn listed(&self, role: Role, page: Page) -> Vec<String> {
        let request = by(user(role), ListSettingsRequest { page: Some(page) });
        good(self.settings.list_settings(request).await).settings.into_iter().map(|it| it.id).collect()
    }
}

fn change(id: &str, value: &str, version: Option<u64>) -> UpdateSettingRequest {
    UpdateSettingRequest { id: id.into(), value: value.into(), version }
}

fn all() -> Page {
    Page { limit: 100, ..Page::default() }
}

store::on_both!(until_somebody_sets_it_the_configuration_holds, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let before = world.get(ATTEMPTS).await;
    assert_eq!((before.value.as_str(), before.is_default, before.version), ("3", true, 1));
    assert_eq!((before.r#type(), before.group.as_str()), (SettingType::Number, "Deliveries"));
    assert_eq!((before.min.as_deref(), before.max.as_deref()), (Some("1"), Some("100")));
    assert!(before.planner_visible && before.updated_at.is_none() && before.updated_by.is_empty());
    assert!(before.history.is_empty());

    let after = world.set(ATTEMPTS, " 5 ").await;
    assert_eq!((after.value.as_str(), after.is_default, after.version), ("5", false, 2));
    assert_eq!(after.updated_by, "admin-1");
    world.clock.advance(Duration::minutes(5));
    world.set(ATTEMPTS, "7").await;
    let told = world.get(ATTEMPTS).await;
    let steps: Vec<_> = told.history.iter().map(|it| (it.before.as_str(), it.after.as_str())).collect();
    assert_eq!(steps, [("5", "7"), ("3", "5")], "newest first");
    assert_eq!(told.history[0].at, Some(proto::timestamp(at("2026-11-21T08:05:00Z"))));
    assert_eq!(told.updated_at, told.history[0].at);

    // Starting the service updates the rows from the catalogue, but keeps values that were set.
    let other = "UPDATE setting SET name = 'Old name', readers = 'admin', editors = 'admin' WHERE id = 'delivery-max-attempts'";
    run(&world, other).await;
    crate::store::settings::align(world.db()).await.unwrap();
    let again = world.get(ATTEMPTS).await;
    assert_eq!((again.name.as_str(), again.value.as_str(), again.version), ("Attempts per delivery", "7", 3));
    assert!(!again.planner_visible, "who may is data");
});

store::on_both!(a_start_that_changes_no_row_waits_for_no_other_write, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let other = world.db().begin().await.unwrap();
    other.execute_unprepared("UPDATE setting SET version = version").await.unwrap();
    let start = crate::store::settings::align(world.db());
    tokio::time::timeout(std::time::Duration::from_secs(4), start).await.unwrap().unwrap();
});

async fn run(world: &World, statement: &str) {
    let tx = world.db().begin().await.unwrap();
    tx.execute_unprepared(statement).await.unwrap();
    tx.commit().await.unwrap();
}

store::on_both!(what_is_wrong_with_a_value_is_told_under_it, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for (id, value, text) in [
        (ATTEMPTS, "", "Value is required"),
        (ATTEMPTS, "101", "Value must be a whole number from 1 to 100"),
        ("organization-time-zone", "Mars/Olympus", "Value must be a time zone such as Asia/Manila"),
        ("import-earliest-date", "31/12/2026", "Value must be a date such as 2027-05-31"),
        ("delivery-over-delivery", "yes", "Value must be true or false"),
        (
            "driver-online-seconds",
            "600",
            "Value must be less than 600, the value of Stale until (seconds since last position)",
        ),
        (
            "driver-stale-seconds",
            "120",
            "Value must be more than 120, the value of Online until (seconds since last position)",
        ),
    ] {
        let error = refused(world.settings.update_setting(admin(change(id, value, None))).await);
        assert_eq!(
            (error.kind, error.reason.as_str()),
            (Kind::InvalidInput, "SETTING_VALUE_INVALID"),
            "{id}"
        );
        assert_eq!(error.fields["value"], [text], "{id}");
        assert_eq!(error.message, text);
    }
    assert!(events(world.db()).await.is_empty());
    assert!(setting_history::Entity::find().all(world.db().read()).await.unwrap().is_empty());
    // Both limits can be raised if the higher one is raised first.
    world.set("driver-stale-seconds", "1200").await;
    world.set("driver-online-seconds", "600").await;
});

store::on_both!(the_same_value_again_changes_nothing, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    assert!(world.set(ATTEMPTS, "3").await.is_default, "as the configuration has it");
    world.set(ATTEMPTS, "4").await;
    let again = good(world.settings.update_setting(admin(change(ATTEMPTS, "4", Some(1)))).await);
    assert_eq!(again.version, 2);
    assert_eq!(world.get(ATTEMPTS).await.history.len(), 1);
    assert_eq!(events(world.db()).await.len(), 1);
    let late = refused(world.settings.update_setting(admin(change(ATTEMPTS, "6", Some(1)))).await);
    assert_eq!((late.kind, late.reason.as_str()), (Kind::FailedPrecondition, "SETTING_CHANGED"));
    let known = good(world.settings.update_setting(admin(change(ATTEMPTS, "6", Some(2)))).await);
    assert_eq!(known.version, 3);
});

store::on_both!(a_change_is_told_in_its_own_transaction, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.set("organization-time-zone", "Europe/Amsterdam").await;
    let told = events(world.db()).await;
    assert_eq!(told.len(), 1);
    let envelope = &told[0];
    assert_eq!(envelope.subject, "waybill.settings.setting.changed.v1");
    assert_eq!((envelope.aggregate_id.as_str(), envelope.aggregate_version), ("organization-time-zone", 2));
    assert_eq!(envelope.actor, "admin-1");
    let Some(Payload::SettingChanged(changed)) = &envelope.payload else { panic!("{envelope:?}") };
    assert_eq!((changed.r#type.as_str(), changed.value.as_str()), ("text", "Europe/Amsterdam"));
    // If the event cannot be stored, the change must not be made, either.
    run(&world, "ALTER TABLE outbox RENAME TO elsewhere").await;
    refused(world.settings.update_setting(admin(change(ATTEMPTS, "9", None))).await);
    run(&world, "ALTER TABLE elsewhere RENAME TO outbox").await;
    let kept = world.get(ATTEMPTS).await;
    assert!(kept.is_default && kept.history.is_empty());
});

store::on_both!(all_values_that_were_set_are_told_again_on_demand, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.set(ATTEMPTS, "5").await;
    world.set(ATTEMPTS, "6").await;
    world.set("import-date-order", "dmy").await;
    let service = Principal::Service { name: "drivers".into() };
    let request = by(service, RepublishSettingsRequest {});
    assert_eq!(good(world.settings.republish_settings(request).await).settings, 2);
    let told: Vec<_> = events(world.db()).await.split_off(3);
    let told: Vec<_> =
        told.iter().map(|it| (it.aggregate_id.as_str(), it.aggregate_version, it.sequence)).collect();
    assert_eq!(told, [(ATTEMPTS, 3, 3), ("import-date-order", 2, 2)], "as they are, only the sequence rises");
    for role in [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver] {
        let refused =
            refused(world.settings.republish_settings(by(user(role), RepublishSettingsRequest {})).await);
        assert_eq!(refused.kind, Kind::Forbidden, "{role}");
    }
    good(world.settings.republish_settings(admin(RepublishSettingsRequest {})).await);
});

/// Returns a valid value that differs from the default.
fn other(id: &str) -> &'static str {
    BTreeMap::from([
        ("organization-name", "Acme"),
        ("organization-time-zone", "Europe/Amsterdam"),
        ("organization-email", "ops@example.com"),
        ("organization-website", "https://example.com"),
        ("delivery-max-attempts", "5"),
        ("delivery-over-delivery", "true"),
        ("delivery-undelivered-is-final", "true"),
        ("delivery-proof", "photo"),
        ("delivery-failed-attempt-proof", "nothing"),
        ("delivery-max-attachments", "7"),
        ("delivery-max-attachment-size", "5"),
        ("driver-online-seconds", "60"),
        ("driver-stale-seconds", "700"),
        ("driver-positions-keep-days", "30"),
        ("driver-logs-keep-days", "31"),
        ("import-date-order", "dmy"),
        ("import-earliest-date", "2026-01-01"),
        ("import-paused-until", "2026-01-01T00:00"),
        ("import-partial-documents", "true"),
        ("import-unknown-drivers", "refuse"),
    ])[id]
}

store::on_both!(planners_have_the_rows_that_are_theirs_and_others_none, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let every: Vec<&str> = catalogue::ALL.iter().map(|it| it.id).collect();
    let planned = |id: &str| catalogue::find(id).unwrap().readers == Access::Planner;
    let mut shown = world.listed(Role::Admin, all()).await;
    shown.sort();
    let mut expected = every.clone();
    expected.sort_unstable();
    assert_eq!(shown, expected);
    let shown = world.listed(Role::TransportPlanner, all()).await;
    assert_eq!(shown.len(), every.iter().filter(|id| planned(id)).count());
    assert!(shown.iter().all(|id| planned(id)), "{shown:?}");
    let count = good(world.settings.count_settings(planner(CountRequest::default())).await);
    assert_eq!(count.total, shown.len() as u64);
    // Somebody who is an administrator, too, gets the same list by this filter.
    let theirs =
        vec![Filter { key: "readers".into(), operator: "equals".into(), values: vec!["planner".into()] }];
    let filtered = world.listed(Role::Admin, Page { r#where: theirs.clone(), ..all() }).await;
    assert_eq!(filtered, shown);
    let count = good(world.settings.count_settings(admin(CountRequest { r#where: theirs })).await);
    assert_eq!(count.total, shown.len() as u64);
    // No filter reveals settings that the reader may not see.
    let named = Filter { key: "id".into(), operator: "contains".into(), values: vec!["organization".into()] };
    let hidden = world.listed(Role::TransportPlanner, Page { r#where: vec![named], ..all() }).await;
    assert!(hidden.is_empty(), "{hidden:?}");

    for role in [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver] {
        let person = || user(role);
        if role != Role::TransportPlanner {
            let list = world.settings.list_settings(by(person(), ListSettingsRequest::default())).await;
            assert_eq!(refused(list).kind, Kind::Forbidden, "{role}");
        }
        for id in every.iter().copied().filter(|id| *id != catalogue::LOGO) {
            let mine = role == Role::TransportPlanner && planned(id);
            let read = world.settings.get_setting(by(person(), GetSettingRequest { id: id.into() })).await;
            let changed = world.settings.update_setting(by(person(), change(id, other(id), None))).await;
            if mine {
                assert_eq!(good(read).id, id);
                assert_eq!(good(changed).updated_by, "transport_planner-1");
                continue;
            }
            let expected = match role {
                Role::TransportPlanner => (Kind::NotFound, Kind::NotFound),
                Role::Driver => (Kind::Forbidden, Kind::Forbidden),
                _ => (Kind::NotFound, Kind::Forbidden),
            };
            let (read, changed) = (refused(read), refused(changed));
            assert_eq!((read.kind, changed.kind), expected, "{role} {id}");
            // A setting that the caller may not read is reported like one that does not exist.
            let none = by(person(), GetSettingRequest { id: "none".into() });
            let none = refused(world.settings.get_setting(none).await);
            assert_eq!((read.kind, read.reason), (none.kind, none.reason));
        }
    }
    for id in every.iter().copied().filter(|id| *id != catalogue::LOGO && !planned(id)) {
        assert!(world.get(id).await.is_default, "{id} was not changed by anybody");
        assert_eq!(world.set(id, other(id)).await.value, other(id), "but an admin may");
    }
});

store::on_both!(the_logo_is_read_by_all_of_the_staff_and_changed_by_admins, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    let read = || GetSettingRequest { id: catalogue::LOGO.into() };
    for role in [Role::Admin, Role::TransportPlanner, Role::Dispatcher, Role::Viewer] {
        let logo = good(world.settings.get_setting(by(user(role), read())).await);
        assert!(logo.value.contains("\"size\":130") && logo.is_default, "{logo:?}");
    }
    assert_eq!(
        refused(world.settings.get_setting(by(user(Role::Driver), read())).await).kind,
        Kind::Forbidden
    );
    let value = r#"{"url":"https://evil.example/x.svg","size":130,"gap":8,"vertical":0,"urlObject":""}"#;
    let change = || change(catalogue::LOGO, value, None);
    for role in [Role::TransportPlanner, Role::Dispatcher, Role::Viewer, Role::Driver] {
        let error = refused(world.settings.update_setting(by(user(role), change())).await);
        assert_eq!(error.kind, Kind::Forbidden, "{role}");
    }
    let error = refused(world.settings.update_setting(admin(change())).await);
    assert_eq!(error.reason, "SETTING_VALUE_INVALID");
});

store::on_both!(the_list_is_filtered_and_sorted_by_what_it_shows, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.set("import-date-order", "dmy").await;
    let filter = |key: &str, operator: &str, value: &str| Filter {
        key: key.into(),
        operator: operator.into(),
        values: vec![value.into()],
    };
    let by_filter =
        async |filter: Filter| world.listed(Role::Admin, Page { r#where: vec![filter], ..all() }).await;
    assert_eq!(by_filter(filter("type", "equals", "dateTime")).await, ["import-paused-until"]);
    assert_eq!(by_filter(filter("group", "equals", "IMPORTS")).await.len(), 5);
    assert_eq!(by_filter(filter("name", "contains", "time zone")).await, ["organization-time-zone"]);
    assert_eq!(by_filter(filter("updatedBy", "equals", "ADMIN-1")).await, ["import-date-order"]);
    let sort = Sort { key: "updatedAt".into(), direction: SortDirection::Asc.into() };
    let sorted = world.listed(Role::Admin, Page { sort: vec![sort], limit: 1, ..Page::default() }).await;
    assert_eq!(sorted, ["import-date-order"]);
    let unknown = Page { r#where: vec![filter("value", "equals", "dmy")], ..all() };
    let unknown = world.settings.list_settings(admin(ListSettingsRequest { page: Some(unknown) })).await;
    assert_eq!(refused(unknown).kind, Kind::InvalidInput);
});

store::on_both!(what_was_recorded_cannot_be_changed, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.set(ATTEMPTS, "5").await;
    for statement in ["UPDATE setting_history SET actor = 'nobody'", "DELETE FROM setting_history"] {
        let tx = world.db().begin().await.unwrap();
        tx.execute_unprepared(statement).await.unwrap_err();
    }
    for number in 6..=20 {
        world.set(ATTEMPTS, &number.to_string()).await;
    }
    for number in 1..=9 {
        world.set(ATTEMPTS, &number.to_string()).await;
    }
    assert_eq!(world.get(ATTEMPTS).await.history.len(), 20, "all are kept, the newest are shown");
    let count = Statement::from_string(world.db().backend(), "SELECT count(*) AS n FROM setting_history");
    let row = world.db().read().query_one_raw(count).await.unwrap().unwrap();
    assert_eq!(row.try_get::<i64>("", "n").unwrap(), 25);
});

store::on_both!(many_editors_of_few_rows_lose_no_change, Migrator, |db: Db| async move {
    const EDITORS: usize = 64;
    const EDITS: usize = 6;
    let hot = [
        "organization-name",
        "delivery-max-attempts",
        "delivery-max-attachments",
        "delivery-max-attachment-size",
        "driver-online-seconds",
        "driver-stale-seconds",
        "driver-positions-keep-days",
        "driver-logs-keep-days",
        "import-earliest-date",
        "import-paused-until",
    ];
    let world = Arc::new(World::start(db).await);
    let editors = (0..EDITORS).map(|editor| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut accepted = Vec::new();
            for edit in 0..EDITS {
                let id = hot[(editor + edit) % hot.len()];
                let number = editor * EDITS + edit;
                let editor = format!("editor-{number}");
                let value = match id {
                    "organization-name" => format!("Office {number}"),
                    "delivery-max-attempts" => (number % 20 + 1).to_string(),
                    "import-earliest-date" => format!("2026-01-{:02}", number % 28 + 1),
                    "import-paused-until" => format!("2026-01-{:02}T06:00", number % 28 + 1),
                    "driver-stale-seconds" => (1_000 + number).to_string(),
                    "delivery-max-attachments" | "delivery-max-attachment-size" => {
                        (number % 100 + 1).to_string()
                    }
                    _ => (number % 500 + 1).to_string(),
                };
                loop {
                    let request = admin(GetSettingRequest { id: id.into() });
                    let read = match world.settings.get_setting(request).await.map_err(Error::from) {
                        Ok(read) => read.into_inner(),
                        // There are more requests than connections, so retry.
                        Err(error) if error.kind == Kind::Unavailable => continue,
                        Err(error) => panic!("{error:?}"),
                    };
                    if read.value == value {
                        break;
                    }
                    let request = by(person(&editor, &[Role::Admin]), change(id, &value, Some(read.version)));
                    match world.settings.update_setting(request).await.map_err(Error::from) {
                        Ok(done) => {
                            let done = done.into_inner();
                            // Count the change, unless another editor had set the same value before.
                            if done.updated_by == editor {
                                accepted.push((id, done.version, read.value, value));
                            }
                            break;
                        }
                        Err(error) if error.kind == Kind::Unavailable => {}
                        Err(error) => assert_eq!(error.reason, "SETTING_CHANGED", "{error:?}"),
                    }
                }
            }
            accepted
        })
    });
    let mut accepted = Vec::new();
    for editor in editors.collect::<Vec<_>>() {
        accepted.extend(editor.await.unwrap());
    }
    let told = events(world.db()).await;
    assert_eq!(told.len(), accepted.len());
    assert!(accepted.len() > EDITORS, "most edits change something: {}", accepted.len());
    for id in hot {
        let chain = setting_history::Entity::find()
            .filter(setting_history::Column::SettingId.eq(id))
            .order_by_asc(setting_history::Column::Version)
            .all(world.db().read())
            .await
            .unwrap();
        let mut mine: Vec<_> = accepted.iter().filter(|it| it.0 == id).collect();
        mine.sort_by_key(|it| it.1);
        assert_eq!(chain.len(), mine.len(), "{id}");
        for (index, (step, (_, version, before, after))) in chain.iter().zip(mine).enumerate() {
            assert_eq!(step.version, index as i64 + 2, "{id}: one chain without a gap");
            assert_eq!((step.version as u64, &step.before, &step.after), (*version, before, after), "{id}");
        }
        for pair in chain.windows(2) {
            assert_eq!(pair[0].after, pair[1].before, "{id}: each goes on from the one before");
        }
        let row = setting::Entity::find_by_id(id.to_owned()).one(world.db().read()).await.unwrap().unwrap();
        assert_eq!(row.value.as_ref(), chain.last().map(|it| &it.after), "{id}");
    }
});

// A string with a zero byte in a query would be an error on Postgres.
store::on_both!(an_id_with_a_zero_byte_is_no_setting, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for id in ["\0", "delivery-max-attempts\0"] {
        let get = admin(GetSettingRequest { id: id.into() });
        assert_eq!(refused(world.settings.get_setting(get).await).reason, "SETTING_NOT_FOUND");
        let set = admin(UpdateSettingRequest { id: id.into(), value: "3".into(), version: None });
        assert_eq!(refused(world.settings.update_setting(set).await).reason, "SETTING_NOT_FOUND");
    }
});

store::on_both!(the_snapshot_tells_what_the_newest_events_told, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    assert!(Values.after(world.db(), "").await.unwrap().is_empty(), "nobody set anything");
    for setting in catalogue::ALL.iter().filter(|it| it.id != crate::logo::ID) {
        world.clock.advance(Duration::minutes(1));
        world.set(setting.id, other(setting.id)).await;
    }
    world.set(ATTEMPTS, "9").await;
    let newest: BTreeMap<String, Envelope> = events(world.db())
        .await
        .into_iter()
        .map(|it| Envelope { id: String::new(), subject: String::new(), traceparent: String::new(), ..it })
        .map(|it| (it.aggregate_id.clone(), it))
        .collect();
    let told = Values.after(world.db(), "").await.unwrap();
    assert_eq!(told, newest.values().cloned().collect::<Vec<_>>(), "in the order of their ids");
    let behind = Values.after(world.db(), ATTEMPTS).await.unwrap();
    assert!(behind.len() < told.len() && behind.iter().all(|it| it.aggregate_id.as_str() > ATTEMPTS));
});
