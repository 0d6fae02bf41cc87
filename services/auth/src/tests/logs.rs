//! Checks that the log contains no secrets and no names after everything that people do with secrets.

use kit::config::SignUp;
use kit::testing::Log;
use proto::auth::v1::{ChangeOwnPasswordRequest, SignUpRequest};

use super::*;
use crate::Migrator;

// Runs on a single thread, so that this thread's subscriber receives everything.
#[tokio::test(flavor = "current_thread")]
async fn no_secret_and_no_name_is_logged() {
    let log = Log::default();
    let _guard = log.watch();
    let test = ::store::testing::TestDb::migrated::<Migrator>(::store::testing::Backend::Sqlite).await;
    let server =
        crate::mail::tests::Server::start(&["451 later", "250 yes", "550 no nora@example.com here"]).await;
    let mut context = Context { mailing: Mailing::to_server(&server.url), ..context(test.db.clone()) };
    context.setup_token_needed = true;
    context.config.sign_up = SignUp::Pending;
    let world = World::start(context).await;
    let setup_token = world.setup_token.clone().unwrap();
    world.create_admin("Nora", PASSWORD, &setup_token[1..]).await.unwrap_err();
    world.create_admin("Nora", PASSWORD, &setup_token).await.unwrap();
    for (name, password) in [("Nora", "a wrong secret"), ("typed into the wrong field", "x")] {
        world.login(name, password).await.unwrap_err();
    }
    let nora = world.sign_in("Nora").await;
    world.forgot("nora", HOME).await;
    let token = token_in(&server.mails()[0]);
    world.kind_of_link(&token).await.unwrap();
    world.redeem(&token, "weak").await.unwrap_err();
    let second = "green jeepney at nine";
    world.redeem(&token, second).await.unwrap();
    world.work().await;
    let secret = world.login("Nora", second).await.unwrap();
    let access = world.token(&secret).await.unwrap();
    let nora = Person { secret: secret.clone(), ..nora };
    let third = "yellow bus at noon";
    let change = ChangeOwnPasswordRequest { current_password: second.into(), new_password: third.into() };
    nora.client().await.change_own_password(change).await.unwrap();
    let driver = world.driver("DRV-77", "nestor.ilagan", "active", 1).await;
    let link = nora.link(&driver).await.unwrap().reset_token;
    world.redeem(&link, "482913750264").await.unwrap();
    let sign_up = SignUpRequest {
        username: "stranger".into(),
        email: "stranger@example.com".into(),
        password: "a fourth secret".into(),
        address: HOME.into(),
    };
    world.client().sign_up(sign_up).await.unwrap();
    for _ in 0..10 {
        let _ = world.login("Nora", "another wrong secret").await;
    }
    world.work().await;
    world.chores().await;
    let log = log.text();
    for expected in
        ["signed in", "sign-in refused", "a mail was refused: the server answered 550", "somebody signed up"]
    {
        assert!(log.contains(expected), "{expected} in {log}");
    }
    for hidden in [
        PASSWORD,
        second,
        third,
        "a wrong secret",
        "another wrong secret",
        "a fourth secret",
        "482913750264",
        &setup_token,
        &token,
        &link,
        &secret,
        &access,
        "argon2id",
        "typed into the wrong field",
        "Nora",
        "nora@",
        "maria@",
        "nestor.ilagan",
        "stranger",
        HOME,
    ] {
        assert!(!log.contains(hidden), "{hidden} is in the log: {log}");
    }
    test.close().await;
}
