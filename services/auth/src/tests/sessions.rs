use kit::Kind;
use kit::principal::ServiceIdentity;
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait};

use super::*;
use crate::Migrator;
use crate::entity::session;

const SECOND: Duration = Duration::seconds(1);

async fn last_used(world: &World) -> i64 {
    let row = session::Entity::find().one(world.context.db.read()).await.unwrap().unwrap();
    row.last_used_at.timestamp() - 1_800_000_000
}

::store::on_both!(a_token_tells_who_and_checks, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let token = world.token(&secret).await.unwrap();
    let user = world.check(&token).await.unwrap();
    assert_eq!((user.username.as_str(), user.roles.as_slice()), (NAME, ["admin".to_owned()].as_slice()));
    let Principal::User { id, username, roles, session, driver_id } = world.who(&token).await.unwrap() else {
        panic!("a person");
    };
    assert_eq!((id, username, roles), (user.id, NAME.to_owned(), vec![kit::Role::Admin]));
    assert_ne!(session, secret);
    assert_eq!(driver_id, None);
});

::store::on_both!(a_copied_session_is_dead_after_logout, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let token = world.token(&secret).await.unwrap();
    world.logout(&secret).await;
    assert_eq!(reason(world.token(&secret).await), "SESSION_OVER");
    let error = world.check(&token).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::Unauthenticated, "SESSION_OVER"));
    // Already signed out, never signed in, or nonsense: none is an error.
    for secret in [secret.as_str(), "", "never was one", "a\0b"] {
        world.logout(secret).await;
    }
    assert_eq!(session::Entity::find().count(world.context.db.read()).await.unwrap(), 0);
});

::store::on_both!(unknown_secrets_get_no_token, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    for wrong in ["", "x", &secret[1..], &secret.to_uppercase(), &format!("{secret} ")] {
        let error = world.token(wrong).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unauthenticated, "SESSION_OVER"));
    }
});

::store::on_both!(the_idle_limit_is_kept_to_the_second, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    world.advance(Duration::hours(2) - SECOND);
    let token = world.token(&secret).await.unwrap();
    assert!(world.check(&token).await.is_ok());
    world.advance(Duration::hours(2) - SECOND);
    assert!(world.token(&secret).await.is_ok(), "use put the end off");
    world.advance(Duration::hours(2));
    assert_eq!(reason(world.token(&secret).await), "SESSION_OVER");
});

::store::on_both!(idle_ends_what_a_token_may_do, Migrator, |db: Db| async move {
    let mut context = context(db);
    context.config.session_idle_seconds = 120;
    let world = World::start(context).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let token = world.token(&secret).await.unwrap();
    // Checking a session does not count as use, because an open socket checks all the time.
    for _ in 0..119 {
        world.advance(SECOND);
        world.check(&token).await.unwrap();
    }
    world.advance(SECOND);
    assert!(world.who(&token).await.is_ok(), "the token itself would live on");
    assert_eq!(reason(world.check(&token).await), "SESSION_OVER");
});

::store::on_both!(the_absolute_limit_is_kept_to_the_second, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    for _ in 0..11 {
        world.advance(Duration::hours(1));
        world.token(&secret).await.unwrap();
    }
    world.advance(Duration::hours(1) - SECOND);
    let token = world.token(&secret).await.unwrap();
    assert!(world.check(&token).await.is_ok());
    world.advance(SECOND);
    assert_eq!(reason(world.token(&secret).await), "SESSION_OVER");
    assert_eq!(reason(world.check(&token).await), "TOKEN_EXPIRED", "a token ends with its session");
});

::store::on_both!(a_lower_absolute_limit_ends_existing_sessions, Migrator, |db: Db| async move {
    let before = World::with_admin(db).await;
    let secret = before.login(NAME, PASSWORD).await.unwrap();
    let mut context = before.context.clone();
    context.config.session_absolute_seconds = 3_600;
    let world = World::start(context).await;
    world.advance(Duration::hours(1) - SECOND);
    let token = world.token(&secret).await.unwrap();
    assert!(world.check(&token).await.is_ok());
    world.chores().await;
    assert_eq!(session::Entity::find().count(world.context.db.read()).await.unwrap(), 1);
    world.advance(SECOND);
    assert_eq!(reason(world.token(&secret).await), "SESSION_OVER");
    assert_eq!(reason(world.check(&token).await), "TOKEN_EXPIRED", "a token ends with its session");
    world.chores().await;
    assert_eq!(session::Entity::find().count(world.context.db.read()).await.unwrap(), 0);
});

::store::on_both!(use_is_noted_once_a_minute, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    for (step, noted) in [(1, 0), (58, 0), (1, 60), (59, 60), (1, 120)] {
        world.advance(Duration::seconds(step));
        world.token(&secret).await.unwrap();
        assert_eq!(last_used(&world).await, noted);
    }
    let token = world.token(&secret).await.unwrap();
    world.advance(Duration::seconds(120));
    world.check(&token).await.unwrap();
    assert_eq!(last_used(&world).await, 120);
});

/// Makes every update of a session fail, as on a full disk.
async fn fill_the_disk(db: &Db) {
    let statements: [&str; 3] = match db.is_postgres() {
        true => [
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$",
            "CREATE TRIGGER no_room BEFORE UPDATE ON session FOR EACH ROW EXECUTE FUNCTION no_room()",
            "SELECT 1",
        ],
        false => [
            "CREATE TABLE ballast (bytes BLOB)",
            "CREATE TRIGGER no_room BEFORE UPDATE ON session \
             BEGIN INSERT INTO ballast VALUES (zeroblob(1000000)); END",
            // The database stays as large as it is.
            "PRAGMA max_page_count = 1",
        ],
    };
    let tx = db.begin().await.unwrap();
    for statement in statements {
        tx.execute_unprepared(statement).await.unwrap();
    }
    tx.commit().await.unwrap();
}

