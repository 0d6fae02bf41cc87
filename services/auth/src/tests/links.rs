//! Reset links: requested by mail, handed over and redeemed.

use futures::future::join_all;
use kit::Kind;
use proto::auth::v1::SecretKind;
use proto::events::envelope::Payload;
use proto::events::{Envelope, SettingChanged};
use sea_orm::PaginatorTrait;

use super::*;
use crate::Migrator;
use crate::entity::{reset_token, session};

const NEW: &str = "green jeepney at nine";
const SECOND: Duration = Duration::seconds(1);

async fn with_mails(db: Db) -> (World, Mails) {
    let mails = Mails::new();
    let world = World::start(Context { mailing: Mailing::to_folder(mails.path()), ..context(db) }).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    (world, mails)
}

/// Returns the token of a link that an admin makes for the account.
pub(super) async fn link(world: &World, id: &str) -> String {
    world.sign_in(NAME).await.link(id).await.unwrap().reset_token
}

pub(super) fn told(error: &Error) -> (Kind, &str, &str) {
    (error.kind, error.reason.as_str(), error.message.as_str())
}

::store::on_both!(a_forgotten_password_is_replaced_by_mail, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    let person = world.sign_in(NAME).await;
    let other = world.sign_in(NAME).await;
    world.forgot(" mARIA ", HOME).await;
    let mail = mails.all().remove(0);
    for part in [
        "To: maria@example.com",
        "From: Waybill <no-reply@waybill.example>",
        "Subject: Choose a new password for Isla Trading",
        "Auto-Submitted: auto-generated",
        "Hello Maria,",
        "works once, within 10 minutes",
    ] {
        assert!(mail.contains(part), "{part} in {mail}");
    }
    let token = token_in(&mail);
    assert_eq!(token.len(), 43, "256 bits");
    for _ in 0..3 {
        assert_eq!(
            world.kind_of_link(&token).await.unwrap(),
            SecretKind::Password as i32,
            "a look uses nothing up"
        );
    }
    assert!(world.login(NAME, PASSWORD).await.is_ok(), "nothing has changed yet");
    let ended = world.redeem(&token, NEW).await.unwrap().session_ids;
    assert_eq!(ended.len(), 3);
    for secret in [&person.secret, &other.secret] {
        assert_eq!(reason(world.token(secret).await), "SESSION_OVER");
    }
    assert_eq!(
        session::Entity::find().count(world.context.db.read()).await.unwrap(),
        0,
        "and nobody is signed in"
    );
    assert_eq!(reason(world.login(NAME, PASSWORD).await), "SIGN_IN_FAILED");
    world.login(NAME, NEW).await.unwrap();
    let again = world.redeem(&token, "another one at ten").await.unwrap_err();
    assert_eq!(told(&again), (Kind::InvalidInput, "RESET_TOKEN_INVALID", "resetToken is invalid"));
    assert_eq!(reason(world.kind_of_link(&token).await), "RESET_TOKEN_INVALID");
    world.work().await;
    let news = mails.all().remove(1);
    assert!(news.contains("Subject: Your password for Isla Trading was changed"), "{news}");
    assert!(!news.contains("resetToken"));
    let audit = world.audit().await;
    let last = audit.last().unwrap();
    assert_eq!(
        (last.action.as_str(), last.actor.as_str(), last.address.as_str()),
        ("user.password_reset", "Maria", HOME)
    );
    assert_eq!(audit.len(), 2, "asking is no act of privilege");
});

::store::on_both!(mails_name_the_organization_of_the_settings, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    let name = SettingChanged {
        id: "organization-name".into(),
        r#type: "text".into(),
        value: "Habagat Logistics".into(),
    };
    let event = Envelope {
        id: kit::clock::new_id().to_string(),
        subject: "waybill.settings.setting.changed.v1".into(),
        aggregate_id: name.id.clone(),
        aggregate_version: 2,
        payload: Some(Payload::SettingChanged(name)),
        ..Envelope::default()
    };
    let consumers = crate::events::consumers(&world.context);
    consumers.iter().find(|it| it.name == "auth-settings").unwrap().handler.handle(&event).await.unwrap();
    world.forgot(NAME, HOME).await;
    let mail = mails.all().remove(0);
    assert!(mail.contains("Subject: Choose a new password for Habagat Logistics"), "{mail}");
    assert!(!mail.contains("Isla Trading"), "{mail}");
});

