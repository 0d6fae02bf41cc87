//! Drivers' accounts: created and blocked by events, with a PIN that is set with a reset link.

use proto::events::DriverChanged;
use proto::events::envelope::Payload;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::harness::{World, until};
use crate::in_both_shapes;

pub const PIN: &str = "482913";
const ME: &str = "query { redwood { currentUser } }";
const LIST: &str = "query { deliveries { id } }";
const LINK: &str =
    "mutation M($id: String!) { createResetLink(input: { userId: $id }) { path mailedTo kind } }";

/// Emits the change of a driver as the drivers service does.
pub async fn changed(world: &World, id: &str, version: u64, username: &str, status: &str) {
    let payload = Payload::DriverChanged(DriverChanged {
        driver_id: id.into(),
        name: format!("Driver {id}"),
        username: username.into(),
        status: status.into(),
    });
    world.publish("drivers", id, version, payload).await;
}

/// Returns a driver's account, or `None` before it exists.
pub async fn account(browser: &Browser, driver: &str) -> Option<Value> {
    let query = "query Q($page: PageOptions) { driverAccounts(page: $page) { id username displayName driverId \
                 status lastLoginAt } }";
    let filter = json!({ "key": "driverId", "operator": "equals", "values": [driver] });
    let found = browser.data(query, json!({ "page": { "where": [filter] } })).await;
    found["driverAccounts"].as_array().unwrap().first().cloned()
}

/// Waits until a driver's account has this status, and returns the account.
pub async fn arrived(browser: &Browser, driver: &str, status: &str) -> Value {
    until("the driver's account follows", || async {
        account(browser, driver).await.is_some_and(|it| it["status"] == status)
    })
    .await;
    account(browser, driver).await.unwrap()
}

/// Returns a browser in which a new driver is signed in.
pub async fn signed_in_driver(world: &World, admin: &Browser) -> Browser {
    changed(world, "D-1", 1, "driver", "active").await;
    let account = arrived(admin, "D-1", "invited").await;
    let token = admin.reset_link(account["id"].as_str().unwrap()).await;
    let mut browser = world.browser();
    assert_eq!(browser.redeem(&token, PIN).await.0, StatusCode::OK);
    assert_eq!(browser.driver_sign_in("driver", PIN).await.0, StatusCode::OK);
    browser
}

in_both_shapes!(a_driver_gets_an_account_and_chooses_a_pin, |world: World| async move {
    let admin = world.admin().await;
    let dispatcher = admin.signed_in_user("dina", &["dispatcher"]).await;
    changed(&world, "D-7", 3, "Ramon", "active").await;
    let account = arrived(&dispatcher, "D-7", "invited").await;
    assert_eq!(
        account,
        json!({
            "id": account["id"], "username": "Ramon", "displayName": "Driver D-7", "driverId": "D-7",
            "status": "invited", "lastLoginAt": null,
        })
    );
    // Drivers' accounts are in a separate list, not in that of the office's users.
    let users = "query { users { username } usersCount { total } }";
    let office = admin.data(users, json!({})).await;
    assert_eq!(office["usersCount"]["total"], 2);
    assert!(!office["users"].to_string().contains("Ramon"));

    let link = dispatcher.data(LINK, json!({ "id": account["id"] })).await["createResetLink"].clone();
    assert_eq!((&link["kind"], &link["mailedTo"]), (&json!("pin"), &Value::Null));
    let token = crate::browser::token_in(link["path"].as_str().unwrap()).to_owned();
    let mut phone = world.browser();
    let asked = phone.auth(json!({ "method": "validateResetToken", "resetToken": token })).await;
    assert_eq!(asked, (StatusCode::OK, json!({ "kind": "pin" })));
    for weak in ["12345", "123456", "987654", "111111", "1234567890123", "48291a", "tricycle-over-the-bridge"]
    {
        let (status, body) = phone.redeem(&token, weak).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{weak}");
        assert!(body["fields"]["password"].is_array(), "{weak}: {body}");
    }
    assert_eq!(phone.redeem(&token, PIN).await, (StatusCode::OK, json!({})));
    assert_eq!(phone.redeem(&token, PIN).await.0, StatusCode::BAD_REQUEST, "once");
    let office = json!({ "method": "login", "username": "ramon", "password": PIN });
    assert_eq!(phone.auth(office).await.0, StatusCode::BAD_REQUEST, "the office is not for drivers");
    let (status, signed_in) = phone.driver_sign_in("ramon", PIN).await;
    assert_eq!(
        (status, &signed_in["driver"]),
        (StatusCode::OK, &json!({ "driverId": "D-7", "name": "Driver D-7" }))
    );
    let me = phone.data(ME, json!({})).await["redwood"]["currentUser"].clone();
    assert_eq!((&me["username"], &me["roles"]), (&json!("Ramon"), &json!(["driver"])));
    assert_eq!(phone.refused(LIST, json!({})).await.0, "FORBIDDEN", "the office is not for drivers");
    assert!(account_of(&dispatcher, "D-7").await["lastLoginAt"].is_string());
    world
});

async fn account_of(browser: &Browser, driver: &str) -> Value {
    account(browser, driver).await.unwrap()
}

