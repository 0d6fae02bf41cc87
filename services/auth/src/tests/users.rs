//! Accounts of the office, as an admin manages them.

use kit::Kind;
use proto::auth::v1::{
    CheckDriverUsernameRequest, ListDriverAccountsRequest, ListDriverAccountsResponse, ListUsersRequest,
    ListUsersResponse, UpdateUserRequest,
};
use proto::common::v1::{CountRequest, Filter, Page, Sort, SortDirection};

use super::*;
use crate::Migrator;

fn only(key: &str, operator: &str, values: &[&str]) -> Page {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    let filter = Filter { key: key.into(), operator: operator.into(), values };
    Page { r#where: vec![filter], ..Page::default() }
}

fn sorted(key: &str, direction: SortDirection) -> Page {
    Page { sort: vec![Sort { key: key.into(), direction: direction.into() }], ..Page::default() }
}

async fn list(person: &Person<'_>, page: Page) -> ListUsersResponse {
    person.client().await.list_users(ListUsersRequest { page: Some(page) }).await.unwrap().into_inner()
}

async fn names(person: &Person<'_>, page: Page) -> Vec<String> {
    let filters = CountRequest { r#where: page.r#where.clone() };
    let names: Vec<String> = list(person, page).await.users.into_iter().map(|user| user.username).collect();
    let count = person.client().await.count_users(filters).await.unwrap().into_inner();
    assert_eq!((count.total, count.exact), (names.len() as u64, true));
    names
}

async fn rename(person: &Person<'_>, user: &User, display_name: &str, email: &str) -> Result<User, Error> {
    let request = UpdateUserRequest {
        id: user.id.clone(),
        version: user.version,
        display_name: display_name.into(),
        email: email.into(),
    };
    Ok(person.client().await.update_user(request).await?.into_inner())
}

fn refused(error: &Error) -> (Kind, &str, Vec<&str>) {
    (error.kind, error.reason.as_str(), error.fields.keys().map(String::as_str).collect())
}

::store::on_both!(an_account_is_made_without_a_password, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let user = admin.create(" Ana  Cruz ", &["viewer", "dispatcher", "viewer"]).await.unwrap();
    assert_eq!(
        (user.username.as_str(), user.display_name.as_str()),
        ("Ana  Cruz", " Ana  Cruz  of the office".trim())
    );
    assert_eq!(user.roles, ["dispatcher", "viewer"]);
    assert_eq!((user.status(), user.version, user.driver_id.as_str()), (UserStatus::Invited, 1, ""));
    assert_eq!((user.created_by.as_str(), user.updated_by.as_str(), user.last_login_at), (NAME, NAME, None));
    assert_eq!(admin.get(&user.id).await, user);
    for id in ["", "nonsense", &kit::clock::new_id().to_string()] {
        let request = GetUserRequest { id: id.into() };
        let error = Error::from(admin.client().await.get_user(request).await.unwrap_err());
        assert_eq!(refused(&error), (Kind::NotFound, "USER_NOT_FOUND", vec![]));
    }
});

::store::on_both!(what_is_wrong_with_an_account_is_told_by_field, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let error = admin.create("maria", &[]).await.unwrap_err();
    assert_eq!(refused(&error), (Kind::AlreadyExists, "USERNAME_TAKEN", vec!["username"]));
    world.driver("DRV-1", "nestor", "active", 1).await;
    assert_eq!(reason(admin.create("Nestor", &[]).await), "USERNAME_TAKEN");
    for wrong in ["driver", "root", "Admin", ""] {
        let error = admin.create("Ana", &["viewer", wrong]).await.unwrap_err();
        assert_eq!(refused(&error), (Kind::InvalidInput, "INVALID_FIELDS", vec!["roles"]));
        assert_eq!(error.message, "Roles must be among admin, transport_planner, dispatcher, viewer");
    }
    let nonsense = CreateUserRequest {
        username: "a\0b".into(),
        display_name: "n".repeat(101),
        email: "somewhere".into(),
        roles: vec!["driver".into()],
    };
    let error = Error::from(admin.client().await.create_user(nonsense).await.unwrap_err());
    assert_eq!(refused(&error).2, ["displayName", "email", "roles", "username"]);
    assert_eq!(world.audit().await.len(), 2, "the admin and the driver");
});