::store::on_both!(no_mail_goes_to_who_must_not_have_one, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    world.make("Jose", &["viewer"]).await;
    let admin = world.sign_in(NAME).await;
    let gone = world.make("Gone", &["viewer"]).await;
    admin.set_status(&gone, UserStatus::Disabled).await.unwrap();
    world.driver("DRV-1", "nestor", "active", 1).await;
    world.work().await;
    let before = mails.all().len();
    for name in ["nobody", "Gone", "nestor", "no\0body", &"n".repeat(5000), "Jose"] {
        world.forgot(name, HOME).await;
    }
    let new = mails.all().split_off(before);
    assert_eq!(new.len(), 1);
    assert!(new[0].contains("To: jose@example.com"));
    let blank = RequestPasswordResetRequest { username: "  ".into(), address: String::new() };
    let error = Error::from(world.client().request_password_reset(blank).await.unwrap_err());
    assert_eq!(told(&error), (Kind::InvalidInput, "INVALID_FIELDS", "Username is required"));
});

::store::on_both!(mails_are_few, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    for name in ["Jose", "Last"] {
        world.make(name, &["viewer"]).await;
    }
    world.work().await;
    let before = mails.all().len();
    // Each request comes from another network, so that only the account is counted.
    let mut network = 0;
    let mut ask = async |times: usize| {
        for _ in 0..times {
            network += 1;
            world.forgot("Jose", &format!("198.51.100.{network}")).await;
        }
    };
    ask(3).await;
    world.advance(Duration::seconds(59));
    ask(1).await;
    for _ in 0..8 {
        world.advance(SECOND);
        ask(1).await;
        world.advance(Duration::seconds(59));
    }
    world.forgot("Last", "198.51.101.1").await;
    let all = mails.all();
    let to = |name: &str| all[before..].iter().filter(|mail| mail.contains(&format!("To: {name}@"))).count();
    assert_eq!((to("jose"), to("last")), (5, 1), "one a minute, five an hour");
    world.advance(Duration::hours(1));
    ask(1).await;
    assert_eq!(mails.all().len(), before + 7);
});

::store::on_both!(mails_for_one_address_are_few, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    let admin = world.sign_in(NAME).await;
    for at in 0..22 {
        admin.create(&format!("user{at}"), &[]).await.unwrap();
        world.forgot(&format!("user{at}"), "2001:db8::1").await;
    }
    world.forgot("user20", "2001:db8:0:1::1").await;
    let all = mails.all();
    assert_eq!(all.len(), 21);
    assert!(all.iter().all(|mail| !mail.contains("To: user21@")));
    assert!(all[20].contains("To: user20@"), "it was the address that had enough");
});

::store::on_both!(a_mail_that_reaches_nobody_replaces_no_link, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    let made = world.make("Jose", &["viewer"]).await;
    world.work().await;
    let before = mails.all().len();
    let token = link(&world, &made.id).await;
    // Also in the last minutes of the link.
    for _ in 0..2 {
        world.forgot("Jose", HOME).await;
        assert_eq!(mails.all().len(), before);
        assert!(world.kind_of_link(&token).await.is_ok());
        world.advance(Duration::hours(24) - Duration::minutes(5));
    }
    world.forgot("Jose", HOME).await;
    assert!(world.kind_of_link(&token_in(mails.all().last().unwrap())).await.is_ok(), "the link has expired");
});