in_both_shapes!(a_blocked_driver_is_signed_out_and_kept_out, |world: World| async move {
    let admin = world.admin().await;
    let mut phone = signed_in_driver(&world, &admin).await;
    let (_, signed_in) = phone.driver_sign_in("driver", PIN).await;
    let session = json!({ "sessionToken": signed_in["sessionToken"] });
    assert_eq!(phone.post("/driver/v1/token", session.clone()).await.status(), StatusCode::OK);
    let id = account_of(&admin, "D-1").await["id"].as_str().unwrap().to_owned();
    let unused = admin.reset_link(&id).await;

    changed(&world, "D-1", 2, "driver", "blocked").await;
    arrived(&admin, "D-1", "disabled").await;
    let token = phone.post("/driver/v1/token", session).await;
    assert_eq!(token.status(), StatusCode::UNAUTHORIZED, "the session has ended");
    // This gateway gets no notice of the session's end, so a session that it has just checked stays valid for
    // up to a second.
    until("the token counts no more", || async {
        phone.data(ME, json!({})).await["redwood"]["currentUser"].is_null()
    })
    .await;
    let mut other = world.browser();
    assert_eq!(other.driver_sign_in("driver", PIN).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(phone.redeem(&unused, "907856").await.0, StatusCode::BAD_REQUEST, "its link is dead");
    let link = admin.refused(LINK, json!({ "id": id })).await;
    assert_eq!(link, ("FAILED_PRECONDITION".into(), "ACCOUNT_DISABLED".into()), "and it gets no new one");

    // An event from before the block arrives late and changes nothing.
    changed(&world, "D-1", 1, "driver", "active").await;
    changed(&world, "D-2", 1, "other", "active").await;
    arrived(&admin, "D-2", "invited").await;
    world.settle().await;
    assert_eq!(account_of(&admin, "D-1").await["status"], "disabled");

    changed(&world, "D-1", 3, "driver", "active").await;
    arrived(&admin, "D-1", "active").await;
    assert_eq!(phone.driver_sign_in("driver", PIN).await.0, StatusCode::OK);
    world
});

in_both_shapes!(links_for_drivers_are_counted_and_others_are_not_theirs_to_make, |world: World| async move {
    let admin = world.admin().await;
    let mut dispatcher = admin.signed_in_user("dina", &["dispatcher"]).await;
    let viewer = admin.signed_in_user("vera", &["viewer"]).await;
    changed(&world, "D-1", 1, "driver", "active").await;
    let driver = arrived(&dispatcher, "D-1", "invited").await["id"].clone();

    let drivers = "query { driverAccounts { id } driverAccountsCount { total } }";
    assert_eq!(viewer.refused(drivers, json!({})).await.0, "FORBIDDEN");
    assert_eq!(viewer.refused(LINK, json!({ "id": driver })).await.0, "FORBIDDEN");
    let me = admin.data(ME, json!({})).await["redwood"]["currentUser"]["id"].clone();
    assert_eq!(dispatcher.refused(LINK, json!({ "id": me })).await.0, "FORBIDDEN", "not for the office");

    for _ in 0..20 {
        assert!(dispatcher.data(LINK, json!({ "id": driver })).await["createResetLink"]["path"].is_string());
    }
    let answer = dispatcher.graphql(LINK, json!({ "id": driver })).await;
    let extensions = &answer["errors"][0]["extensions"];
    assert_eq!(extensions["code"], "RATE_LIMITED", "{answer}");
    assert!(extensions["retryAfter"].as_u64().is_some_and(|it| it <= 86_400), "{answer}");
    // Signing in again does not reset the limit. An admin has no limit.
    dispatcher.sign_in("dina", crate::harness::PASSWORD).await;
    assert_eq!(dispatcher.refused(LINK, json!({ "id": driver })).await.0, "RATE_LIMITED");
    admin.reset_link(driver.as_str().unwrap()).await;
    world
});

// A driver with the username of an office account could never sign in.
in_both_shapes!(no_driver_gets_a_name_of_the_office, |world: World| async move {
    let admin = world.admin().await;
    let dispatcher = admin.signed_in_user("dina", &["dispatcher"]).await;
    let create = "mutation M($input: CreateDriverInput!) { createDriver(input: $input) { version } }";
    let update = "mutation M($input: UpdateDriverInput!) { updateDriver(input: $input) { version } }";
    let input =
        |username: &str| json!({ "driverId": "D-1", "name": "Dina who drives", "username": username });
    let taken = ("BAD_USER_INPUT".to_owned(), "USERNAME_TAKEN".to_owned());
    assert_eq!(dispatcher.refused(create, json!({ "input": input("DINA") })).await, taken);
    let made = dispatcher.data(create, json!({ "input": input("dina.drives") })).await;
    arrived(&dispatcher, "D-1", "invited").await;
    let mut changed = input("Dina");
    changed["version"] = made["createDriver"]["version"].clone();
    let answer = dispatcher.graphql(update, json!({ "input": changed })).await;
    let told = &answer["errors"][0]["extensions"]["properties"]["messages"]["username"][0];
    assert_eq!(told, "This username belongs to an office account. Choose another one", "{answer}");
    // The driver's own name is not a conflict.
    changed["username"] = json!("dina.drives");
    changed["name"] = json!("Dina Reyes");
    dispatcher.data(update, json!({ "input": changed })).await;
    world
});
