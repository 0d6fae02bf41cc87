//! People change their own password, and list and end their own sessions.

use kit::Kind;
use kit::principal::ServiceIdentity;
use proto::auth::v1::{
    ChangeOwnPasswordRequest, EndOtherSessionsRequest, EndSessionRequest, EndUserSessionsRequest,
    ListOwnSessionsRequest, ListUserSessionsRequest, Session,
};

use super::*;
use crate::Migrator;

const NEW: &str = "green jeepney at nine";

async fn change(person: &Person<'_>, current: &str, new: &str) -> Result<EndedSessions, Error> {
    let request = ChangeOwnPasswordRequest { current_password: current.into(), new_password: new.into() };
    Ok(person.client().await.change_own_password(request).await?.into_inner())
}

async fn own(person: &Person<'_>) -> Vec<Session> {
    let answer = person.client().await.list_own_sessions(ListOwnSessionsRequest {}).await.unwrap();
    answer.into_inner().sessions
}

async fn end(person: &Person<'_>, id: &str) -> Result<EndedSessions, Error> {
    let request = EndSessionRequest { session_id: id.into() };
    Ok(person.client().await.end_session(request).await?.into_inner())
}

fn current(sessions: &[Session]) -> String {
    let mut current = sessions.iter().filter(|session| session.is_current);
    let id = current.next().unwrap().id.clone();
    assert!(current.next().is_none());
    id
}

::store::on_both!(a_new_password_ends_every_other_session, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let (here, there) = (world.sign_in(NAME).await, world.sign_in(NAME).await);
    let other = current(&own(&there).await);
    let ended = change(&here, PASSWORD, NEW).await.unwrap();
    assert_eq!(ended.session_ids, [other]);
    assert_eq!(own(&here).await.len(), 1, "the one it was done by stays");
    assert_eq!(reason(world.token(&there.secret).await), "SESSION_OVER");
    assert_eq!(reason(world.login(NAME, PASSWORD).await), "SIGN_IN_FAILED");
    assert!(world.login(NAME, NEW).await.is_ok());
    let entry = world.audit().await.pop().unwrap();
    assert_eq!(
        (entry.action.as_str(), entry.actor.as_str(), entry.address.as_str()),
        ("user.password_changed", NAME, HOME)
    );
    assert_eq!((entry.before_json.as_str(), entry.after_json.as_str()), ("", ""));
});

::store::on_both!(the_new_password_follows_the_rules, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let person = world.sign_in(NAME).await;
    for weak in ["", "short", "password1", "maria2026"] {
        let error = change(&person, PASSWORD, weak).await.unwrap_err();
        assert_eq!(
            (error.kind, error.fields.keys().collect::<Vec<_>>()),
            (Kind::InvalidInput, vec![&"newPassword".to_owned()])
        );
    }
    world.login(NAME, PASSWORD).await.unwrap();
});

// A driver's token gives access to nothing but the drivers' API.
::store::on_both!(a_driver_reaches_none_of_it, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let person = world.sign_in(NAME).await;
    let id = world.driver("DRV-1", "nestor", "active", 1).await;
    let link = person.link(&id).await.unwrap();
    world.redeem(&link.reset_token, "482913").await.unwrap();
    let secret = world.driver_login("nestor", "482913").await.unwrap();
    let driver = Person { world: &world, id, secret };
    assert_eq!(reason(change(&driver, "482913", "907856").await), "ROLE_MISSING");
    let mut client = driver.client().await;
    let listed = client.list_own_sessions(ListOwnSessionsRequest {}).await.unwrap_err();
    assert_eq!(Error::from(listed).reason, "ROLE_MISSING");
    assert_eq!(reason(end(&driver, "x").await), "ROLE_MISSING");
    let others = client.end_other_sessions(EndOtherSessionsRequest {}).await.unwrap_err();
    assert_eq!(Error::from(others).reason, "ROLE_MISSING");
    world.driver_login("nestor", "482913").await.unwrap();
});