::store::on_both!(a_link_ends_to_the_second, Migrator, |db: Db| async move {
    let (world, mails) = with_mails(db).await;
    world.forgot(NAME, HOME).await;
    let token = token_in(&mails.all()[0]);
    world.advance(Duration::seconds(600) - SECOND);
    assert!(world.kind_of_link(&token).await.is_ok());
    world.advance(SECOND);
    for error in [world.kind_of_link(&token).await.unwrap_err(), world.redeem(&token, NEW).await.unwrap_err()]
    {
        assert_eq!(told(&error), (Kind::InvalidInput, "RESET_TOKEN_EXPIRED", "resetToken is expired"));
        assert_eq!(error.fields["resetToken"], ["resetToken is expired"]);
    }
    world.login(NAME, PASSWORD).await.unwrap();
    // Links that a person creates live longer than mailed ones.
    let made = world.make("Jose", &["viewer"]).await;
    let token = link(&world, &made.id).await;
    world.advance(Duration::hours(24) - SECOND);
    assert!(world.kind_of_link(&token).await.is_ok());
    world.advance(SECOND);
    assert_eq!(reason(world.redeem(&token, NEW).await), "RESET_TOKEN_EXPIRED");
    world.advance(Duration::hours(24));
    world.chores().await;
    assert_eq!(reset_token::Entity::find().count(world.context.db.read()).await.unwrap(), 0);
});

::store::on_both!(texts_that_are_no_token, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let made = world.make("Jose", &[]).await;
    let token = link(&world, &made.id).await;
    for wrong in ["x", &token[1..], &token.to_uppercase(), &format!("{token} "), "a\0b", &"t".repeat(5000)] {
        let error = world.redeem(wrong, NEW).await.unwrap_err();
        assert_eq!(told(&error), (Kind::InvalidInput, "RESET_TOKEN_INVALID", "resetToken is invalid"));
        assert_eq!(reason(world.kind_of_link(wrong).await), "RESET_TOKEN_INVALID");
    }
    for error in [world.redeem("", NEW).await.unwrap_err(), world.kind_of_link("").await.unwrap_err()] {
        assert_eq!(told(&error), (Kind::InvalidInput, "RESET_TOKEN_REQUIRED", "resetToken is required"));
    }
    assert!(world.redeem(&token, NEW).await.is_ok());
});

::store::on_both!(a_link_makes_nobody_hash_without_need, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let made = world.make("Jose", &[]).await;
    let token = link(&world, &made.id).await;
    let places = world.passwords.fill();
    assert_eq!(reason(world.redeem("not one", NEW).await), "RESET_TOKEN_INVALID");
    for (weak, text) in [
        ("short", "Password must have 8 to 128 characters"),
        ("password1", "This password is too common. Choose another one"),
        ("jose2026", "This password is too common. Choose another one"),
    ] {
        let error = world.redeem(&token, weak).await.unwrap_err();
        assert_eq!(told(&error), (Kind::InvalidInput, "INVALID_FIELDS", text));
        assert_eq!(error.fields["password"], [text]);
    }
    assert_eq!(reason(world.redeem(&token, NEW).await), "SIGN_IN_BUSY");
    drop(places);
    assert!(world.redeem(&token, NEW).await.is_ok(), "the link stayed good");
});

::store::on_both!(of_sixty_four_at_once_one_wins, Migrator, |db: Db| async move {
    let mut context = context(db);
    context.config.hash_queue = 100;
    let world = World::start(context).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    let made = world.make("Jose", &["viewer"]).await;
    let token = link(&world, &made.id).await;
    let passwords: Vec<String> = (0..64).map(|at| format!("green jeepney number {at}")).collect();
    let answers = join_all(passwords.iter().map(|password| world.redeem(&token, password))).await;
    let won: Vec<usize> = (0..64).filter(|at| answers[*at].is_ok()).collect();
    assert_eq!(won.len(), 1);
    for error in answers.into_iter().filter_map(Result::err) {
        assert_eq!(error.reason, "RESET_TOKEN_INVALID");
    }
    world.login("Jose", &passwords[won[0]]).await.unwrap();
    let resets = world.audit().await.into_iter().filter(|entry| entry.action == "user.password_reset");
    assert_eq!(resets.count(), 2, "the first password, and this one");
});

