//! New passwords: by mail for people who forgot theirs, by a link from an admin, and by changing one's own.

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::{Browser, token_in};
use crate::harness::{PASSWORD, PUBLIC_URL, Settings, World};
use crate::in_both_shapes;
use crate::mailbox::Letter;

const NEW: &str = "monsoon-under-the-mango";
const LIST: &str = "query { deliveries { id } }";
const CHANGE: &str =
    "mutation M($input: ChangeOwnPasswordInput!) { changeOwnPassword(input: $input) { count } }";

fn forgot(username: &str) -> Value {
    json!({ "method": "forgotPassword", "username": username })
}

fn sign_in(username: &str, password: &str) -> Value {
    json!({ "method": "login", "username": username, "password": password })
}

async fn is_good(browser: &mut Browser, token: &str) -> bool {
    let (status, body) = browser.auth(json!({ "method": "validateResetToken", "resetToken": token })).await;
    match status {
        StatusCode::OK => assert_eq!(body, json!({ "kind": "password" })),
        _ => assert_eq!((status, body["error"].is_string()), (StatusCode::BAD_REQUEST, true), "{body}"),
    }
    status == StatusCode::OK
}

/// Asserts that a browser's session has ended. Copies of everything the browser had are worthless.
async fn assert_out(browser: &Browser) {
    assert_eq!(browser.refused(LIST, json!({})).await.0, "UNAUTHENTICATED", "a copied token");
    assert_eq!(browser.fetch_token().await, "", "a copied cookie");
}

async fn id_of(admin: &Browser, username: &str) -> String {
    let users = "query { users { id username } }";
    let users = admin.data(users, json!({})).await["users"].clone();
    let found = users.as_array().unwrap().iter().find(|it| it["username"] == username).unwrap().clone();
    found["id"].as_str().unwrap().to_owned()
}

/// Returns the token of the link in a mail.
fn token_of(letter: &Letter) -> String {
    let link = letter.text.lines().find(|line| line.contains("/reset-password?resetToken="));
    token_in(link.unwrap_or_else(|| panic!("no link: {letter:?}"))).to_owned()
}

/// Creates an account whose owner chooses the first password by mail.
pub async fn mailed_user(world: &World, admin: &Browser, username: &str, roles: &[&str]) -> Browser {
    let create = "mutation M($input: CreateUserInput!) { createUser(input: $input) { id } }";
    let email = format!("{username}@example.ph");
    let input = json!({ "username": username, "email": email, "roles": roles });
    let id = admin.data(create, json!({ "input": input })).await["createUser"]["id"].clone();
    let before = world.mailbox.letters().len();
    let link = "mutation M($id: String!) { createResetLink(input: { userId: $id }) { path mailedTo kind } }";
    let link = admin.data(link, json!({ "id": id })).await["createResetLink"].clone();
    assert_eq!(link, json!({ "path": null, "mailedTo": email, "kind": "password" }), "not shown as well");
    let letter = world.mailbox.wait_for(before + 1).await[before].clone();
    assert_eq!(letter.to, email);
    let mut browser = world.browser();
    assert_eq!(browser.redeem(&token_of(&letter), PASSWORD).await, (StatusCode::OK, json!({})));
    // A second mail says that the password was changed.
    let told = world.mailbox.wait_for(before + 2).await[before + 1].clone();
    assert!(told.to == email && !told.text.contains("resetToken"), "{told:?}");
    browser.sign_in(username, PASSWORD).await;
    browser
}