::store::on_both!(the_current_password_is_a_guess_that_counts, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let person = world.sign_in(NAME).await;
    for _ in 0..5 {
        let error = change(&person, "not the password", NEW).await.unwrap_err();
        assert_eq!(
            (error.kind, error.fields.keys().collect::<Vec<_>>()),
            (Kind::InvalidInput, vec![&"currentPassword".to_owned()])
        );
    }
    let error = change(&person, PASSWORD, NEW).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::RateLimited, "SIGN_IN_THROTTLED"));
    assert_eq!(reason(world.login(NAME, PASSWORD).await), "SIGN_IN_THROTTLED", "it is one count");
    world.advance(Duration::seconds(1));
    change(&person, PASSWORD, NEW).await.unwrap();
    assert!(change(&person, NEW, PASSWORD).await.is_ok(), "a right one is forgiven");
});

::store::on_both!(of_two_changes_at_once_one_is_made, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let (one, two) = (world.sign_in(NAME).await, world.sign_in(NAME).await);
    // Get both tokens before the race, because the winner's change ends the loser's session.
    let (mut first, mut second) = (one.client().await, two.client().await);
    let request =
        |new: &str| ChangeOwnPasswordRequest { current_password: PASSWORD.into(), new_password: new.into() };
    let (first, second) = tokio::join!(
        first.change_own_password(request(NEW)),
        second.change_own_password(request("yellow bus at noon"))
    );
    assert!(first.is_ok() != second.is_ok());
    let changed = world.audit().await.iter().filter(|entry| entry.action == "user.password_changed").count();
    assert_eq!(changed, 1);
});

::store::on_both!(sessions_are_listed_by_their_use, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let first = world.sign_in(NAME).await;
    world.advance(Duration::minutes(5));
    let second = world.sign_in(NAME).await;
    let listed = own(&first).await;
    assert_eq!(listed.len(), 2);
    assert_eq!(
        listed[0].last_used_at.unwrap().seconds,
        listed[1].last_used_at.unwrap().seconds,
        "a call is a use"
    );
    world.advance(Duration::minutes(5));
    let listed = own(&second).await;
    assert!(listed[0].is_current && !listed[1].is_current);
    assert_eq!((listed[0].address.as_str(), listed[0].user_agent.len()), (HOME, 200));
    assert!(listed[0].created_at.unwrap().seconds > listed[1].created_at.unwrap().seconds);
    assert!(listed.iter().all(|session| session.id != second.secret));
    world.advance(Duration::hours(2) - Duration::minutes(5));
    let third = world.sign_in(NAME).await;
    assert_eq!(own(&third).await.len(), 2, "what is over is not listed");
});

::store::on_both!(everybody_ends_their_own_sessions_only, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.make("Jose", &["viewer"]).await;
    let (admin, jose, again) =
        (world.sign_in(NAME).await, world.sign_in("Jose").await, world.sign_in("Jose").await);
    let (of_admin, of_again) = (current(&own(&admin).await), current(&own(&again).await));
    let before = world.audit().await.len();
    for id in [of_admin.as_str(), &kit::clock::new_id().to_string(), "nonsense", ""] {
        let error = end(&jose, id).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::NotFound, "SESSION_NOT_FOUND"));
    }
    assert_eq!(end(&jose, &of_again).await.unwrap().session_ids, std::slice::from_ref(&of_again));
    assert_eq!(reason(world.token(&again.secret).await), "SESSION_OVER");
    assert_eq!(reason(end(&jose, &of_again).await), "SESSION_NOT_FOUND");
    assert_eq!(world.audit().await.len(), before, "one's own sessions are one's own matter");

    let of_jose = current(&own(&jose).await);
    assert_eq!(end(&admin, &of_jose).await.unwrap().session_ids, std::slice::from_ref(&of_jose));
    assert_eq!(reason(world.token(&jose.secret).await), "SESSION_OVER");
    let entry = world.audit().await.pop().unwrap();
    assert_eq!((entry.action.as_str(), entry.entity.as_str()), ("session.ended", "session"));
    assert_eq!((entry.entity_id, entry.entity_name.as_str()), (of_jose, "Jose"));
    assert_eq!(end(&admin, &of_admin).await.unwrap().session_ids, [of_admin]);
    assert_eq!(world.audit().await.len(), before + 1);
});