::store::on_both!(lists_are_filtered_sorted_and_paged, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for (name, roles) in [
        ("ana", vec!["dispatcher", "viewer"]),
        ("Ben", vec!["transport_planner"]),
        ("ñora", vec![]),
        ("Cesar", vec!["admin"]),
    ] {
        world.advance(Duration::seconds(10));
        world.make(name, &roles).await;
    }
    world.driver("DRV-1", "nestor", "active", 1).await;
    let admin = world.sign_in(NAME).await;
    let invited = admin.create("Dora", &["viewer"]).await.unwrap();
    assert_eq!(
        names(&admin, Page::default()).await,
        ["ana", "Ben", "Cesar", "Dora", "Maria", "ñora"],
        "by name, no drivers"
    );
    for (key, operator, values, found) in [
        ("username", "contains", vec!["OR"], vec!["Dora", "ñora"]),
        ("username", "startsWith", vec!["Ñ"], vec!["ñora"]),
        ("displayName", "equals", vec!["BEN of the office"], vec!["Ben"]),
        ("email", "contains", vec!["@EXAMPLE"], vec!["ana", "Ben", "Cesar", "Dora", "Maria", "ñora"]),
        ("email", "startsWith", vec!["ana@", "ben@"], vec!["ana", "Ben"]),
        ("role", "equals", vec!["viewer"], vec!["ana", "Dora"]),
        ("role", "equals", vec!["viewer", "admin"], vec!["ana", "Cesar", "Dora", "Maria"]),
        ("role", "!equals", vec!["viewer"], vec!["Ben", "Cesar", "Maria", "ñora"]),
        ("role", "contains", vec!["plan"], vec!["Ben"]),
        ("status", "equals", vec!["invited"], vec!["Dora"]),
        ("status", "!equals", vec!["invited"], vec!["ana", "Ben", "Cesar", "Maria", "ñora"]),
        ("lastLoginAt", "inDateRange", vec!["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"], vec!["Maria"]),
        (
            "createdAt",
            "inDateRange",
            vec!["2027-01-15T08:00:10Z", "2027-01-15T08:00:30Z"],
            vec!["ana", "Ben"],
        ),
    ] {
        assert_eq!(names(&admin, only(key, operator, &values)).await, found, "{key} {operator} {values:?}");
    }
    assert_eq!(names(&admin, sorted("username", SortDirection::Desc)).await[0], "ñora");
    assert_eq!(names(&admin, sorted("createdAt", SortDirection::Desc)).await[0], "Dora");
    assert_eq!(names(&admin, sorted("role", SortDirection::Asc)).await[0], "ñora", "no role comes first");
    let two = Page { limit: 2, offset: 1, ..Page::default() };
    let listed = list(&admin, two).await;
    assert!(listed.more);
    assert_eq!(listed.users[0].username, "Ben");
    assert_eq!(listed.users[0].roles, ["transport_planner"]);
    assert_eq!(list(&admin, only("status", "equals", &["invited"])).await.users[0], invited);
    for key in ["password_hash", "driverId", "id"] {
        let request = ListUsersRequest { page: Some(only(key, "contains", &["a"])) };
        let error = Error::from(admin.client().await.list_users(request).await.unwrap_err());
        assert_eq!(error.reason, "FIELD_UNKNOWN");
    }
});

::store::on_both!(drivers_have_a_list_of_their_own, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for (id, name) in [("DRV-2", "berto"), ("DRV-1", "Nestor"), ("drv-3", "carding")] {
        world.driver(id, name, if id == "DRV-2" { "blocked" } else { "active" }, 1).await;
    }
    world.make("Dina", &["dispatcher"]).await;
    world.make("Vera", &["viewer"]).await;
    let dina = world.sign_in("Dina").await;
    let list = async |page: Page| -> ListDriverAccountsResponse {
        let request = ListDriverAccountsRequest { page: Some(page) };
        dina.client().await.list_driver_accounts(request).await.unwrap().into_inner()
    };
    let all = list(Page::default()).await.driver_accounts;
    let shown: Vec<_> =
        all.iter().map(|it| (it.username.as_str(), it.driver_id.as_str(), it.status())).collect();
    assert_eq!(
        shown,
        [
            ("berto", "DRV-2", UserStatus::Disabled),
            ("carding", "drv-3", UserStatus::Invited),
            ("Nestor", "DRV-1", UserStatus::Invited)
        ]
    );
    assert_eq!(all[2].display_name, "Nestor who drives");
    for (key, operator, value, count) in [
        ("driverId", "startsWith", "DRV", 3),
        ("driverId", "equals", "DRV-3", 1),
        ("username", "contains", "ER", 1),
        ("displayName", "contains", "drives", 3),
        ("status", "equals", "disabled", 1),
    ] {
        let page = only(key, operator, &[value]);
        let filters = CountRequest { r#where: page.r#where.clone() };
        assert_eq!(list(page).await.driver_accounts.len(), count, "{key} {operator} {value}");
        let counted = dina.client().await.count_driver_accounts(filters).await.unwrap().into_inner();
        assert_eq!(counted.total, count as u64);
    }
    assert_eq!(list(sorted("driverId", SortDirection::Desc)).await.driver_accounts[0].driver_id, "drv-3");
    let vera = world.sign_in("Vera").await;
    let request = ListDriverAccountsRequest { page: None };
    let error = Error::from(vera.client().await.list_driver_accounts(request).await.unwrap_err());
    assert_eq!(error.reason, "ROLE_MISSING");
});