in_both_shapes!(
    who_forgot_the_password_gets_a_mail_and_a_new_one,
    Settings::send_mail,
    |world: World| async move {
        let admin = world.admin().await;
        let maria = mailed_user(&world, &admin, "maria", &["viewer"]).await;
        let mut stranger = world.browser();
        let known = stranger.auth(forgot("Maria")).await;
        assert_eq!(known, (StatusCode::OK, json!({})));
        assert_eq!(stranger.auth(forgot("nobody")).await, known);
        assert_eq!(stranger.auth(forgot("  ")).await.0, StatusCode::BAD_REQUEST);
        let letters = world.mailbox.wait_for(3).await;
        assert_eq!(letters[2].to, "maria@example.ph");
        assert!(letters[2].text.contains(&format!("\n{PUBLIC_URL}/reset-password?resetToken=")));
        let token = token_of(&letters[2]);

        // Neither requesting a link nor opening it changes anything.
        maria.data(LIST, json!({})).await;
        assert!(is_good(&mut stranger, &token).await && is_good(&mut stranger, &token).await);
        let (status, body) = stranger.redeem(&token, "short").await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(body["fields"]["password"].is_array(), "{body}");
        assert!(is_good(&mut stranger, &token).await, "a refused password does not use the link up");

        let mut owner = maria.clone();
        assert_eq!(owner.redeem(&token, NEW).await, (StatusCode::OK, json!({})));
        assert_eq!(owner.cookie, maria.cookie, "it signs nobody in, and touches no cookie");
        assert_out(&maria).await;
        assert!(!is_good(&mut stranger, &token).await, "once");
        assert_eq!(stranger.redeem(&token, PASSWORD).await.0, StatusCode::BAD_REQUEST);
        let mut again = world.browser();
        assert_eq!(again.auth(sign_in("maria", PASSWORD)).await.0, StatusCode::BAD_REQUEST);
        again.sign_in("maria", NEW).await;
        again.data(LIST, json!({})).await;
        admin.data(LIST, json!({})).await;
        // No mail was sent for an unknown name: the queue is sequential, so such a mail would have arrived
        // before the last one.
        let told = world.mailbox.wait_for(4).await;
        assert!(told.len() == 4 && told.iter().all(|it| it.to == "maria@example.ph"), "{told:?}");
        world
    }
);

fn mailing_in_held_time(it: &mut Settings) {
    it.send_mail();
    it.hold_time();
}

in_both_shapes!(a_mailed_link_ends_to_the_second, mailing_in_held_time, |world: World| async move {
    let admin = world.admin().await;
    mailed_user(&world, &admin, "maria", &["viewer"]).await;
    let mut stranger = world.browser();
    stranger.auth(forgot("maria")).await;
    let token = token_of(&world.mailbox.wait_for(3).await[2]);
    world.clock.advance(chrono::Duration::seconds(599));
    assert!(is_good(&mut stranger, &token).await);
    world.clock.advance(chrono::Duration::seconds(1));
    assert!(!is_good(&mut stranger, &token).await);
    assert_eq!(stranger.redeem(&token, NEW).await.0, StatusCode::BAD_REQUEST);
    stranger.sign_in("maria", PASSWORD).await;
    world
});

in_both_shapes!(a_link_dies_of_whatever_comes_after_it, |world: World| async move {
    let admin = world.admin().await;
    let maria = admin.signed_in_user("maria", &["viewer"]).await;
    let id = id_of(&admin, "maria").await;
    let mut anybody = world.browser();

    let first = admin.reset_link(&id).await;
    let second = admin.reset_link(&id).await;
    assert!(!is_good(&mut anybody, &first).await, "a newer one");
    assert!(is_good(&mut anybody, &second).await);

    let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
    maria.data(CHANGE, json!({ "input": change })).await;
    assert!(!is_good(&mut anybody, &second).await, "a change of the password");

    let third = admin.reset_link(&id).await;
    let status = "mutation M($input: UpdateUserStatusInput!) { updateUserStatus(input: $input) { version } }";
    let user = admin.data("query Q($id: String!) { user(id: $id) { version } }", json!({ "id": id })).await;
    let input = json!({ "id": id, "version": user["user"]["version"], "status": "disabled" });
    admin.data(status, json!({ "input": input })).await;
    assert!(!is_good(&mut anybody, &third).await, "disabling");
    for token in [first, second, third] {
        assert_eq!(anybody.redeem(&token, PASSWORD).await.0, StatusCode::BAD_REQUEST);
    }
    for nonsense in ["nope", "0", &"x".repeat(5_000), "nul\u{0}", "' OR 1=1 --"] {
        assert!(!is_good(&mut anybody, nonsense).await);
        assert_eq!(anybody.redeem(nonsense, PASSWORD).await.0, StatusCode::BAD_REQUEST);
    }
    world
});

/// Raises limits, so that even on a slow machine every request comes to the step that writes the password.
fn nobody_is_sent_away(it: &mut Settings) {
    it.config.auth.hash_queue = 64;
    it.config.http.max_anonymous_in_flight = 512;
    it.config.grpc.timeout_seconds = 100;
    it.config.http.timeout_seconds = 110;
}