::store::on_both!(an_admin_ends_all_sessions_of_somebody, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let made = world.make("Jose", &["viewer"]).await;
    let (jose, again) = (world.sign_in("Jose").await, world.sign_in("Jose").await);
    let admin = world.sign_in(NAME).await;
    let list = ListUserSessionsRequest { user_id: made.id.clone() };
    let listed = admin.client().await.list_user_sessions(list.clone()).await.unwrap().into_inner().sessions;
    assert!(listed.len() == 2 && listed.iter().all(|session| !session.is_current));
    let all = EndUserSessionsRequest { user_id: made.id.clone() };
    let mut ended =
        admin.client().await.end_user_sessions(all.clone()).await.unwrap().into_inner().session_ids;
    let mut ids: Vec<String> = listed.into_iter().map(|session| session.id).collect();
    ended.sort_unstable();
    ids.sort_unstable();
    assert_eq!(ended, ids);
    for person in [&jose, &again] {
        assert_eq!(reason(world.token(&person.secret).await), "SESSION_OVER");
    }
    let entry = world.audit().await.pop().unwrap();
    assert_eq!(
        (entry.action.as_str(), entry.after_json.as_str()),
        ("user.sessions_ended", r#"{"sessions":2}"#)
    );
    let entries = world.audit().await.len();
    let none = admin.client().await.end_user_sessions(all.clone()).await.unwrap().into_inner().session_ids;
    assert!(none.is_empty());
    assert_eq!(world.audit().await.len(), entries, "there was no session to end");
    let jose = world.sign_in("Jose").await;
    let error = Error::from(jose.client().await.list_user_sessions(list).await.unwrap_err());
    assert_eq!(error.reason, "ROLE_MISSING");
    let error = Error::from(jose.client().await.end_user_sessions(all).await.unwrap_err());
    assert_eq!(error.reason, "ROLE_MISSING");
    let nobody = EndUserSessionsRequest { user_id: kit::clock::new_id().to_string() };
    let error = Error::from(admin.client().await.end_user_sessions(nobody).await.unwrap_err());
    assert_eq!(error.reason, "USER_NOT_FOUND");
});

::store::on_both!(a_person_ends_every_session_but_the_one_that_asks, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let made = world.make("Jose", &["dispatcher"]).await;
    let (here, there, elsewhere) =
        (world.sign_in("Jose").await, world.sign_in("Jose").await, world.sign_in("Jose").await);
    let admin = world.sign_in(NAME).await;
    let entries = world.audit().await.len();
    let ended = here.client().await.end_other_sessions(EndOtherSessionsRequest {}).await.unwrap();
    assert_eq!(ended.into_inner().session_ids.len(), 2, "{}", made.id);
    for person in [&there, &elsewhere] {
        assert_eq!(reason(world.token(&person.secret).await), "SESSION_OVER");
    }
    world.token(&here.secret).await.unwrap();
    world.token(&admin.secret).await.unwrap();
    assert_eq!(world.audit().await.len(), entries, "one's own sessions are no act for the record");
    let again = here.client().await.end_other_sessions(EndOtherSessionsRequest {}).await.unwrap();
    assert_eq!(again.into_inner().session_ids, Vec::<String>::new());
});

::store::on_both!(background_work_has_no_account, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let secret = world.context.config.service_secret.clone();
    let identity = ServiceIdentity::new("upload", secret, world.context.clock.clone());
    let mut client = AuthServiceClient::new(world.transport.with_token(identity.token().unwrap().into()));
    let change = ChangeOwnPasswordRequest { current_password: PASSWORD.into(), new_password: NEW.into() };
    let error = Error::from(client.change_own_password(change).await.unwrap_err());
    assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "PEOPLE_ONLY"));
    let error = Error::from(client.list_own_sessions(ListOwnSessionsRequest {}).await.unwrap_err());
    assert_eq!(error.reason, "PEOPLE_ONLY");
    let error = Error::from(client.end_session(EndSessionRequest::default()).await.unwrap_err());
    assert_eq!(error.reason, "PEOPLE_ONLY");
});