::store::on_both!(a_driver_cannot_have_a_name_of_the_office, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.driver("DRV-1", "Nestor", "active", 1).await;
    world.make("Dina", &["dispatcher"]).await;
    world.make("Vera", &["viewer"]).await;
    let dina = world.sign_in("Dina").await;
    let check = async |person: &Person<'_>, username: &str| {
        let request = CheckDriverUsernameRequest { username: username.to_owned() };
        person.client().await.check_driver_username(request).await.map_err(Error::from)
    };
    let taken = check(&dina, " dINA ").await.unwrap_err();
    assert_eq!(taken.reason, "USERNAME_TAKEN");
    assert_eq!(taken.fields["username"], ["This username belongs to an office account. Choose another one"]);
    for free in ["Nestor", "somebody else", ""] {
        assert!(check(&dina, free).await.is_ok(), "{free}");
    }
    assert_eq!(check(&world.sign_in("Vera").await, "Dina").await.unwrap_err().reason, "ROLE_MISSING");
});

::store::on_both!(changes_know_what_they_change, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let user = world.make("Ana", &["viewer"]).await;
    world.advance(Duration::seconds(5));
    let changed = rename(&admin, &user, " Ana Cruz ", " ana.cruz@example.com").await.unwrap();
    assert_eq!((changed.display_name.as_str(), changed.email.as_str()), ("Ana Cruz", "ana.cruz@example.com"));
    assert_eq!((changed.version, changed.updated_by.as_str()), (user.version + 1, NAME));
    assert!(changed.updated_at.unwrap().seconds > user.updated_at.unwrap().seconds);
    let entry = world.audit().await.pop().unwrap();
    assert_eq!(entry.before_json, r#"{"displayName":"Ana of the office","email":"ana@example.com"}"#);
    assert_eq!(entry.after_json, r#"{"displayName":"Ana Cruz","email":"ana.cruz@example.com"}"#);

    let before = world.audit().await.len();
    for stale in [
        rename(&admin, &user, "Later", "l@example.com").await.unwrap_err(),
        admin.set_roles(&user, &["admin"]).await.unwrap_err(),
        admin.set_status(&user, UserStatus::Disabled).await.unwrap_err(),
    ] {
        assert_eq!(refused(&stale), (Kind::FailedPrecondition, "VERSION_CONFLICT", vec![]));
        assert_eq!(
            stale.message,
            "Someone else changed this account in the meantime. Reload it and try again."
        );
    }
    let error = rename(&admin, &changed, &"n".repeat(101), "nowhere").await.unwrap_err();
    assert_eq!(refused(&error), (Kind::InvalidInput, "INVALID_FIELDS", vec!["displayName", "email"]));
    let same = rename(&admin, &changed, "Ana Cruz", "ana.cruz@example.com").await.unwrap();
    assert_eq!((same, world.audit().await.len()), (changed.clone(), before), "no change is none");
    assert_eq!(names(&admin, only("email", "equals", &["ANA.CRUZ@example.com"])).await, ["Ana"]);

    let gone = User { id: kit::clock::new_id().to_string(), ..changed };
    assert_eq!(reason(rename(&admin, &gone, "", "a@example.com").await), "USER_NOT_FOUND");
    assert_eq!(reason(admin.set_roles(&gone, &[]).await), "USER_NOT_FOUND");
    assert_eq!(reason(admin.set_status(&gone, UserStatus::Active).await), "USER_NOT_FOUND");
});

::store::on_both!(other_roles_end_the_sessions, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let user = world.make("Ana", &["viewer"]).await;
    let ana = world.sign_in("Ana").await;
    let token = world.token(&ana.secret).await.unwrap();
    let same = admin.set_roles(&user, &["viewer", "viewer"]).await.unwrap();
    assert!(same.ended_session_ids.is_empty() && world.check(&token).await.is_ok(), "the same is no change");
    let changed = admin.set_roles(&user, &["dispatcher", "transport_planner"]).await.unwrap();
    assert_eq!(changed.ended_session_ids.len(), 1);
    assert_eq!(changed.user.as_ref().unwrap().roles, ["transport_planner", "dispatcher"]);
    assert_eq!(reason(world.check(&token).await), "SESSION_OVER");
    assert_eq!(reason(world.token(&ana.secret).await), "SESSION_OVER");
    let ana = world.sign_in("Ana").await;
    let fresh = world.check(&world.token(&ana.secret).await.unwrap()).await.unwrap();
    assert_eq!(fresh.roles, ["transport_planner", "dispatcher"]);
    let entry = world.audit().await.pop().unwrap();
    assert_eq!(entry.action, "user.roles_changed");
    assert_eq!(
        (entry.before_json.as_str(), entry.after_json.as_str()),
        (r#"{"roles":["viewer"]}"#, r#"{"roles":["transport_planner","dispatcher"]}"#)
    );
    let error = admin.set_roles(&changed.user.unwrap(), &["driver"]).await.unwrap_err();
    assert_eq!(refused(&error), (Kind::InvalidInput, "INVALID_FIELDS", vec!["roles"]));
});

::store::on_both!(a_disabled_account_is_shut_at_once, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let user = world.make("Ana", &["viewer"]).await;
    let ana = world.sign_in("Ana").await;
    let token = world.token(&ana.secret).await.unwrap();
    let off = admin.set_status(&user, UserStatus::Disabled).await.unwrap();
    assert_eq!(off.ended_session_ids.len(), 1);
    assert_eq!(reason(world.check(&token).await), "SESSION_OVER");
    assert_eq!(reason(world.login("Ana", PASSWORD).await), "SIGN_IN_FAILED");
    let off = off.user.unwrap();
    assert_eq!(off.status(), UserStatus::Disabled);
    let on = admin.set_status(&off, UserStatus::Active).await.unwrap().user.unwrap();
    assert_eq!(on.status(), UserStatus::Active);
    assert_eq!(reason(world.token(&ana.secret).await), "SESSION_OVER", "what ended has ended");
    world.login("Ana", PASSWORD).await.unwrap();
    // An account that never had a password becomes invited again, not active.
    let guest = admin.create("Ben", &[]).await.unwrap();
    let off = admin.set_status(&guest, UserStatus::Disabled).await.unwrap().user.unwrap();
    let on = admin.set_status(&off, UserStatus::Active).await.unwrap().user.unwrap();
    assert_eq!(on.status(), UserStatus::Invited);
    for status in [UserStatus::Invited, UserStatus::Unspecified] {
        let error = admin.set_status(&on, status).await.unwrap_err();
        assert_eq!(refused(&error), (Kind::InvalidInput, "INVALID_FIELDS", vec!["status"]));
    }
});

