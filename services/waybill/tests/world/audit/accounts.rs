//! Acts on accounts and their sessions, including drivers' accounts.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::act;
use crate::browser::{Browser, PASSWORD};
use crate::drivers::{PIN, account};
use crate::harness::until;

pub const LEFT: &[(&str, usize)] = &[
    ("admin.created user admin", 1),
    ("user.created user dina", 1),
    ("user.reset_link_created user dina", 1),
    ("user.password_reset user dina", 1),
    ("user.created user vera", 1),
    ("user.reset_link_created user vera", 1),
    ("user.password_reset user vera", 1),
    ("user.signed_up user ana", 1),
    ("user.roles_changed user ana", 1),
    ("user.password_changed user ana", 1),
    ("session.ended session ana", 1),
    ("user.sessions_ended user ana", 1),
    ("user.updated user ana", 1),
    ("user.status_changed user ana", 1),
    // Creating and changing a driver causes the next four entries for the driver's account.
    ("driver_account.created driver_account nestor", 1),
    ("driver_account.blocked driver_account nestor", 1),
    ("driver_account.unblocked driver_account nestor", 1),
    ("driver_account.updated driver_account nestor.ilagan", 1),
    ("driver_account.reset_link_created driver_account nestor.ilagan", 1),
    ("driver_account.pin_set driver_account nestor.ilagan", 1),
];

/// Returns the id, version and sessions of Ana's account from the list.
async fn ana(admin: &Browser) -> Value {
    let users = admin.data("{ users { id username version sessions { id } } }", json!({})).await;
    users["users"].as_array().unwrap().iter().find(|it| it["username"] == "ana").unwrap().clone()
}

/// Signs up a user, who gets a role, changes her password and is blocked.
pub async fn manage_people(admin: &Browser) {
    let mut browser = admin.stranger();
    let form =
        json!({ "method": "signup", "username": "ana", "email": "ana@example.ph", "password": PASSWORD });
    assert_eq!(browser.auth(form).await.0, StatusCode::CREATED);
    let user = ana(admin).await;
    let input = json!({ "id": user["id"], "version": user["version"], "roles": ["viewer"] });
    act(admin, "updateUserRoles", "{ version }", input).await;
    browser.sign_in("ana", PASSWORD).await;
    let password = "monsoon-under-the-mango";
    let input = json!({ "currentPassword": PASSWORD, "newPassword": password });
    act(&browser, "changeOwnPassword", "{ count }", input).await;
    let user = ana(admin).await;
    act(admin, "endSession", "{ count }", json!({ "id": user["sessions"][0]["id"] })).await;
    browser.sign_in("ana", password).await;
    act(admin, "endUserSessions", "{ count }", json!({ "userId": user["id"] })).await;
    let input = json!({ "id": user["id"], "version": user["version"], "email": "a@example.ph" });
    let user = act(admin, "updateUser", "{ id version }", input).await;
    let input = json!({ "id": user["id"], "version": user["version"], "status": "disabled" });
    act(admin, "updateUserStatus", "{ status }", input).await;
}

/// Lets a driver whose username was changed choose a PIN.
pub async fn choose_a_pin(dina: &Browser) {
    let named = || async { account(dina, "DRV-1").await.filter(|it| it["username"] == "nestor.ilagan") };
    until("the account follows", || async { named().await.is_some() }).await;
    let account = named().await.unwrap();
    let token = dina.reset_link(account["id"].as_str().unwrap()).await;
    assert_eq!(dina.stranger().redeem(&token, PIN).await.0, StatusCode::OK);
}
