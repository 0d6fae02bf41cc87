//! Rebuilds: during events, after an interruption, and of data that is older than the service.

use ::store::Db;
use chrono::TimeDelta;
use proto::events::Envelope;
use sea_orm::ConnectionTrait;

use super::World;
use crate::Migrator;
use crate::rebuild::ensure;
use crate::store::sweep::{self, Kind};
use crate::store::{Origin, Write, begin_run};

store::on_both!(the_first_start_reads_what_is_there, Migrator, |db: Db| async move {
    let world = World::open(&db, 11);
    for _ in 0..50 {
        world.owner.change();
    }
    let now = world.context.clock.now();
    ensure(&db, now).await.unwrap();
    ensure(&db, now).await.unwrap();
    assert_eq!(world.work().await, 1, "two replicas that start one after the other ask once");
    assert_eq!(world.tables().await.deliveries.len(), world.owner.ids().len());
    ensure(&db, now).await.unwrap();
    assert_eq!(world.work().await, 0, "and the next start asks for nothing");
});

store::on_both!(events_and_a_rebuild_come_together, Migrator, |db: Db| async move {
    for seed in 20..24 {
        let world = World::open(&db, seed);
        world.forget().await;
        for _ in 0..40 {
            let event = world.owner.change();
            if world.owner.roll(2) == 0 {
                world.owner.tell(&event).await;
            }
        }
        world.owner.change_meanwhile(3);
        world.rebuild().await;
        world.owner.change_meanwhile(0);
        let beside_events = world.tables().await;
        assert_eq!(world.rebuilt().await, beside_events, "story {seed}");
    }
});

store::on_both!(an_interrupted_rebuild_goes_on_where_it_was, Migrator, |db: Db| async move {
    let world = World::open(&db, 31);
    for _ in 0..80 {
        world.owner.change();
    }
    world.owner.go_away_after(Some(5));
    crate::seed::request_rebuild(&db, "admin-1", world.context.clock.now()).await.unwrap();
    world.work().await;
    let half = world.tables().await;
    assert!(!half.deliveries.is_empty() && half.deliveries.len() < world.owner.ids().len());
    assert_eq!(world.version().await.complete_run, 0);

    world.owner.go_away_after(None);
    world.context.clock.advance(TimeDelta::minutes(1));
    world.work().await;
    let whole = world.tables().await;
    assert_eq!(whole.deliveries.len(), world.owner.ids().len());
    assert_eq!(world.version().await.complete_run, 1);
    assert_eq!(world.owner.pages(), world.owner.pages_of_snapshot(), "no page was written twice");
});

store::on_both!(what_its_owner_lost_is_removed, Migrator, |db: Db| async move {
    let world = World::open(&db, 41);
    for _ in 0..60 {
        let event = world.owner.change();
        world.owner.tell(&event).await;
    }
    let ids = world.owner.ids();
    let version = world.version().await.version;
    for id in &ids[..3] {
        world.owner.delete(id);
    }
    world.rebuild().await;
    let tables = world.tables().await;
    assert_eq!(tables.deliveries.len(), ids.len() - 3);
    assert!(tables.variances.iter().all(|variance| {
        tables.deliveries.iter().any(|delivery| delivery.delivery_id_key == variance.delivery_id_key)
    }));
    assert!(world.version().await.version > version);
});

store::on_both!(a_row_written_between_search_and_removal_stays, Migrator, |db: Db| async move {
    let world = World::open(&db, 45);
    for _ in 0..20 {
        let event = world.owner.change();
        world.owner.tell(&event).await;
    }
    let tx = db.begin().await.unwrap();
    let run = begin_run(&tx).await.unwrap();
    tx.commit().await.unwrap();
    let before = world.tables().await;
    let keys = sweep::unseen(&db, Kind::Deliveries, run, None).await.unwrap();
    assert_eq!(keys.len(), before.deliveries.len());
    let after = sweep::unseen(&db, Kind::Deliveries, run, Some(&keys[0])).await.unwrap();
    assert_eq!(after, keys[1..], "the search goes on after a key");
    let tx = db.begin().await.unwrap();
    let seen = format!("UPDATE delivery_fact SET run = {run}");
    tx.execute_unprepared(&seen).await.unwrap();
    let mut write = Write::begin(&tx, Origin::Rebuild { run }).await.unwrap();
    assert_eq!(sweep::remove(&mut write, Kind::Deliveries, run, keys).await.unwrap(), 0);
    write.finish().await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.tables().await, before);
});

store::on_both!(an_owner_restored_from_a_copy_is_believed, Migrator, |db: Db| async move {
    let world = World::open(&db, 51);
    for _ in 0..30 {
        let event = world.owner.change();
        world.owner.tell(&event).await;
    }
    // The backup has another history and lower sequences.
    let restored = World::open(&db, 52);
    for _ in 0..10 {
        restored.owner.change();
    }
    restored.rebuild().await;
    let found = restored.tables().await;
    assert_eq!(restored.rebuilt().await, found);
});

/// Removes all deliveries, with events.
async fn undo_all(world: &World) {
    while !world.owner.ids().is_empty() {
        let event = world.owner.undo();
        world.owner.tell(&event).await;
    }
}

store::on_both!(an_owner_restored_from_before_a_removal_is_believed, Migrator, |db: Db| async move {
    let world = World::open(&db, 53);
    for _ in 0..30 {
        let event = world.owner.change();
        world.owner.tell(&event).await;
    }
    undo_all(&world).await;
    // The backup is from before all deliveries, so their sequences begin again.
    let restored = World::open(&db, 54);
    restored.rebuild().await;
    for _ in 0..30 {
        let event = restored.owner.change();
        restored.owner.tell(&event).await;
    }
    let found = restored.tables().await;
    assert_eq!(restored.rebuilt().await, found);
});

/// Changes deliveries and removes all of them. Returns the events of about half of the changes, which have not arrived.
async fn removed_with_late_events(world: &World) -> Vec<Envelope> {
    let mut late = Vec::new();
    for _ in 0..30 {
        let event = world.owner.change();
        if world.owner.roll(2) == 0 {
            late.push(event);
        } else {
            world.owner.tell(&event).await;
        }
    }
    undo_all(world).await;
    late
}

store::on_both!(a_removal_outlives_a_rebuild_from_an_earlier_release, Migrator, |db: Db| async move {
    let world = World::open(&db, 56);
    let late = removed_with_late_events(&world).await;
    world.owner.downgrade();
    world.rebuild().await;
    let expected = world.tables().await;
    for event in &late {
        world.owner.tell(event).await;
    }
    assert_eq!(world.tables().await, expected, "late events bring back nothing");
});

store::on_both!(a_removal_outlives_a_rebuild_from_empty_tables, Migrator, |db: Db| async move {
    let world = World::open(&db, 55);
    let late = removed_with_late_events(&world).await;
    let expected = world.rebuilt().await;
    for event in &late {
        world.owner.tell(event).await;
    }
    assert_eq!(world.tables().await, expected, "late events bring back nothing");
});