::store::on_both!(nobody_shuts_themselves_or_everybody_out, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let me = admin.get(&admin.id).await;
    let before = world.audit().await.len();
    let error = admin.set_roles(&me, &["viewer"]).await.unwrap_err();
    assert_eq!(refused(&error), (Kind::FailedPrecondition, "OWN_ADMIN_ROLE", vec!["roles"]));
    let error = admin.set_status(&me, UserStatus::Disabled).await.unwrap_err();
    assert_eq!(refused(&error), (Kind::FailedPrecondition, "OWN_ACCOUNT", vec!["status"]));
    assert_eq!(world.audit().await.len(), before);
    let more = admin.set_roles(&me, &["admin", "dispatcher"]).await.unwrap();
    assert_eq!(more.user.unwrap().roles, ["admin", "dispatcher"], "more is allowed");

    // An admin who cannot sign in does not count as one.
    let admin = world.sign_in(NAME).await;
    let invited = admin.create("Ben", &["admin"]).await.unwrap();
    world.make("Ana", &["admin"]).await;
    let ana = world.sign_in("Ana").await;
    let me = ana.get(&admin.id).await;
    ana.set_roles(&me, &["viewer"]).await.expect("two were active");
    // Ben's token says admin, but his account is only invited. The rule counts active accounts, whatever role
    // the caller has.
    let signed = kit::principal::sign_access;
    let key = crate::entity::signing_key::Entity::find().one(world.context.db.read()).await.unwrap().unwrap();
    let now = world.context.clock.now().timestamp();
    let session = kit::clock::new_id().to_string();
    let token = signed(
        &key.id,
        &key.pkcs8.0,
        &invited.id,
        "Ben",
        vec![kit::Role::Admin],
        None,
        &session,
        now,
        now + 60,
    );
    let mut ben = AuthServiceClient::new(world.transport.with_token(token.unwrap().into()));
    let her = ana.get(&ana.id).await;
    let roles = UpdateUserRolesRequest { id: her.id.clone(), version: her.version, roles: vec![] };
    let error = Error::from(ben.update_user_roles(roles).await.unwrap_err());
    assert_eq!(refused(&error), (Kind::FailedPrecondition, "LAST_ADMIN", vec!["roles"]));
    let status = UpdateUserStatusRequest {
        id: her.id.clone(),
        version: her.version,
        status: UserStatus::Disabled.into(),
    };
    let error = Error::from(ben.update_user_status(status).await.unwrap_err());
    assert_eq!(refused(&error), (Kind::FailedPrecondition, "LAST_ADMIN", vec!["status"]));
    assert_eq!(ana.get(&ana.id).await, her, "nothing of it stayed");
});

