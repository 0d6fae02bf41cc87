use ::store::testing::{Backend, TestDb};
use futures::future::join_all;
use proto::auth::v1::ListSigningKeysRequest;
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::entity::signing_key;
use crate::{Migrator, tokens};

async fn published(world: &World) -> Vec<String> {
    let answer = world.client().list_signing_keys(ListSigningKeysRequest {}).await.unwrap().into_inner();
    assert!(answer.keys.iter().all(|key| key.public_key.len() == 32));
    answer.keys.into_iter().map(|key| key.id).collect()
}

/// Returns the id of the key that signed a token, from the token's first part, its header.
fn signer(token: &str) -> String {
    let header = crate::random::from_text(token.split('.').next().unwrap()).unwrap();
    let header = String::from_utf8(header).unwrap();
    let at = header.find("\"kid\":\"").unwrap() + 7;
    header[at..].split('"').next().unwrap().to_owned()
}

async fn signed_in(world: &World) -> (String, String) {
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let token = world.token(&secret).await.unwrap();
    (secret, token)
}

::store::on_both!(processes_that_start_at_once_share_a_key, Migrator, |db: Db| async move {
    let context = context(db);
    let worlds = join_all((0..8).map(|_| World::start(context.clone()))).await;
    assert_eq!(signing_key::Entity::find().count(context.db.read()).await.unwrap(), 1);
    worlds[0].create_admin(NAME, PASSWORD, "").await.unwrap();
    let (secret, _) = signed_in(&worlds[0]).await;
    for world in &worlds {
        let token = world.token(&secret).await.unwrap();
        for other in &worlds {
            other.check(&token).await.unwrap();
        }
    }
});

::store::on_both!(old_tokens_outlive_the_rotation, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let first = published(&world).await;
    assert_eq!(first.len(), 1);
    world.advance(Duration::days(30) - Duration::seconds(1));
    world.chores().await;
    assert_eq!(published(&world).await, first, "not before its time");
    let (secret, before) = signed_in(&world).await;
    world.advance(Duration::seconds(1));
    world.chores().await;
    let both = published(&world).await;
    assert_eq!((both.len(), &both[0]), (2, &first[0]));
    // The new key is published for a while before it signs.
    let meanwhile = world.token(&secret).await.unwrap();
    assert_eq!((signer(&before), signer(&meanwhile)), (first[0].clone(), first[0].clone()));
    world.advance(Duration::seconds(150));
    let after = world.token(&secret).await.unwrap();
    assert_eq!(signer(&after), both[1]);
    // A verifier that starts now gets both keys.
    let late = World::start(world.context.clone()).await;
    for token in [&before, &meanwhile, &after] {
        world.check(token).await.unwrap();
        late.check(token).await.unwrap();
    }
    world.advance(Duration::seconds(148));
    late.check(&before).await.unwrap();
    world.advance(Duration::seconds(1));
    assert_eq!(reason(late.check(&before).await), "TOKEN_EXPIRED", "at its own end, not at its key's");
});

::store::on_both!(a_replaced_key_is_forgotten_in_time, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let first = published(&world).await;
    world.advance(Duration::days(30));
    world.chores().await;
    world.advance(Duration::hours(1) - Duration::seconds(1));
    assert_eq!(published(&world).await.len(), 2);
    world.advance(Duration::seconds(1));
    let now = published(&world).await;
    assert_eq!(now.len(), 1, "not published, even before it is deleted");
    assert_ne!(now, first);
    world.chores().await;
    assert_eq!(signing_key::Entity::find().count(world.context.db.read()).await.unwrap(), 1);
    let (_, token) = signed_in(&world).await;
    assert_eq!(signer(&token), now[0]);
    assert!(world.check(&token).await.is_ok());
});

::store::on_both!(a_rotation_by_many_makes_one_key, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.advance(Duration::days(31));
    let now = world.context.clock.now();
    for done in join_all((0..8).map(|_| tokens::rotate(&world.context.db, now))).await {
        done.unwrap();
    }
    assert_eq!(published(&world).await.len(), 2);
});

::store::on_both!(a_long_sleep_is_no_harm, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.advance(Duration::days(400));
    let woken = World::start(world.context.clone()).await;
    let (_, token) = signed_in(&woken).await;
    assert!(woken.check(&token).await.is_ok());
});

::store::on_both!(the_tasks_end_when_told, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let stop = CancellationToken::new();
    let service = assemble(world.context.clone(), world.passwords.clone()).await.unwrap().into_service();
    let running = tokio::spawn(run_tasks(service, stop.clone()));
    stop.cancel();
    running.await.unwrap();
});

/// As on a full disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_is_content_with_an_old_key_while_nothing_can_be_written() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let world = World::with_admin(test.db.clone()).await;
    world.advance(Duration::days(30));
    let tx = test.db.begin().await.unwrap();
    tx.execute_unprepared("PRAGMA query_only = ON").await.unwrap();
    tx.commit().await.unwrap();
    let refused = tokens::rotate(&test.db, world.context.clock.now()).await.unwrap_err();
    assert_eq!(refused.reason, "DATABASE_UNAVAILABLE");
    let later = World::start(world.context.clone()).await;
    assert_eq!(published(&later).await, published(&world).await);
    assert_eq!(published(&later).await.len(), 1);
    test.close().await;
}
