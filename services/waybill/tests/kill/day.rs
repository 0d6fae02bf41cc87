//! A day of the office, with some of everything that changes data. Each day leaves the same records
//! (`traces`), whatever is killed during the day.

use std::sync::LazyLock;

use chrono::{DateTime, SecondsFormat, SubsecRound, TimeDelta, Utc};
use kit::clock::Clock;
use serde_json::{Value, json};

use crate::client::Staff;
use crate::work::{deliveries, import, on_the_road, put_off_and_back, undo};

pub const PASSWORD: &str = "tricycle-over-the-bridge";
const NEW_PASSWORD: &str = "lantern-under-the-mango-tree";
pub const PIN: &str = "482913";
/// A picture of two pixels.
pub const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0bIDATx\xdac\x08\x05\x03\x00\x07\x00\x01\xff\xab\x92\x8f\xdc\x00\x00\x00\x00IEND\xaeB`\x82";

/// Returns the tag of a day, which is part of every name created that day.
pub fn tag(day: u32) -> String {
    format!("q{day:04}q")
}

/// Returns when things happen on site. It is recent, because positions and driver logs are not kept forever, and the same
/// for all days of a run, because they are compared.
pub fn on_site() -> DateTime<Utc> {
    static YESTERDAY: LazyLock<DateTime<Utc>> =
        LazyLock::new(|| Clock::system().now().trunc_subsecs(0) - TimeDelta::days(1));
    *YESTERDAY
}

/// Returns the variables of a query for the positions of a driver on site.
pub fn positions_of(driver: &str) -> Value {
    let time = |minutes| (on_site() + TimeDelta::minutes(minutes)).to_rfc3339_opts(SecondsFormat::Secs, true);
    json!({ "id": driver, "from": time(-5), "to": time(5) })
}

pub fn is(state: &Value, path: &str, wanted: &str) -> bool {
    state.pointer(path).and_then(Value::as_str) == Some(wanted)
}

pub fn exists(path: &'static str) -> impl Fn(&Value) -> bool {
    move |state| state.pointer(path).is_some_and(|it| !it.is_null())
}

pub fn list_of(key: &str, operator: &str, value: &str) -> Value {
    json!({ "page": { "where": [{ "key": key, "operator": operator, "values": [value] }], "limit": 100 } })
}

/// Creates the first account, unless it exists.
pub async fn open_office(staff: &mut Staff<'_>) {
    while !staff.sign_in("admin", PASSWORD).await {
        let input = json!({ "username": "admin", "email": "admin@example.ph", "password": PASSWORD });
        // If an earlier request succeeded, an account exists, and the service refuses to create the first one
        // again.
        let _ = staff.act("createAdmin", "{ id }", input).await;
    }
}

pub async fn live(staff: &mut Staff<'_>, day: u32) {
    let tag = &tag(day);
    open_office(staff).await;
    accounts(staff, tag).await;
    open_office(staff).await;
    settings(staff, tag).await;
    parties(staff, tag).await;
    drivers(staff, tag).await;
    deliveries(staff, tag).await;
    import(staff, tag).await;
    undo(staff, tag).await;
    put_off_and_back(staff, tag).await;
    on_the_road(staff, tag).await;
    open_office(staff).await;
}

pub const USER: &str =
    "query Q($page: PageOptions) { users(page: $page) { id version displayName roles status } }";

async fn accounts(staff: &mut Staff<'_>, tag: &str) {
    let name = format!("ana-{tag}");
    let user = || (USER, list_of("username", "equals", &name));
    let email = format!("{name}@example.ph");
    let input = json!({ "username": name, "email": email, "roles": ["viewer"] });
    let made =
        staff.bring_about(user(), exists("/users/0"), |_| ("createUser", "{ id }", input.clone())).await;
    let id = made["users"][0]["id"].clone();
    let edit = |state: &Value| {
        let version = state["users"][0]["version"].clone();
        json!({ "id": id, "version": version })
    };
    staff
        .bring_about(
            user(),
            |it| is(it, "/users/0/displayName", tag),
            |it| {
                let mut input = edit(it);
                input["displayName"] = json!(tag);
                input["email"] = json!(email);
                ("updateUser", "{ version }", input)
            },
        )
        .await;
    staff
        .bring_about(
            user(),
            |it| is(it, "/users/0/roles/0", "dispatcher"),
            |it| {
                let mut input = edit(it);
                input["roles"] = json!(["dispatcher"]);
                ("updateUserRoles", "{ version }", input)
            },
        )
        .await;
    choose_password(staff, &id, &name, PASSWORD).await;
    assert!(!staff.sign_in(&name, "wrong-by-a-letter-or-two").await);
    assert!(staff.sign_in(&name, PASSWORD).await);
    // Changing the password ends other sessions. Only signing in with the new password shows whether the
    // change succeeded.
    let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW_PASSWORD });
    if let Err(refusal) = staff.act("changeOwnPassword", "{ count }", change).await {
        // A repeated change is refused if the first one succeeded without a response, since the old password
        // is wrong now.
        assert!(staff.sign_in(&name, NEW_PASSWORD).await, "{refusal}");
    }
    assert!(staff.sign_in(&name, NEW_PASSWORD).await);
    staff.graphql("mutation { endOtherSessions { count } }", &json!({})).await.unwrap();
    assert_eq!(staff.auth(json!({ "method": "logout" })).await.0, 200);
    open_office(staff).await;
    staff
        .bring_about(
            user(),
            |it| is(it, "/users/0/status", "disabled"),
            |it| {
                let mut input = edit(it);
                input["status"] = json!("disabled");
                ("updateUserStatus", "{ version }", input)
            },
        )
        .await;
}

/// Sets an account's first password with reset links, until the owner can sign in. The admin is signed in
/// afterwards.
pub async fn choose_password(staff: &mut Staff<'_>, id: &Value, username: &str, password: &str) {
    loop {
        let link = staff.act("createResetLink", "{ path }", json!({ "userId": id })).await.unwrap();
        let (_, token) = link["path"].as_str().unwrap().split_once("resetToken=").unwrap();
        let redeem = json!({ "method": "resetPassword", "resetToken": token, "password": password });
        // The service refuses to redeem the link again, if an earlier request succeeded without a response.
        staff.auth(redeem).await;
        let works = match password == PIN {
            true => staff.driver_sign_in(username, password).await,
            false => staff.sign_in(username, password).await,
        };
        open_office(staff).await;
        if works {
            return;
        }
    }
}

async fn settings(staff: &mut Staff<'_>, tag: &str) {
    let setting = "query Q($id: String!) { findSystemSettingById(id: $id) { value } }";
    let name = format!("Waybill {tag}");
    let change = json!({ "id": "organization-name", "value": name });
    let read = (setting, json!({ "id": "organization-name" }));
    staff
        .bring_about(
            read,
            |it| is(it, "/findSystemSettingById/value", &name),
            |_| ("updateSettingValue", "{ value }", change.clone()),
        )
        .await;
    announcement(staff, tag).await;
    report(staff, tag).await;
    saved_view(staff, tag).await;
    logo(staff).await;
}

async fn announcement(staff: &mut Staff<'_>, tag: &str) {
    let creation = kit::clock::new_id();
    let form = |title: &str| {
        json!({ "title": format!("{title} {tag}"), "message": "Gate 3 is closed", "severity": "info",
                "audienceRoles": [], "audienceUsers": [], "startsAt": "2026-11-01T08:00:00Z", "isActive": true,
                "dismissible": true })
    };
    let input = json!({ "creationId": creation, "announcement": form("Gate 3") });
    let made = staff.act("createAnnouncement", "{ id }", input).await.unwrap();
    let one = || {
        ("query Q($id: String!) { announcement(id: $id) { id version title } }", json!({ "id": made["id"] }))
    };
    let edited = format!("Gate 4 {tag}");
    staff
        .bring_about(
            one(),
            |it| is(it, "/announcement/title", &edited),
            |it| {
                let version = &it["announcement"]["version"];
                let input = json!({ "id": made["id"], "version": version, "announcement": form("Gate 4") });
                ("updateAnnouncement", "{ version }", input)
            },
        )
        .await;
    let seen = json!({ "ids": [made["id"]], "dismiss": true });
    staff.act("markAnnouncements", "{ id }", seen).await.unwrap();
    staff
        .bring_about(
            one(),
            |it| it["announcement"].is_null(),
            |it| {
                let version = &it["announcement"]["version"];
                ("deleteAnnouncement", "", json!({ "id": made["id"], "version": version }))
            },
        )
        .await;
}

async fn report(staff: &mut Staff<'_>, tag: &str) {
    let creation = kit::clock::new_id();
    let form = |days: u32| {
        json!({ "name": format!("By driver {tag}"), "reportKey": "drivers", "format": "csv", "isActive": true,
                "rangeDays": days, "columns": [{ "member": "Driver.driverName", "label": "", "visible": true }],
                "defaultFilters": [], "groupBy": [], "sort": [] })
    };
    let input = json!({ "creationId": creation, "reportSetting": form(7) });
    let made = staff.act("createReportSetting", "{ id }", input).await.unwrap();
    let one = || {
        (
            "query Q($id: String!) { reportSetting(id: $id) { version rangeDays } }",
            json!({ "id": made["id"] }),
        )
    };
    staff
        .bring_about(
            one(),
            |it| it["reportSetting"]["rangeDays"] == 30,
            |it| {
                let version = &it["reportSetting"]["version"];
                let input = json!({ "id": made["id"], "version": version, "reportSetting": form(30) });
                ("updateReportSetting", "{ version }", input)
            },
        )
        .await;
    staff
        .bring_about(
            one(),
            |it| it["reportSetting"].is_null(),
            |it| {
                let version = &it["reportSetting"]["version"];
                ("deleteReportSetting", "", json!({ "id": made["id"], "version": version }))
            },
        )
        .await;
}

async fn saved_view(staff: &mut Staff<'_>, tag: &str) {
    let creation = kit::clock::new_id();
    let state = r#"{"filters":[],"sort":[],"columns":{"order":[],"hidden":[],"pinned":[],"widths":{}}}"#;
    let named = |name: &str| json!({ "list": "deliveries", "name": format!("{name} {tag}"), "state": state });
    let input = json!({ "creationId": creation, "savedView": named("Morning") });
    let made = staff.act("createSavedView", "{ id }", input).await.unwrap();
    let mine = || {
        (
            "query Q($list: String!) { savedViews(list: $list) { id name version } }",
            json!({ "list": "deliveries" }),
        )
    };
    let of =
        |it: &Value| it["savedViews"].as_array().unwrap().iter().find(|it| it["id"] == made["id"]).cloned();
    let renamed = named("Evening");
    staff
        .bring_about(
            mine(),
            |it| of(it).is_some_and(|it| it["name"] == renamed["name"]),
            |it| {
                let version = &of(it).unwrap()["version"];
                let input = json!({ "id": made["id"], "version": version, "savedView": renamed });
                ("updateSavedView", "{ version }", input)
            },
        )
        .await;
    staff
        .bring_about(
            mine(),
            |it| of(it).is_none(),
            |it| {
                let version = &of(it).unwrap()["version"];
                ("deleteSavedView", "", json!({ "id": made["id"], "version": version }))
            },
        )
        .await;
}

async fn logo(staff: &mut Staff<'_>) {
    let (_, link) = staff.post("/request-logo-upload-link", json!({ "filename": "logo.png" })).await;
    let place = staff.put(link["url"].as_str().unwrap(), PNG).await;
    let presign = "mutation M($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }";
    let url =
        staff.read(presign, &json!({ "url": place })).await["mutatePresignedUrl"]["presignedUrl"].clone();
    let value = json!({ "url": url, "size": 100, "gap": 8, "vertical": 0, "urlObject": place }).to_string();
    let id = "customer-logo-information";
    staff
        .bring_about(
            ("query Q($id: String!) { getLogoInformation(id: $id) { value } }", json!({ "id": id })),
            |it| is(it, "/getLogoInformation/value", &value),
            |_| ("updateSettingValue", "{ value }", json!({ "id": id, "value": value })),
        )
        .await;
}

async fn parties(staff: &mut Staff<'_>, tag: &str) {
    let source = format!("Depot {tag}");
    let read = || {
        (
            "query Q($page: PageOptions) { sources(page: $page) { id version isActive name podRequirement } }",
            list_of("name", "equals", &source),
        )
    };
    let input = json!({ "name": source, "isActive": true });
    staff.bring_about(read(), exists("/sources/0"), |_| ("createSource", "{ id }", input.clone())).await;
    staff
        .bring_about(read(), |it| is(it, "/sources/0/podRequirement/0", "recipientName"), |it| {
            let one = &it["sources"][0];
            let input = json!({ "id": one["id"], "version": one["version"], "name": source, "isActive": true,
                                "podRequirement": ["recipientName"] });
            ("updateSource", "{ version }", input)
        })
        .await;
    let label = format!("Nobody there {tag}");
    let reasons = "query { reasons(appliesTo: undelivered) { code label order version isActive requiresNote \
                   requiresPhoto responsible appliesTo } }";
    let find = |it: &Value| {
        let all = it["reasons"].as_array().unwrap();
        all.iter().find(|reason| reason["code"] == "recipient_absent").unwrap().clone()
    };
    staff
        .bring_about(
            (reasons, json!({})),
            |it| find(it)["label"] == label.as_str(),
            |it| {
                let mut input = find(it);
                input["label"] = json!(label);
                ("updateReason", "{ version }", input)
            },
        )
        .await;
}

pub const DRIVER: &str =
    "query Q($id: String!) { driver(driverId: $id) { version phone status deviceUniqueIds username } }";
pub const ACCOUNT: &str = "query Q($page: PageOptions) { driverAccounts(page: $page) { id status } }";

async fn drivers(staff: &mut Staff<'_>, tag: &str) {
    let (id, phone) = (format!("D-{tag}"), format!("Phone-{tag}"));
    let form =
        json!({ "driverId": id, "name": format!("Nestor {tag}"), "username": format!("nestor-{tag}") });
    let one = || (DRIVER, json!({ "id": id }));
    staff.bring_about(one(), exists("/driver"), |_| ("createDriver", "{ version }", form.clone())).await;
    staff
        .bring_about(
            one(),
            |it| is(it, "/driver/phone", "+63 917 555 0101"),
            |it| {
                let mut input = form.clone();
                input["phone"] = json!("+63 917 555 0101");
                input["version"] = it["driver"]["version"].clone();
                ("updateDriver", "{ version }", input)
            },
        )
        .await;
    for status in ["blocked", "active"] {
        let input = json!({ "driverId": id, "status": status });
        staff
            .bring_about(
                one(),
                |it| is(it, "/driver/status", status),
                |_| ("updateDriverStatus", "{ status }", input.clone()),
            )
            .await;
    }
    for (device, kept) in [(format!("Old-{tag}"), false), (phone.clone(), true)] {
        let input = json!({ "driverId": id, "uniqueId": device });
        let is_paired =
            |it: &Value| it["driver"]["deviceUniqueIds"].as_array().unwrap().contains(&json!(device));
        staff.bring_about(one(), is_paired, |_| ("pairDevice", "{ version }", input.clone())).await;
        if !kept {
            staff
                .bring_about(one(), |it| !is_paired(it), |_| ("unpairDevice", "{ version }", input.clone()))
                .await;
        }
    }
    let account = list_of("driverId", "equals", &id);
    staff.wait_for(ACCOUNT, account, |it| is(it, "/driverAccounts/0/status", "invited")).await;
    for device in [phone, format!("Stray-{tag}")] {
        for second in [0, 10, 20] {
            let timestamp = on_site().timestamp() + second;
            let query = format!("id={device}&lat=14.5995&lon=120.98{second}&timestamp={timestamp}");
            staff.ask(|http, product| http.get(format!("{}/?{query}", product.ingest))).await;
        }
    }
    let way = "query Q($id: String!, $from: DateTime!, $to: DateTime!) { \
               driverPositions(driverId: $id, from: $from, to: $to) { more } }";
    staff.read(way, &positions_of(&id)).await;
}