::store::on_both!(of_two_admins_who_shut_each_other_out_one_stays, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    for round in 0..8 {
        let name = format!("Ana {round}");
        let other = world.make(&name, &["admin"]).await;
        let (one, two) = (world.sign_in(NAME).await, world.sign_in(&name).await);
        let me = one.get(&one.id).await;
        // Get both tokens before the race, because the winner's change ends the loser's session.
        let (mut first, mut second) = (one.client().await, two.client().await);
        let (first, second) = if round % 2 == 0 {
            let roles = |user: &User| UpdateUserRolesRequest {
                id: user.id.clone(),
                version: user.version,
                roles: vec!["viewer".into()],
            };
            tokio::join!(first.update_user_roles(roles(&other)), second.update_user_roles(roles(&me)))
        } else {
            let status = |user: &User| UpdateUserStatusRequest {
                id: user.id.clone(),
                version: user.version,
                status: UserStatus::Disabled.into(),
            };
            tokio::join!(first.update_user_status(status(&other)), second.update_user_status(status(&me)))
        };
        let (first, second) = (first.map_err(Error::from), second.map_err(Error::from));
        assert!(first.is_ok() != second.is_ok(), "round {round}");
        let lost = first.as_ref().err().or(second.as_ref().err()).unwrap();
        assert_eq!(lost.reason, "LAST_ADMIN");
        if second.is_ok() {
            // Give the loser the role back, so that the next round begins like this one.
            let two = world.sign_in(&name).await;
            let me = two.get(&me.id).await;
            if round % 2 == 0 {
                two.set_roles(&me, &["admin"]).await.unwrap();
            } else {
                two.set_status(&me, UserStatus::Active).await.unwrap();
            }
            let her = two.get(&two.id).await;
            world.sign_in(NAME).await.set_roles(&her, &[]).await.unwrap();
        }
    }
});

::store::on_both!(an_account_of_a_driver_follows_the_driver, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let id = world.driver("DRV-1", "nestor", "active", 1).await;
    let driver = admin.get(&id).await;
    assert_eq!(
        (driver.driver_id.as_str(), driver.roles.as_slice()),
        ("DRV-1", ["driver".to_owned()].as_slice())
    );
    for error in [
        rename(&admin, &driver, "x", "x@example.com").await.unwrap_err(),
        admin.set_roles(&driver, &["admin"]).await.unwrap_err(),
        admin.set_status(&driver, UserStatus::Disabled).await.unwrap_err(),
    ] {
        assert_eq!(refused(&error), (Kind::FailedPrecondition, "DRIVER_ACCOUNT", vec![]));
    }
    assert_eq!(admin.get(&id).await, driver);
});

::store::on_both!(only_admins_manage_accounts, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let target = admin.create("Target", &[]).await.unwrap();
    for (name, roles) in [
        ("none", vec![]),
        ("vera", vec!["viewer"]),
        ("dina", vec!["dispatcher"]),
        ("tito", vec!["transport_planner"]),
    ] {
        world.make(name, &roles).await;
        let person = world.sign_in(name).await;
        for error in [
            person.create("New", &["admin"]).await.unwrap_err(),
            person.set_roles(&target, &["admin"]).await.unwrap_err(),
            person.set_status(&target, UserStatus::Disabled).await.unwrap_err(),
            rename(&person, &target, "x", "x@example.com").await.unwrap_err(),
            Error::from(person.client().await.list_users(ListUsersRequest::default()).await.unwrap_err()),
            Error::from(person.client().await.count_users(CountRequest::default()).await.unwrap_err()),
            Error::from(
                person.client().await.get_user(GetUserRequest { id: target.id.clone() }).await.unwrap_err(),
            ),
        ] {
            assert_eq!(refused(&error), (Kind::Forbidden, "ROLE_MISSING", vec![]));
        }
    }
});