::store::on_both!(what_makes_a_link_worthless, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let made = world.make("Jose", &["viewer"]).await;
    let dead = async |token: &str| {
        assert_eq!(reason(world.kind_of_link(token).await), "RESET_TOKEN_INVALID");
        assert_eq!(reason(world.redeem(token, NEW).await), "RESET_TOKEN_INVALID");
    };

    let (older, newer) = (link(&world, &made.id).await, link(&world, &made.id).await);
    dead(&older).await;
    assert!(world.kind_of_link(&newer).await.is_ok());

    let person = world.sign_in("Jose").await;
    let change = proto::auth::v1::ChangeOwnPasswordRequest {
        current_password: PASSWORD.into(),
        new_password: NEW.into(),
    };
    person.client().await.change_own_password(change).await.unwrap();
    dead(&newer).await;

    let third = link(&world, &made.id).await;
    let off = admin.set_status(&admin.get(&made.id).await, UserStatus::Disabled).await.unwrap().user.unwrap();
    dead(&third).await;
    assert_eq!(reason(admin.link(&made.id).await), "ACCOUNT_DISABLED");
    admin.set_status(&off, UserStatus::Active).await.unwrap();
    dead(&third).await;

    let fourth = link(&world, &made.id).await;
    let user = admin.get(&made.id).await;
    let mut update = proto::auth::v1::UpdateUserRequest {
        id: user.id,
        version: user.version,
        display_name: "Jose the second".into(),
        email: user.email,
    };
    let user = admin.client().await.update_user(update.clone()).await.unwrap().into_inner();
    assert!(world.kind_of_link(&fourth).await.is_ok());
    update.version = user.version;
    update.email = "elsewhere@example.com".into();
    admin.client().await.update_user(update).await.unwrap();
    dead(&fourth).await;
});

::store::on_both!(a_new_password_forgives_wrong_ones, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let made = world.make("Jose", &["viewer"]).await;
    world.login("Jose", PASSWORD).await.unwrap();
    for address in [HOME, "198.51.100.1"] {
        for _ in 0..6 {
            world.login_from("Jose", "not the password", address).await.unwrap_err();
        }
        assert_eq!(reason(world.login_from("Jose", PASSWORD, address).await), "SIGN_IN_THROTTLED");
    }
    world.redeem(&link(&world, &made.id).await, NEW).await.unwrap();
    for address in [HOME, "198.51.100.1"] {
        assert!(world.login_from("Jose", NEW, address).await.is_ok());
    }
});

::store::on_both!(an_invitation_becomes_an_account, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let user = admin.create("Jose", &["dispatcher"]).await.unwrap();
    assert_eq!(user.status(), UserStatus::Invited);
    for password in [PASSWORD, "x"] {
        assert_eq!(reason(world.login("Jose", password).await), "SIGN_IN_FAILED");
    }
    let made = admin.link(&user.id).await.unwrap();
    assert_eq!((made.kind(), made.mailed_to.as_str()), (SecretKind::Password, ""));
    let until = world.context.clock.now() + Duration::hours(24);
    assert_eq!(proto::instant(made.expires_at.unwrap()).unwrap(), until);
    world.redeem(&made.reset_token, PASSWORD).await.unwrap();
    assert_eq!(admin.get(&user.id).await.status(), UserStatus::Active);
    world.login("Jose", PASSWORD).await.unwrap();
    let entry = world.audit().await.pop().unwrap();
    assert_eq!(entry.after_json, r#"{"status":"active"}"#);
});

::store::on_both!(only_the_digest_of_a_token_is_kept, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let made = world.make("Jose", &[]).await;
    let token = link(&world, &made.id).await;
    let row = reset_token::Entity::find().one(world.context.db.read()).await.unwrap().unwrap();
    assert_eq!(row.token_hash.0.len(), 32);
    assert_ne!(row.token_hash.0, token.as_bytes());
    assert!(!format!("{row:?}").contains(&format!("{:?}", row.token_hash.0)));
    let audit = format!("{:?}", world.audit().await);
    assert!(!audit.contains(&token) && !audit.contains(PASSWORD) && !audit.contains("argon2"));
});

