//! Accounts that people create for themselves.

use kit::Kind;
use kit::config::SignUp;
use proto::auth::v1::{GetSignUpPolicyRequest, SignUpPolicy, SignUpRequest, SignUpResponse};
use sea_orm::PaginatorTrait;

use super::*;
use crate::Migrator;

async fn sign_up(
    world: &World,
    username: &str,
    password: &str,
    address: &str,
) -> Result<SignUpResponse, Error> {
    let request = SignUpRequest {
        username: username.into(),
        email: "new@example.com".into(),
        password: password.into(),
        address: address.into(),
    };
    Ok(world.client().sign_up(request).await?.into_inner())
}

async fn policy(world: &World) -> SignUpPolicy {
    world.client().get_sign_up_policy(GetSignUpPolicyRequest {}).await.unwrap().into_inner().policy()
}

async fn open(db: Db) -> World {
    let mut context = context(db);
    context.config.sign_up = SignUp::Pending;
    let world = World::start(context).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    world
}

::store::on_both!(is_off_unless_it_is_switched_on, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    assert_eq!(policy(&world).await, SignUpPolicy::Off);
    for name in ["Ana", ""] {
        let error = sign_up(&world, name, PASSWORD, HOME).await.unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (Kind::InvalidInput, "Signup flow is not enabled"));
        assert!(error.fields.is_empty());
    }
    assert_eq!(user::Entity::find().count(world.context.db.read()).await.unwrap(), 1);
});

::store::on_both!(gives_an_account_without_a_role, Migrator, |db: Db| async move {
    let world = open(db).await;
    assert_eq!(policy(&world).await, SignUpPolicy::Pending);
    sign_up(&world, " Ana ", PASSWORD, HOME).await.unwrap();
    let ana = world.sign_in("ana").await;
    let user = world.check(&world.token(&ana.secret).await.unwrap()).await.unwrap();
    assert_eq!(
        (user.username.as_str(), user.email.as_str(), user.status()),
        ("Ana", "new@example.com", UserStatus::Active)
    );
    assert!(user.roles.is_empty());
    assert_eq!(reason(ana.create("Eve", &["admin"]).await), "ROLE_MISSING");
    let admin = world.sign_in(NAME).await;
    let user = admin.get(&user.id).await;
    admin.set_roles(&user, &["viewer"]).await.unwrap();
    let entry = &world.audit().await[1];
    assert_eq!(
        (entry.action.as_str(), entry.actor.as_str(), entry.address.as_str()),
        ("user.signed_up", "Ana", HOME)
    );
});

::store::on_both!(does_not_tell_whether_a_name_is_taken, Migrator, |db: Db| async move {
    let world = open(db).await;
    let free = sign_up(&world, "Ana", PASSWORD, HOME).await.unwrap();
    let other = "green jeepney at nine";
    for taken in [NAME, "ANA"] {
        assert_eq!(sign_up(&world, taken, other, HOME).await.unwrap(), free);
        assert_eq!(reason(world.login(taken, other).await), "SIGN_IN_FAILED", "and changes nothing");
        world.login(taken, PASSWORD).await.unwrap();
    }
    let user = user::Entity::find().filter(user::Column::UsernameKey.eq("maria"));
    assert_eq!(user.one(world.context.db.read()).await.unwrap().unwrap().email, "maria@example.com");
    assert_eq!(user::Entity::find().count(world.context.db.read()).await.unwrap(), 2);
    // A hash is computed for a taken name, too, so that the duration does not reveal that it is taken.
    let places = world.passwords.fill();
    for name in [NAME, "somebody new"] {
        assert_eq!(reason(sign_up(&world, name, other, HOME).await), "SIGN_IN_BUSY");
    }
    drop(places);
});

::store::on_both!(tells_what_is_wrong_with_the_input, Migrator, |db: Db| async move {
    let world = open(db).await;
    let request = SignUpRequest {
        username: "a\0b".into(),
        email: "x".into(),
        password: "short".into(),
        address: HOME.into(),
    };
    let error = Error::from(world.client().sign_up(request).await.unwrap_err());
    assert_eq!((error.kind, error.reason.as_str()), (Kind::InvalidInput, "INVALID_FIELDS"));
    assert_eq!(error.fields.keys().collect::<Vec<_>>(), ["email", "password", "username"]);
});

::store::on_both!(is_bounded_for_each_address, Migrator, |db: Db| async move {
    let world = open(db).await;
    for at in 0..20 {
        // The sign-up counts, whether the name is taken or free.
        let name = if at % 2 == 0 { NAME.to_owned() } else { format!("Ana {at}") };
        sign_up(&world, &name, PASSWORD, HOME).await.unwrap();
    }
    let refused = sign_up(&world, "Ana", PASSWORD, HOME).await.unwrap_err();
    assert_eq!((refused.kind, refused.reason.as_str()), (Kind::RateLimited, "SIGN_IN_THROTTLED"));
    assert_eq!(refused.message, "Too many attempts. Try again in 60 minutes.");
    assert!(sign_up(&world, "Ana", PASSWORD, "203.0.113.8").await.is_ok());
    assert!(sign_up(&world, "Ben", PASSWORD, "").await.is_ok(), "nor is nowhere without bound");
    world.advance(Duration::hours(1));
    assert!(sign_up(&world, "Cesar", PASSWORD, HOME).await.is_ok());
});

::store::on_both!(over_its_limit_an_address_makes_nobody_hash, Migrator, |db: Db| async move {
    let world = open(db).await;
    for at in 0..20 {
        sign_up(&world, &format!("Ana {at}"), PASSWORD, HOME).await.unwrap();
    }
    let places = world.passwords.fill();
    let refused = sign_up(&world, "Ben", PASSWORD, HOME).await.unwrap_err();
    assert_eq!((refused.kind, refused.reason.as_str()), (Kind::RateLimited, "SIGN_IN_THROTTLED"));
    assert_eq!(refused.message, "Too many attempts. Try again in 60 minutes.");
    assert_eq!(reason(sign_up(&world, "Ben", PASSWORD, "203.0.113.8").await), "SIGN_IN_BUSY");
    drop(places);
});