in_both_shapes!(a_link_that_many_use_at_once_works_for_one, nobody_is_sent_away, |world: World| async move {
    let admin = world.admin().await;
    admin.make_user("maria", &["viewer"], PASSWORD).await;
    let token = admin.reset_link(&id_of(&admin, "maria").await).await;
    let tries = (0..64).map(|at| {
        let (mut browser, token) = (world.browser(), token.clone());
        async move { (at, browser.redeem(&token, &format!("monsoon-under-the-mango-{at}")).await) }
    });
    let answers = join_all(tries).await;
    let (winners, losers): (Vec<_>, Vec<_>) =
        answers.iter().partition(|(_, (status, _))| *status == StatusCode::OK);
    assert_eq!(winners.len(), 1, "{answers:?}");
    for (_, (status, body)) in losers {
        assert_eq!((*status, body["error"].is_string()), (StatusCode::BAD_REQUEST, true), "{body}");
    }
    // The account has the password of the request that won.
    let won = winners[0].0;
    world.browser().sign_in("maria", &format!("monsoon-under-the-mango-{won}")).await;
    world
});

in_both_shapes!(ones_own_password_is_changed_with_the_old_one, |world: World| async move {
    let admin = world.admin().await;
    let maria = admin.signed_in_user("maria", &["viewer"]).await;
    let mut phone = world.browser();
    phone.sign_in("maria", PASSWORD).await;
    phone.data(LIST, json!({})).await;

    for (current, new, field) in
        [("not-the-password", NEW, "currentPassword"), (PASSWORD, "short", "newPassword")]
    {
        let input = json!({ "currentPassword": current, "newPassword": new });
        let answer = maria.graphql(CHANGE, json!({ "input": input })).await;
        let extensions = &answer["errors"][0]["extensions"];
        assert_eq!(extensions["code"], "BAD_USER_INPUT", "{answer}");
        assert!(extensions["properties"]["messages"][field].is_array(), "{answer}");
    }
    phone.data(LIST, json!({})).await;

    let input = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
    let ended = maria.data(CHANGE, json!({ "input": input })).await;
    assert_eq!(ended["changeOwnPassword"]["count"], 1);
    assert_out(&phone).await;
    maria.data(LIST, json!({})).await;
    assert!(!maria.fetch_token().await.is_empty(), "the session in hand goes on");
    assert_eq!(phone.auth(sign_in("maria", PASSWORD)).await.0, StatusCode::BAD_REQUEST);
    phone.sign_in("maria", NEW).await;
    world
});

in_both_shapes!(sessions_are_listed_and_ended_by_their_owner, |world: World| async move {
    let admin = world.admin().await;
    let maria = admin.signed_in_user("maria", &["viewer"]).await;
    let mut phone = world.browser();
    phone.sign_in("maria", PASSWORD).await;
    let query = "query { mySessions { id isCurrent address userAgent lastUsedAt expiresAt } }";
    let mine = maria.data(query, json!({})).await["mySessions"].as_array().unwrap().clone();
    assert_eq!(mine.len(), 2, "one's own and nobody else's");
    assert_eq!(mine.iter().filter(|it| it["isCurrent"] == true).count(), 1);
    assert!(mine.iter().all(|it| it["address"] == "127.0.0.1"));
    let theirs = admin.data(query, json!({})).await["mySessions"][0]["id"].clone();

    let end = "mutation M($id: String!) { endSession(input: { id: $id }) { count } }";
    // Ending another person's session has no effect. The response is the same as for a session that does not
    // exist.
    let stranger = maria.graphql(end, json!({ "id": theirs })).await;
    let nobody = maria.graphql(end, json!({ "id": "00000000-0000-7000-8000-000000000000" })).await;
    assert_eq!(stranger["errors"][0]["extensions"], nobody["errors"][0]["extensions"]);
    assert_eq!(stranger["data"]["endSession"]["count"].as_u64().unwrap_or(0), 0);
    admin.data(LIST, json!({})).await;

    phone.data(LIST, json!({})).await;
    let other = mine.iter().find(|it| it["isCurrent"] == false).unwrap();
    let ended = maria.data(end, json!({ "id": other["id"] })).await;
    assert_eq!(ended["endSession"]["count"], 1);
    assert_out(&phone).await;
    maria.data(LIST, json!({})).await;
    world
});
