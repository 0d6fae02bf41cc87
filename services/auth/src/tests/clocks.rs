//! A wrong clock signs nobody out and gives attackers no fresh attempts.

use ::store::testing::{Backend, TestDb};
use sea_orm::PaginatorTrait;

use super::*;
use crate::Migrator;
use crate::entity::secret::Hidden;
use crate::entity::{session, throttle};

const ROWS: u64 = 150;

/// Creates active sessions of the admin, and counters of attempts.
async fn fill(world: &World, rows: u64) {
    let db = &world.context.db;
    let admin = user::Entity::find().one(db.read()).await.unwrap().unwrap();
    let now = world.context.clock.now();
    let sessions = (0..rows).map(|number| session::Model {
        id: kit::clock::new_id(),
        secret_hash: Hidden(number.to_be_bytes().to_vec()),
        user_id: admin.id,
        created_at: now,
        last_used_at: now,
        expires_at: now + Duration::hours(12),
        address: HOME.into(),
        user_agent: String::new(),
    });
    let counts = (0..rows).map(|number| throttle::Model {
        key: number.to_be_bytes().to_vec(),
        count: 5,
        open_at: now,
        expires_at: now + Duration::hours(1),
    });
    let tx = db.begin().await.unwrap();
    session::Entity::insert_many(sessions.map(session::ActiveModel::from)).exec(&*tx).await.unwrap();
    throttle::Entity::insert_many(counts.map(throttle::ActiveModel::from)).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn left(world: &World) -> (u64, u64) {
    let read = world.context.db.read();
    (session::Entity::find().count(read).await.unwrap(), throttle::Entity::find().count(read).await.unwrap())
}

::store::on_both!(a_clock_that_jumps_by_a_day_deletes_nobodys_session, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    fill(&world, ROWS).await;
    let secret = world.login(NAME, PASSWORD).await.unwrap();
    let before = left(&world).await;
    assert!(before.0 > ROWS && before.1 >= ROWS, "{before:?}");
    for days in [1, -1, -1, 1] {
        world.advance(Duration::days(days));
        world.chores().await;
        assert_eq!(left(&world).await, before);
    }
    assert!(world.token(&secret).await.is_ok(), "the clock is right again, and so is the session");
    // If the clock keeps the new time, that time is right after all, and the rows are deleted.
    world.advance(Duration::days(1));
    let doubts = Doubts::holding(std::time::Duration::from_millis(1));
    for _ in 0..2 {
        crate::chores(&world.context, &doubts).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let left = left(&world).await;
    assert!(left.0 == 0 && left.1 < ROWS, "{left:?}");
});

::store::on_both!(what_is_over_for_some_goes_at_once, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    fill(&world, 20).await;
    world.advance(Duration::days(1));
    world.chores().await;
    let left = left(&world).await;
    assert!(left.0 == 0 && left.1 < 20, "few rows need no thought: {left:?}");
});

/// A replica whose clock is ahead deletes nothing, because the database's clock decides.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_is_a_day_ahead_deletes_nothing() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let right = World::start(Context { clock: Clock::system(), ..context(test.db.clone()) }).await;
    right.create_admin(NAME, PASSWORD, "").await.unwrap();
    fill(&right, 20).await;
    for days in [1, 400] {
        let clock = Clock::shifted(Duration::days(days));
        let wrong = World::start(Context { clock, ..context(test.db.clone()) }).await;
        wrong.chores().await;
        let left = left(&right).await;
        assert!(left.0 == 20 && left.1 >= 20, "{days} days ahead: {left:?}");
    }
    test.close().await;
}
