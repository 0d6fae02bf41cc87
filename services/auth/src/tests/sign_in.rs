use kit::Kind;
use proto::auth::v1::LogoutRequest;
use sea_orm::EntityTrait;
use tonic::Status;

use super::*;
use crate::Migrator;
use crate::entity::session;

async fn refusal(world: &World, username: &str, password: &str) -> Status {
    let request =
        LoginRequest { username: username.into(), password: password.into(), ..LoginRequest::default() };
    world.client().login(request).await.unwrap_err()
}

::store::on_both!(unknown_wrong_and_disabled_look_the_same, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let wrong = refusal(&world, NAME, "not the password").await;
    let mut others = vec![
        refusal(&world, "nobody", PASSWORD).await,
        refusal(&world, "no\0body", PASSWORD).await,
        refusal(&world, &"n".repeat(500), PASSWORD).await,
        refusal(&world, NAME, &"p".repeat(5000)).await,
        refusal(&world, "' OR 1=1 --", PASSWORD).await,
    ];
    world.disable().await;
    others.push(refusal(&world, NAME, PASSWORD).await);
    for other in others {
        assert_eq!(
            (other.code(), other.message(), other.details()),
            (wrong.code(), wrong.message(), wrong.details())
        );
    }
    let error = Error::from(wrong);
    assert_eq!((error.kind, error.reason.as_str()), (Kind::Unauthenticated, "SIGN_IN_FAILED"));
    assert_eq!(error.message, "Incorrect username or password");
    assert!(error.fields.is_empty());
});

::store::on_both!(every_attempt_costs_one_hash, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let places = world.passwords.fill();
    for name in [NAME, "nobody", "no\0body"] {
        let error = world.login(name, PASSWORD).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unavailable, "SIGN_IN_BUSY"), "{name:?}");
    }
    drop(places);
    assert!(world.login(NAME, PASSWORD).await.is_ok());
});

::store::on_both!(blank_fields_are_asked_for, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for (name, password, fields) in
        [("", "", vec!["password", "username"]), ("  ", "x", vec!["username"]), ("x", "", vec!["password"])]
    {
        let error = world.login(name, password).await.unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (Kind::InvalidInput, "Both username and password are required")
        );
        assert_eq!(error.fields.keys().collect::<Vec<_>>(), fields);
    }
});

::store::on_both!(the_name_is_folded_and_the_password_is_not, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    assert!(world.login("  mARIA ", PASSWORD).await.is_ok());
    for password in [&PASSWORD.to_uppercase(), &format!("{PASSWORD} "), &PASSWORD[1..]] {
        assert_eq!(reason(world.login(NAME, password).await), "SIGN_IN_FAILED");
    }
});

::store::on_both!(each_sign_in_has_a_session_of_its_own, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let (one, two) = (world.login(NAME, PASSWORD).await.unwrap(), world.login(NAME, PASSWORD).await.unwrap());
    assert_ne!(one, two);
    assert_eq!(one.len(), 43, "256 bits");
    let rows = session::Entity::find().all(world.context.db.read()).await.unwrap();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((row.address.as_str(), row.user_agent.len()), ("203.0.113.7", 200));
        assert!(!row.secret_hash.0.is_empty() && row.secret_hash.0 != one.as_bytes());
    }
    let user = user::Entity::find().one(world.context.db.read()).await.unwrap().unwrap();
    assert_eq!(user.last_login_at, Some(world.context.clock.now()));
    world.logout(&one).await;
    assert!(world.token(&two).await.is_ok());
});

::store::on_both!(a_password_changed_while_it_was_checked_opens_nothing, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let db = &world.context.db;
    let account = crate::store::account_by_name(db.read(), "maria").await.unwrap().unwrap();
    let now = world.context.clock.now();
    let row = |id: uuid::Uuid| session::Model {
        id,
        secret_hash: crate::entity::secret::Hidden(id.as_bytes().to_vec()),
        user_id: account.user.id,
        created_at: now,
        last_used_at: now,
        expires_at: now,
        address: String::new(),
        user_agent: String::new(),
    };
    let attempt = world.throttle.look("maria", "").await.unwrap();
    let begin = |account: crate::store::Account| {
        let (throttle, attempt, row) = (&world.throttle, &attempt, row(kit::clock::new_id()));
        async move { crate::store::sessions::begin(db, throttle, attempt, &account, row).await.unwrap() }
    };
    let mut stale = account.clone();
    stale.user.password_hash = crate::entity::secret::PasswordHash("before".into());
    assert!(!begin(stale).await);
    assert!(begin(account.clone()).await);
    world.disable().await;
    assert!(!begin(account.clone()).await);
    assert_eq!(session::Entity::find().all(db.read()).await.unwrap().len(), 1);
});

::store::on_both!(no_secret_is_printed_or_answered, Migrator, |db: Db| async move {
    let context = Context { setup_token_needed: true, ..context(db) };
    let service = crate::service(context.clone()).await.unwrap();
    assert!(!format!("{service:?}").contains(service.setup_token.as_ref().unwrap().expose_secret()));
    let world = World::start(context).await;
    let made = world.create_admin(NAME, PASSWORD, world.setup_token.as_deref().unwrap()).await.unwrap();
    let request =
        LoginRequest { username: NAME.into(), password: PASSWORD.into(), ..LoginRequest::default() };
    let answer = world.client().login(request).await.unwrap().into_inner();
    let checked = world.check(&world.token(&answer.session_secret).await.unwrap()).await.unwrap();
    let db = world.context.db.read();
    let user = user::Entity::find().one(db).await.unwrap().unwrap();
    let session = session::Entity::find().one(db).await.unwrap().unwrap();
    let key = crate::entity::signing_key::Entity::find().one(db).await.unwrap().unwrap();
    let setup = crate::entity::setup::Entity::find().one(db).await.unwrap().unwrap();
    let printed = format!(
        "{user:?} {:?} {session:?} {key:?} {setup:?} {made:?} {:?} {checked:?} {:?}",
        user::ActiveModel::from(user.clone()),
        answer.user,
        refusal(&world, NAME, "not the password").await,
    );
    let bytes = |bytes: &[u8]| format!("{bytes:?}");
    for secret in [
        PASSWORD,
        "argon2",
        &user.password_hash.0,
        &answer.session_secret,
        &bytes(&session.secret_hash.0),
        &bytes(&key.pkcs8.0),
        &bytes(&setup.salt.0),
    ] {
        assert!(!printed.contains(secret), "{secret} in {printed}");
    }
    world.client().logout(LogoutRequest { session_secret: answer.session_secret }).await.unwrap();
});