::store::on_both!(the_tasks_mail_by_themselves, Migrator, |db: Db| async move {
    let mails = Mails::new();
    let world = World::start(Context { mailing: Mailing::to_folder(mails.path()), ..context(db) }).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    let service = assemble(world.context.clone(), world.passwords.clone()).await.unwrap().into_service();
    let routes = mount(service.routes.clone(), world.verifier.clone(), std::time::Duration::from_secs(10));
    let mut client = AuthServiceClient::new(Transport::InProcess(routes).anonymous());
    let stop = tokio_util::sync::CancellationToken::new();
    let running = tokio::spawn(run_tasks(service, stop.clone()));
    let asked = RequestPasswordResetRequest { username: NAME.into(), address: HOME.into() };
    client.request_password_reset(asked).await.unwrap();
    until(|| mails.all().len() == 1).await;
    assert!(world.kind_of_link(&token_in(&mails.all()[0])).await.is_ok());
    stop.cancel();
    running.await.unwrap();
});

::store::on_both!(a_full_queue_is_answered_alike, Migrator, |db: Db| async move {
    let mails = Mails::new();
    let world = World::start(Context { mailing: Mailing::to_folder(mails.path()), ..context(db) }).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    // No worker runs, so the queue fills up.
    for at in 0..1_100 {
        let username = if at % 2 == 0 { NAME.to_owned() } else { format!("nobody {at}") };
        let asked = RequestPasswordResetRequest { username, address: HOME.into() };
        world.client().request_password_reset(asked).await.unwrap();
    }
    world.work().await;
    assert_eq!(mails.all().len(), 1);
});

::store::on_both!(a_link_is_mailed_where_there_is_a_server, Migrator, |db: Db| async move {
    let server = crate::mail::tests::Server::start(&[]).await;
    let world = World::start(Context { mailing: Mailing::to_server(&server.url), ..context(db) }).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    let admin = world.sign_in(NAME).await;
    let user = admin.create("Jose", &["viewer"]).await.unwrap();
    let made = admin.link(&user.id).await.unwrap();
    assert_eq!((made.reset_token.as_str(), made.mailed_to.as_str()), ("", "jose@example.com"));
    world.work().await;
    let mail = server.mails().remove(0);
    for part in ["Subject: Your account at Isla Trading", "Your username is Jose.", "within 24 hours"] {
        assert!(mail.contains(part), "{part} in {mail}");
    }
    world.redeem(&token_in(&mail), PASSWORD).await.unwrap();
    admin.link(&user.id).await.unwrap();
    world.work().await;
    let mails = server.mails();
    assert_eq!(mails.len(), 3);
    assert!(mails[1].contains("was changed") && mails[2].contains("An administrator of Isla Trading"));
    assert_eq!(
        world.audit().await.last().unwrap().after_json,
        r#"{"expiresAt":"2027-01-16T08:00:00+00:00","mailed":true}"#
    );
    // A driver has no email address, so the link is handed over.
    let driver = world.driver("DRV-1", "nestor", "active", 1).await;
    assert!(!admin.link(&driver).await.unwrap().reset_token.is_empty());
    // So is the link for an address that some mail servers cannot send to.
    let user = admin.create("Ñ", &["viewer"]).await.unwrap();
    assert_eq!(user.email, "ñ@example.com");
    let made = admin.link(&user.id).await.unwrap();
    assert_eq!((made.reset_token.is_empty(), made.mailed_to.as_str(), made.mail_failed), (false, "", true));
});

::store::on_both!(a_link_is_handed_over_while_the_mail_server_is_away, Migrator, |db: Db| async move {
    // Bound, so that nobody else gets the port, but not listening.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("smtp://{}", socket.local_addr().unwrap());
    let world = World::start(Context { mailing: Mailing::to_server(&url), ..context(db) }).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    let admin = world.sign_in(NAME).await;
    let user = admin.create("Jose", &["viewer"]).await.unwrap();
    let made = admin.link(&user.id).await.unwrap();
    assert_eq!((made.mailed_to.as_str(), made.mail_failed), ("", true));
    let entry = world.audit().await.pop().unwrap();
    assert_eq!(entry.after_json, r#"{"expiresAt":"2027-01-16T08:00:00+00:00","mailed":false}"#);
    world.redeem(&made.reset_token, PASSWORD).await.unwrap();
    // A driver has no email address, so nothing failed.
    let driver = world.driver("DRV-1", "nestor", "active", 1).await;
    assert!(!admin.link(&driver).await.unwrap().mail_failed);
});
