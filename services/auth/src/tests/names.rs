//! Names that could be confused with those of others, and names that older releases allowed.

use sea_orm_migration::MigratorTrait;

use super::*;
use crate::Migrator;

async fn rename(db: &Db, from: &str, to: &str, key: &str) {
    let tx = db.begin().await.unwrap();
    let rename = user::Entity::update_many()
        .col_expr(user::Column::Username, Expr::value(to))
        .col_expr(user::Column::UsernameKey, Expr::value(key))
        .col_expr(user::Column::UsernameLook, Expr::value(""))
        .filter(user::Column::Username.eq(from));
    assert_eq!(rename.exec(&*tx).await.unwrap().rows_affected, 1);
    tx.commit().await.unwrap();
}

// Nobody gets an account whose name could be confused with somebody else's.
::store::on_both!(names_that_look_like_one_that_is_taken_are_refused, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let admin = world.sign_in(NAME).await;
    admin.create("José Paul", &["viewer"]).await.unwrap();
    for taken in ["Ｍａｒｉａ", "maria", "Jose\u{301} Paul", "JOSÉ PAU1"] {
        let error = admin.create(taken, &["viewer"]).await.unwrap_err();
        assert_eq!(error.reason, "USERNAME_TAKEN", "{taken}");
        assert!(error.fields["username"][0].contains("looks like"), "{taken}");
    }
    let mixed = ["m\u{430}ria", "ma\u{2011}ria", "ma\u{336}ria", "\u{1d5c6}aria\u{3b1}"];
    for wrong in mixed.into_iter().chain(["system:auth"]) {
        assert_eq!(admin.create(wrong, &["viewer"]).await.unwrap_err().reason, "INVALID_FIELDS", "{wrong}");
    }
    // Each of the two names uses a single alphabet, yet they are easily confused.
    admin.create("copa", &["viewer"]).await.unwrap();
    assert_eq!(admin.create("сора", &["viewer"]).await.unwrap_err().reason, "USERNAME_TAKEN");
    admin.create("Мария", &["viewer"]).await.unwrap();
    assert_eq!(admin.create("ＡＮＡ", &["viewer"]).await.unwrap().username, "ANA", "kept in plain letters");
});

// The rules for names apply to new accounts only.
::store::on_both!(a_name_of_before_signs_in_and_keeps_its_account, Migrator, |db: Db| async move {
    let world = World::with_admin(db.clone()).await;
    // Latin and Cyrillic letters, which older releases allowed together.
    let name = "M\u{430}ria\u{2011}1";
    rename(&db, NAME, name, &kit::text::fold(name)).await;
    let admin = world.sign_in("m\u{430}RIA\u{2011}1").await;
    admin.create("Ana", &["viewer"]).await.unwrap();
    let driver = "dr\u{456}ver";
    world.driver("DRV-1", driver, "active", 1).await;
    world.driver("DRV-1", driver, "blocked", 2).await;
    world.driver("DRV-2", "system:auth", "active", 1).await;
});

::store::on_both!(keys_of_before_are_folded_anew, Migrator, |db: Db| async move {
    let world = World::with_admin(db.clone()).await;
    let admin = world.sign_in(NAME).await;
    for name in ["jose", "jose2", "l1l"] {
        admin.create(name, &["viewer"]).await.unwrap();
    }
    rename(&db, NAME, "Jose\u{301}", "jose\u{301}").await;
    rename(&db, "jose", "ＪＯＳE\u{301}", "ｊｏｓe\u{301}").await;
    let later = Migrator::migrations().iter().rev().position(|it| it.name().ends_with("_names")).unwrap();
    for _ in 0..=later {
        ::store::testing::down_one::<Migrator>(&db).await;
    }
    ::store::migrate::up::<Migrator>(&db).await.unwrap();
    let admin = world.sign_in("JOSÉ").await;
    let all = user::Entity::find().all(db.read()).await.unwrap();
    let mut all: Vec<_> = all.iter().map(|it| (it.username.as_str(), it.username_look.as_str())).collect();
    all.sort_unstable();
    // Both accounts still exist, and their names differ.
    let looks = ["Jose\u{301}", "jose2", "l1l", "ＪＯＳE\u{301} (2)"].map(|it| (it, kit::username::look(it)));
    let mut looks: Vec<_> = looks.iter().map(|(name, look)| (*name, look.as_str())).collect();
    looks.sort_unstable();
    assert_eq!(all, looks);
    assert_eq!(admin.create("lll", &["viewer"]).await.unwrap_err().reason, "USERNAME_TAKEN");
});
