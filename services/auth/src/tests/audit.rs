//! The audit log: one entry per act, and none is ever changed.

use ::store::testing::{Backend, TestDb, sqlite_plan};
use proto::auth::v1::{AuditEntry, ListAuditEntriesRequest};
use proto::common::v1::{CountRequest, Filter, Page, Sort, SortDirection};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, PaginatorTrait, StatementBuilder};

use super::*;
use crate::Migrator;
use crate::audit::{Action, Entity};
use crate::fields::AUDIT_LOG;

async fn entries(person: &Person<'_>, page: Page) -> Vec<AuditEntry> {
    let request = ListAuditEntriesRequest { page: Some(page) };
    person.client().await.list_audit_entries(request).await.unwrap().into_inner().audit_entries
}

fn only(key: &str, operator: &str, value: &str) -> Page {
    let filter = Filter { key: key.into(), operator: operator.into(), values: vec![value.into()] };
    Page { r#where: vec![filter], ..Page::default() }
}

::store::on_both!(the_database_refuses_to_change_an_entry, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let db = &world.context.db;
    let before = world.audit().await;
    assert_eq!(before.len(), 1);
    let tx = db.begin().await.unwrap();
    let change = audit_entry::Entity::update_many()
        .col_expr(audit_entry::Column::Actor, Expr::value("somebody else"))
        .exec(&*tx)
        .await
        .unwrap_err();
    assert!(change.to_string().contains("audit entries are never changed or deleted"), "{change}");
    drop(tx);
    let tx = db.begin().await.unwrap();
    let delete = audit_entry::Entity::delete_many()
        .filter(audit_entry::Column::Id.eq(before[0].id))
        .exec(&*tx)
        .await
        .unwrap_err();
    assert!(delete.to_string().contains("audit entries are never changed or deleted"), "{delete}");
    drop(tx);
    if db.is_postgres() {
        let tx = db.begin().await.unwrap();
        assert!(tx.execute_unprepared("TRUNCATE audit_entry").await.is_err());
    }
    assert_eq!(world.audit().await, before);
});

::store::on_both!(each_act_leaves_one_entry, Migrator, |db: Db| async move {
    let mut context = context(db);
    context.config.sign_up = kit::config::SignUp::Pending;
    let world = World::start(context).await;
    let mut seen = 0;
    // Returns the entries added since the last call.
    let mut new = async || {
        let all = world.audit().await;
        let new: Vec<String> =
            all[seen..].iter().map(|it| format!("{} {} {}", it.actor, it.action, it.entity_name)).collect();
        seen = all.len();
        new
    };
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    assert_eq!(new().await, ["system:auth admin.created Maria"]);
    let admin = world.sign_in(NAME).await;
    assert!(new().await.is_empty(), "signing in is no act of privilege");
    let user = admin.create("Ana", &["viewer"]).await.unwrap();
    assert_eq!(new().await, ["Maria user.created Ana"]);
    let link = admin.link(&user.id).await.unwrap();
    assert_eq!(new().await, ["Maria user.reset_link_created Ana"]);
    world.redeem(&link.reset_token, PASSWORD).await.unwrap();
    assert_eq!(new().await, ["Ana user.password_reset Ana"]);
    let user = admin.get(&user.id).await;
    let user = admin.set_roles(&user, &["dispatcher"]).await.unwrap().user.unwrap();
    assert_eq!(new().await, ["Maria user.roles_changed Ana"]);
    let user = admin.set_status(&user, UserStatus::Disabled).await.unwrap().user.unwrap();
    admin.set_status(&user, UserStatus::Active).await.unwrap();
    assert_eq!(new().await, ["Maria user.status_changed Ana", "Maria user.status_changed Ana"]);
    let sign_up = proto::auth::v1::SignUpRequest {
        username: "Stranger".into(),
        email: "s@example.com".into(),
        password: PASSWORD.into(),
        address: HOME.into(),
    };
    world.client().sign_up(sign_up.clone()).await.unwrap();
    world.client().sign_up(sign_up).await.unwrap();
    assert_eq!(new().await, ["Stranger user.signed_up Stranger"], "the second was for nothing");
    for (status, version, left) in [
        ("active", 1, "created"),
        ("blocked", 2, "blocked"),
        ("blocked", 2, ""),
        ("active", 1, ""),
        ("active", 3, "unblocked"),
        ("active", 4, ""),
    ] {
        world.driver("DRV-1", "nestor", status, version).await;
        let expected: Vec<String> =
            if left.is_empty() { vec![] } else { vec![format!("planner driver_account.{left} nestor")] };
        assert_eq!(new().await, expected, "{status} {version}");
    }
    let id = world.driver("DRV-1", "nestor.ilagan", "active", 5).await;
    assert_eq!(new().await, ["planner driver_account.updated nestor.ilagan"]);
    let link = admin.link(&id).await.unwrap();
    world.redeem(&link.reset_token, "482913750264").await.unwrap();
    assert_eq!(
        new().await,
        [
            "Maria driver_account.reset_link_created nestor.ilagan",
            "nestor.ilagan driver_account.pin_set nestor.ilagan"
        ]
    );
    // A refused act leaves no entry.
    let stale = admin.get(&user.id).await;
    let stale = User { version: stale.version - 1, ..stale };
    admin.set_roles(&stale, &["admin"]).await.unwrap_err();
    admin.create("Ana", &[]).await.unwrap_err();
    assert!(new().await.is_empty());
    for entry in world.audit().await {
        assert!(Action::SPELLINGS.contains(&entry.action.as_str()), "{}", entry.action);
        assert!(Entity::SPELLINGS.contains(&entry.entity.as_str()), "{}", entry.entity);
        let text = format!("{entry:?}");
        for secret in [PASSWORD, "482913750264", &link.reset_token, "argon2"] {
            assert!(!text.contains(secret));
        }
    }
});

