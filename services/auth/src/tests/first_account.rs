use futures::future::join_all;
use kit::Kind;
use proto::auth::v1::GetSetupStateRequest;
use sea_orm::{EntityTrait, PaginatorTrait};

use super::*;
use crate::Migrator;

async fn state(world: &World) -> (bool, bool) {
    let state = world.client().get_setup_state(GetSetupStateRequest {}).await.unwrap().into_inner();
    (state.admin_needed, state.setup_token_needed)
}

::store::on_both!(is_an_admin_and_the_only_one, Migrator, |db: Db| async move {
    let world = World::start(context(db)).await;
    assert_eq!(state(&world).await, (true, false));
    assert_eq!(world.setup_token, None);
    let user = world.create_admin("  Maria ", PASSWORD, "").await.unwrap();
    assert_eq!((user.username.as_str(), user.email.as_str()), ("Maria", "maria@example.com"));
    assert_eq!(user.roles, ["admin"]);
    assert_eq!(user.created_at.unwrap().seconds, 1_800_000_000);
    assert_eq!(state(&world).await, (false, false));
    let again = world.create_admin("Jose", PASSWORD, "").await.unwrap_err();
    assert_eq!((again.kind, again.reason.as_str()), (Kind::FailedPrecondition, "ADMIN_EXISTS"));
    assert_eq!(again.message, "An account already exists. Sign in instead.");
    assert_eq!(
        reason(
            crate::create_admin(&world.context, "Jose", "j@example.com", PASSWORD.to_owned().into()).await
        ),
        "ADMIN_EXISTS"
    );
});

::store::on_both!(sixteen_calls_at_once_make_one, Migrator, |db: Db| async move {
    let world = World::start(context(db)).await;
    let names: Vec<String> = (0..16).map(|n| format!("admin number {n}")).collect();
    let answers = join_all(names.iter().map(|name| world.create_admin(name, PASSWORD, ""))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    for error in answers.into_iter().filter_map(Result::err) {
        assert_eq!(error.reason, "ADMIN_EXISTS");
    }
    assert_eq!(user::Entity::find().count(world.context.db.read()).await.unwrap(), 1);
    assert_eq!(user_role::Entity::find().count(world.context.db.read()).await.unwrap(), 1);
});

::store::on_both!(wants_the_token_that_was_printed, Migrator, |db: Db| async move {
    let wanting = Context { setup_token_needed: true, ..context(db) };
    let world = World::start(wanting.clone()).await;
    assert_eq!(state(&world).await, (true, true));
    let token = world.setup_token.clone().unwrap();
    let other = World::start(wanting.clone()).await;
    assert_eq!(other.setup_token.as_ref(), Some(&token), "every replica prints the same");
    let other_secret =
        kit::config::Auth { service_secret: "another".to_owned().into(), ..wanting.config.clone() };
    let elsewhere = World::start(Context { config: other_secret, ..wanting.clone() }).await;
    assert_ne!(elsewhere.setup_token.as_ref(), Some(&token));
    for wrong in [
        "",
        "x",
        &token[1..],
        &format!("{token}A"),
        &token.to_uppercase(),
        elsewhere.setup_token.as_deref().unwrap(),
    ] {
        let error = world.create_admin("", "", wrong).await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::Forbidden, "SETUP_TOKEN_WRONG"));
        assert_eq!(error.message, "The setup token is wrong. Waybill prints it when it starts.");
        assert_eq!(
            error.fields.keys().collect::<Vec<_>>(),
            ["setupToken"],
            "a stranger must not learn which other fields are wrong"
        );
    }
    assert_eq!(reason(world.create_admin("", "", &token).await), "INVALID_FIELDS");
    world.create_admin(NAME, PASSWORD, &format!(" {token}\n")).await.unwrap();
    assert_eq!(state(&world).await, (false, false));
    assert_eq!(reason(world.create_admin("Jose", PASSWORD, &token).await), "ADMIN_EXISTS");
    assert_eq!(World::start(wanting).await.setup_token, None, "nothing is printed any more");
});

::store::on_both!(tells_what_is_wrong_field_by_field, Migrator, |db: Db| async move {
    let world = World::start(context(db)).await;
    for (name, password, field) in [
        ("", PASSWORD, "username"),
        ("a\0b", PASSWORD, "username"),
        ("Maria", "seven77", "password"),
        ("Maria", "password123", "password"),
        ("mariasantos", "MariaSantos1", "password"),
        ("Maria", &"long ".repeat(26), "password"),
    ] {
        let error = world.create_admin(name, password, "").await.unwrap_err();
        assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "INVALID_FIELDS"));
        assert_eq!(error.fields.keys().collect::<Vec<_>>(), [field]);
    }
    assert_eq!(state(&world).await, (true, false));
});

::store::on_both!(can_be_made_on_the_command_line, Migrator, |db: Db| async move {
    let context = Context { setup_token_needed: true, ..context(db) };
    let user =
        crate::create_admin(&context, NAME, "maria@example.com", PASSWORD.to_owned().into()).await.unwrap();
    assert_eq!(user.roles, ["admin"]);
    let world = World::start(context).await;
    assert!(world.login("maria", PASSWORD).await.is_ok(), "and its password has the full cost");
});

::store::on_both!(demo_data_has_somebody_of_each_role_where_nobody_was, Migrator, |db: Db| async move {
    let world = World::start(context(db.clone())).await;
    crate::seed::require_no_staff(&db).await.unwrap();
    crate::seed::staff(&db, world.context.clock.now()).await.unwrap();
    for (username, role) in crate::seed::STAFF {
        let secret = world.login(username, crate::seed::STAFF_PASSWORD).await.unwrap();
        let principal = world.who(&world.token(&secret).await.unwrap()).await.unwrap();
        let Principal::User { roles, .. } = principal else { panic!("{principal:?}") };
        assert_eq!(roles, [role], "{username}");
    }
    assert_eq!(state(&world).await, (false, false));
    assert_eq!(reason(crate::seed::staff(&db, world.context.clock.now()).await), "ADMIN_EXISTS");
    assert_eq!(reason(crate::seed::require_no_staff(&db).await), "ADMIN_EXISTS");
    assert_eq!(user::Entity::find().count(db.read()).await.unwrap(), 4);
});