::store::on_both!(who_is_signed_in_gets_tokens_on_a_full_disk, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    fill_the_disk(&world.context.db).await;
    world.advance(Duration::seconds(60));
    let token = world.token(&secret).await.unwrap();
    world.check(&token).await.unwrap();
    assert_eq!(last_used(&world).await, 0, "its use could not be noted");
});

::store::on_both!(an_open_page_that_nobody_uses_keeps_no_session, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    world.advance(Duration::minutes(5));
    world.token(&secret).await.unwrap();
    for _ in 0..23 {
        world.advance(Duration::minutes(5));
        let token = world.background_token(&secret).await.unwrap();
        assert!(world.check(&token).await.is_ok());
    }
    assert_eq!(last_used(&world).await, 300);
    world.advance(Duration::minutes(5));
    assert_eq!(reason(world.background_token(&secret).await), "SESSION_OVER");
});

::store::on_both!(a_disabled_account_is_out_at_once, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let token = world.token(&secret).await.unwrap();
    world.disable().await;
    assert_eq!(reason(world.check(&token).await), "SESSION_OVER");
    assert_eq!(reason(world.token(&secret).await), "SESSION_OVER");
});

::store::on_both!(changed_roles_ask_for_a_fresh_token, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let token = world.token(&secret).await.unwrap();
    for (from, to) in
        [("admin", "dispatcher"), ("dispatcher", "transport_planner"), ("transport_planner", "viewer")]
    {
        world.change_role(from, to).await;
        let error = world.check(&token).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Unauthenticated, "ROLES_CHANGED"));
        let fresh = world.token(&secret).await.unwrap();
        assert_eq!(world.check(&fresh).await.unwrap().roles, [to]);
    }
    // A role that only a newer program knows gives no permissions here, but does not prevent signing in.
    world.change_role("viewer", "astronaut").await;
    let fresh = world.token(&secret).await.unwrap();
    assert!(world.check(&fresh).await.unwrap().roles.is_empty());
});

::store::on_both!(only_people_have_sessions, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let identity = ServiceIdentity::new(
        "upload",
        world.context.config.service_secret.clone(),
        world.context.clock.clone(),
    );
    let error = world.check(&identity.token().unwrap()).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "PEOPLE_ONLY"));
    let missing = world.client().check_session(CheckSessionRequest::default()).await.unwrap_err();
    assert_eq!(Error::from(missing).reason, "TOKEN_MISSING");
});

::store::on_both!(the_gateway_may_ask_about_any_session, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let Principal::User { id, session, .. } = world.who(&world.token(&secret).await.unwrap()).await.unwrap()
    else {
        panic!("a person");
    };
    let ask = async |service: &'static str, session: &str| {
        let secret = world.context.config.service_secret.clone();
        let identity = ServiceIdentity::new(service, secret, world.context.clock.clone());
        let token = identity.token().unwrap();
        let mut client = AuthServiceClient::new(world.transport.with_token(token.into()));
        let answer = client.check_session(CheckSessionRequest { session_id: session.to_owned() }).await;
        answer.map(|it| it.into_inner().user.unwrap().id).map_err(Error::from)
    };
    assert_eq!(ask("gateway", &session).await.unwrap(), id);
    world.advance(Duration::seconds(301));
    assert_eq!(ask("gateway", &session).await.unwrap(), id, "its token has expired");
    assert_eq!(reason(ask("upload", &session).await), "PEOPLE_ONLY");
    for unknown in [id.as_str(), "nonsense", ""] {
        assert_eq!(reason(ask("gateway", unknown).await), "SESSION_OVER");
    }
    world.logout(&secret).await;
    assert_eq!(reason(ask("gateway", &session).await), "SESSION_OVER");
});

::store::on_both!(a_token_for_another_user_or_no_session_is_refused, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let Principal::User { id, session, .. } = world.who(&world.token(&secret).await.unwrap()).await.unwrap()
    else {
        panic!("a person");
    };
    let key = crate::entity::signing_key::Entity::find().one(world.context.db.read()).await.unwrap().unwrap();
    let now = world.context.clock.now().timestamp();
    let sign = |sub: &str, sid: &str| {
        kit::principal::sign_access(
            &key.id,
            &key.pkcs8.0,
            sub,
            NAME,
            vec![kit::Role::Admin],
            None,
            sid,
            now,
            now + 60,
        )
        .unwrap()
    };
    assert!(world.check(&sign(&id, &session)).await.is_ok());
    for (sub, sid) in [("someone", session.as_str()), (&id, &id), (&id, "nonsense"), (&id, "")] {
        assert_eq!(reason(world.check(&sign(sub, sid)).await), "SESSION_OVER");
    }
});

::store::on_both!(sessions_that_are_over_are_deleted, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let old = world.login(NAME, PASSWORD).await.unwrap();
    world.advance(Duration::hours(1));
    let used = world.login(NAME, PASSWORD).await.unwrap();
    world.advance(Duration::hours(1) - SECOND);
    world.chores().await;
    assert_eq!(session::Entity::find().count(world.context.db.read()).await.unwrap(), 2);
    world.advance(SECOND);
    world.chores().await;
    assert_eq!(session::Entity::find().count(world.context.db.read()).await.unwrap(), 1);
    assert_eq!(reason(world.token(&old).await), "SESSION_OVER");
    assert!(world.token(&used).await.is_ok());
});