::store::on_both!(an_admin_reads_who_did_what_from_where, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.advance(Duration::seconds(10));
    let admin = world.sign_in(NAME).await;
    let request = CreateUserRequest {
        username: "Ana".into(),
        display_name: String::new(),
        email: "ana@example.com".into(),
        roles: vec!["viewer".into()],
    };
    let mut away = admin.client_at("2001:DB8::7").await;
    let user = away.create_user(request).await.unwrap().into_inner();
    world.advance(Duration::seconds(10));
    admin.set_status(&user, UserStatus::Disabled).await.unwrap();
    let all = entries(&admin, Page::default()).await;
    let actions: Vec<&str> = all.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["user.status_changed", "user.created", "admin.created"], "newest first");
    let made = &all[1];
    assert_eq!(all[2].address, "198.51.100.7", "the first account says where from");
    assert_eq!((made.actor.as_str(), made.address.as_str()), (NAME, "2001:db8::7"));
    assert_eq!((made.entity.as_str(), &made.entity_id, made.entity_name.as_str()), ("user", &user.id, "Ana"));
    assert_eq!(made.at.unwrap().seconds, 1_800_000_010);
    assert_eq!(made.before_json, "");
    assert_eq!(
        made.after_json,
        r#"{"displayName":"","email":"ana@example.com","roles":["viewer"],"status":"invited","username":"Ana"}"#
    );
    assert_eq!(all[0].before_json, r#"{"status":"invited"}"#);
    assert_eq!(all[0].address, HOME);
    for (key, operator, value, count) in [
        ("actor", "equals", "MARIA", 2),
        ("actor", "startsWith", "system:", 1),
        ("action", "equals", "user.created", 1),
        ("action", "startsWith", "user.", 2),
        ("entity", "equals", "user", 3),
        ("entityName", "contains", "an", 2),
        ("address", "startsWith", "2001:DB8", 1),
    ] {
        let page = only(key, operator, value);
        let filters = CountRequest { r#where: page.r#where.clone() };
        assert_eq!(entries(&admin, page).await.len(), count, "{key} {operator} {value}");
        let counted = admin.client().await.count_audit_entries(filters).await.unwrap().into_inner();
        assert_eq!(counted.total, count as u64);
    }
    let range = Filter {
        key: "at".into(),
        operator: "inDateRange".into(),
        values: vec!["2027-01-15T08:00:10Z".into(), "2027-01-15T08:00:20Z".into()],
    };
    let found = entries(&admin, Page { r#where: vec![range], ..Page::default() }).await;
    assert_eq!((found.len(), found[0].action.as_str()), (1, "user.created"));
    let oldest = Sort { key: "at".into(), direction: SortDirection::Asc.into() };
    assert_eq!(
        entries(&admin, Page { sort: vec![oldest], ..Page::default() }).await[0].action,
        "admin.created"
    );
    world.make("Vera", &["dispatcher"]).await;
    let vera = world.sign_in("Vera").await;
    let error = vera.client().await.list_audit_entries(ListAuditEntriesRequest::default()).await.unwrap_err();
    assert_eq!(Error::from(error).reason, "ROLE_MISSING");
    let error = vera.client().await.count_audit_entries(CountRequest::default()).await.unwrap_err();
    assert_eq!(Error::from(error).reason, "ROLE_MISSING");
});

::store::on_both!(an_act_that_fails_leaves_no_entry, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    let made = futures::future::join_all((0..8).map(|_| admin.create("Ana", &["viewer"]))).await;
    assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
    let of_ana = audit_entry::Entity::find().filter(audit_entry::Column::EntityName.eq("Ana"));
    assert_eq!(of_ana.count(world.context.db.read()).await.unwrap(), 1);
});

/// Returns how SQLite runs each statement that a page and its count may use.
async fn plans(db: &Db, page: &Page) -> Vec<(&'static str, String)> {
    let mut plans = Vec::new();
    for (what, select) in AUDIT_LOG.statements(page, DbBackend::Sqlite).unwrap() {
        let statement = StatementBuilder::build(&select, &DbBackend::Sqlite);
        plans.push((what, sqlite_plan(db.read(), statement).await));
    }
    plans
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_filter_and_sort_of_the_log_has_an_index() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let cases = [
        ("at", "audit_time", None),
        ("actor", "audit_by_actor", Some(("startsWith", "system:"))),
        ("action", "audit_by_action", Some(("equals", "user.created"))),
        ("entity", "audit_by_entity", Some(("equals", "user"))),
        ("entityName", "audit_by_entity_name", Some(("equals", "Ana"))),
        ("address", "audit_by_address", Some(("startsWith", "2001:DB8"))),
    ];
    assert_eq!(cases.map(|it| it.0).as_slice(), AUDIT_LOG.fields.iter().map(|it| it.key).collect::<Vec<_>>());
    for (key, index, filter) in cases {
        for direction in [SortDirection::Asc, SortDirection::Desc] {
            let sort = vec![Sort { key: key.into(), direction: direction.into() }];
            let plans = plans(&test.db, &Page { sort, ..Page::default() }).await;
            let [("page", plan)] = plans.as_slice() else { panic!("{plans:#?}") };
            assert!(plan.contains(&format!("USING INDEX {index}")), "{key}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{key}: {plan}");
        }
        let Some((operator, value)) = filter else { continue };
        let plans = plans(&test.db, &only(key, operator, value)).await;
        let plan = plans.into_iter().find_map(|(what, plan)| (what == "few").then_some(plan)).unwrap();
        assert!(plan.contains(&format!("COVERING INDEX {index} ")), "{key}: {plan}");
    }
    test.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_of_the_log_that_takes_too_long_is_refused() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    // A lock on the table makes the search wait.
    let holder = test.db.begin().await.unwrap();
    holder.execute_unprepared("LOCK TABLE audit_entry IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let page = only("entityName", "contains", "an");
    let error = AUDIT_LOG.page(&test.db, &page).await.unwrap_err();
    assert_eq!(error.reason, "LIST_TOO_BROAD");
    let error = AUDIT_LOG.count(&test.db, &page.r#where).await.unwrap_err();
    assert_eq!(error.reason, "LIST_TOO_BROAD");
    drop(holder);
    assert!(AUDIT_LOG.page(&test.db, &page).await.unwrap().0.is_empty());
    test.close().await;
}
